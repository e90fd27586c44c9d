import { Flaw } from '../source.ts';

export type FrontMatter = {
  readonly language: 'yaml' | 'toml';
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
 * ends it: a later `---` or `+++` belongs to the content, which is not touched.
 */
export function splitFrontMatter(text: string): FrontMatter | undefined {
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
  const { sign } = fences[language];
  throw new Flaw('front-matter', `The front matter opened by ${sign} on line 1 is never closed.`);
}

function languageOf(line: string): FrontMatter['language'] | undefined {
  if (fences.yaml.opens.test(line)) return 'yaml';
  return fences.toml.opens.test(line) ? 'toml' : undefined;
}

function lineAt(text: string, start: number): { text: string; next: number } {
  const end = text.indexOf('\n', start);
  return end === -1
    ? { text: text.slice(start), next: text.length }
    : { text: text.slice(start, end), next: end + 1 };
}
