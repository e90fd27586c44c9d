import { Flaw } from './source.ts';

const unpairedSurrogate = /\p{Surrogate}/u;
const visible = /[^\s\p{C}]/u;

/** A title without the white space around it; a Flaw where nothing visible is left. */
export function checkTitle(title: string): string {
  const trimmed = title.trim();
  if (!visible.test(trimmed)) throw new Flaw('title', 'The title is empty.');
  return checkText('title', trimmed);
}

/** The text itself; a Flaw where it holds half a character, which no UTF-8 can carry. */
export function checkText(name: 'title' | 'content', text: string): string {
  const at = text.search(unpairedSurrogate);
  if (at === -1) return text;
  const unit = text.charCodeAt(at).toString(16).toUpperCase();
  throw new Flaw(name, `The ${name} holds half a character (U+${unit}) at position ${at + 1}.`);
}
