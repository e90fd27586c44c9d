import { Flaw } from '../source.ts';
import { endOfJsonObject } from './json-front-matter.ts';

export type FrontMatter = {
  readonly language: 'yaml' | 'toml' | 'json';
  readonly text: string;
  /** Every character after the line that closes the front matter. */
  readonly content: string;
};

const fences = {
  yaml: { opens: /^---[ \t\r]*$/, closes: /^(?:---|\.\.\.)[ \t\r]*$/, sign: '---' },
  toml: { opens: /^\+\+\+[ \t\r]*$/, closes: /^\+\+\+[ \t\r]*$/, sign: '+++' },
} as const;

/**
 * Parts a post from its front matter; absent where line 1 opens none. The first line that closes it
 * (in JSON: the brace) ends it: a later `---` or `+++` belongs to the content, which is not touched.
 */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  const end = endOfJsonObject(text);
  if (end !== undefined) return splitBehind(text, end);
  const first = lineAt(text, 0);
  const language = languageOf(first.text);
  if (language === undefined) return undefined;
  for (let at = first.next; at < text.length;) {
    const line = lineAt(text, at);
    if (fences[language].closes.test(line.text)) {
      return { language, text: text.slice(first.next, at), content: text.slice(line.next) };
    }
    at = line.next;
  }
  throw neverClosed(fences[language].sign);
}

/** JSON needs no line to close it; the rest of its last line belongs to the content. */
function splitBehind(text: string, end: number): FrontMatter {
  if (end > text.length) throw neverClosed('{');
  const line = lineAt(text, end);
  const next = line.text.trim() === '' ? line.next : end;
  return { language: 'json', text: text.slice(0, end), content: text.slice(next) };
}

function neverClosed(sign: string): Flaw {
  return new Flaw('front-matter', `The front matter opened by ${sign} on line 1 is never closed.`);
}

function languageOf(line: string): keyof typeof fences | undefined {
  if (fences.yaml.opens.test(line)) return 'yaml';
  return fences.toml.opens.test(line) ? 'toml' : undefined;
}

function lineAt(text: string, start: number): { text: string; next: number } {
  const end = text.indexOf('\n', start);
  return end === -1
    ? { text: text.slice(start), next: text.length }
    : { text: text.slice(start, end), next: end + 1 };
}
