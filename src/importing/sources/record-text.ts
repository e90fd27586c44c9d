import { Flaw } from './source.ts';

const unpairedSurrogate = /\p{Surrogate}/u;
const visible = /[^\s\p{C}]/u;

/** The title itself; a Flaw where nothing in it can be seen. */
export function checkTitle(title: string): string {
  if (!visible.test(checkText('title', title))) throw new Flaw('title', 'The title is empty.');
  return title;
}

/** The text itself; a Flaw where it holds half a character, which no UTF-8 can carry. */
export function checkText(name: 'title' | 'content', text: string): string {
  const at = text.search(unpairedSurrogate);
  if (at === -1) return text;
  const unit = text.charCodeAt(at).toString(16).toUpperCase();
  throw new Flaw(name, `The ${name} holds half a character (U+${unit}) at position ${at + 1}.`);
}
