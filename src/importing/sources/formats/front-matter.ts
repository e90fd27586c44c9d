import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../../../errors.ts';
import { ValidationError, type Notice, type ReadingOptions } from '../source.ts';
import type { PublicitySigns } from '../publicity.ts';
import { namedSigns, signsOf, type Member } from '../publicity-signs.ts';
import { linesOfMeta } from './export-item.ts';
import { endOfJsonObject, jsonMembers, membersOfCode } from './json-scanner.ts';

export type FrontMatter = {
  readonly language: 'yaml' | 'toml' | 'json';
  readonly text: string;
  /** Every character after the line that closes the front matter. */
  readonly content: string;
};

const fences = {
  yaml: {
    opens: /^---[ \t\r]*(?:\n|$)/,
    closes: /\n(?:---|\.\.\.)[ \t\r]*(?:\n|$)/g,
    sign: '---',
  },
  toml: { opens: /^\+\+\+[ \t\r]*(?:\n|$)/, closes: /\n\+\+\+[ \t\r]*(?:\n|$)/g, sign: '+++' },
} as const;

/**
 * Parts a post from its front matter; absent where line 1 opens none. The first line that closes it
 * (in JSON: the brace) ends it: a later `---` or `+++` belongs to the content, which is not touched.
 */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  const end = endOfJsonObject(text);
  if (end !== undefined) return splitBehind(text, end);
  const language = languageOf(text);
  if (language === undefined) return undefined;
  const { closes, sign } = fences[language];
  const start = lineAt(text, 0).next;
  closes.lastIndex = start - 1;
  const closing = closes.exec(text);
  if (closing === null) throw neverClosed(sign);
  const head = text.slice(start, closing.index + 1);
  return { language, text: head, content: text.slice(closes.lastIndex) };
}

/** JSON needs no line to close it; the rest of its last line belongs to the content. */
function splitBehind(text: string, end: number): FrontMatter {
  if (end > text.length) throw neverClosed('{');
  const line = lineAt(text, end);
  const next = line.text.trim() === '' ? line.next : end;
  return { language: 'json', text: text.slice(0, end), content: text.slice(next) };
}

function neverClosed(sign: string): ValidationError {
  return new ValidationError(
    'front-matter',
    `The front matter opened by ${sign} on line 1 is never closed.`,
  );
}

function languageOf(text: string): keyof typeof fences | undefined {
  if (fences.yaml.opens.test(text)) return 'yaml';
  return fences.toml.opens.test(text) ? 'toml' : undefined;
}

function lineAt(text: string, start: number): { text: string; next: number } {
  const end = text.indexOf('\n', start);
  return end === -1
    ? { text: text.slice(start), next: text.length }
    : { text: text.slice(start, end), next: end + 1 };
}

/** The title as it is written; the text is absent where there is none. */
export type Title = { readonly text?: string | undefined; readonly notices: readonly Notice[] };

/** What the front matter of a post says. */
export type Head = {
  /** Several where a name stands several times: any of them may say that the post is not public. */
  readonly signs: readonly PublicitySigns[];
  /** The address of the article that the post says it is, as it is written. */
  readonly article?: string | undefined;
  /** A ValidationError where it cannot be read. */
  title(): Title;
};

/**
 * The members that hold a name: those written exactly so, else the first written in another case
 * (`Title:`). Several of the exact spelling are returned together, in order.
 */
export function membersNamed<M extends Member>(members: readonly M[], name: string): readonly M[] {
  const exact = members.filter(({ key }) => key === name);
  return exact.length > 0
    ? exact
    : members.filter(({ key }) => key.toLowerCase() === name).slice(0, 1);
}

/** With what `--map` says are signs too. */
export function withNamed(
  members: readonly Member[],
  options: ReadingOptions | undefined,
): readonly Member[] {
  if (options === undefined) return members;
  const valueOf = (name: string) =>
    membersNamed(members, name.toLowerCase()).at(-1)?.value ?? undefined;
  return [...members, ...namedSigns(options, valueOf)];
}

const signLine = new RegExp(
  `(?:^|[{,])[ \\t]*(?:(?:-|\\.\\.)[ \\t]+)?["']?([\\p{L}_][\\p{L}\\p{M}\\w-]*(?: [\\p{L}\\p{M}\\w-]+)*[?？]?)["']?[ \\t]*[:：=][ \\t]*(?:[!&]\\S*[ \\t]+)*` +
    // In `May 5, 2020` the comma begins no other member. What is longer says no more, and may be a line of them.
    `(?=(?:"([^"\\n]{0,300})|'([^'\\n]{0,300})|((?:[^\\n#,}]|,(?![ \\t]*(?:["']?[\\p{L}_][\\p{L}\\p{M}\\w-]*["']?[ \\t]*[:=]|\\r?$))){0,300})))`,
  'gimu',
);

/**
 * The signs in front matter that cannot be read as a whole: what stands at the beginning of a line,
 * or behind a brace or comma, like a member of that name.
 */
export function signsInBrokenText(
  text: string,
  options?: ReadingOptions,
): readonly PublicitySigns[] {
  const members = [...text.matchAll(signLine)].map(([, key = '', double, single, plain]) => ({
    key,
    value: (double ?? single ?? plain ?? '').trim(),
  }));
  return signsOf(withNamed(members, options));
}

/**
 * What stands on top of a text as front matter would and is none of a kind that is read: behind a
 * blank line, between other fences, or lines of names and values up to the first blank one, as Nikola has them behind `..`.
 */
const unknownHead =
  /^(?:([-+;])\1\1[^\n]*\n[^]*?\n[ \t]*\1{3,}[ \t\r]*(?:\n|$)|(?:[ \t]*(?:\.\.[ \t]+)?\p{L}[\p{L}\p{M}\w-]*[?？]?[ \t]*[:：][^\n]*(?:\n|$)){1,1000})/iu;

/** What Notion writes of a page, a paragraph of names and values below its heading. */
const belowHeading =
  /^#[ \t][^\n]*\n\s*\n((?:[^\s:：][^\n:：]*[:：][^\n]*(?:\n|$)){1,1000})(?=\s*\n|$)/;

/** The code on top of MDX. Behind a blank line it goes on with what is indented or closes a bracket. */
const code = /^(?:(?:import\s|export\s|[ \t}\])]|\{\/\*)[^]*?(?:\n(?:[ \t]*\n){1,100}|$)){1,1000}/;

/** What stands for front matter there: `export const draft = true`, `export const metadata = {…}`. */
const exported =
  /^export (?:const|let|var) (?:(\w+)\b[^=\n]*= *(true|false|null|\d[\w.]*|"[^"\n]*"|'[^'\n]*'|`[^`]*`|new Date\([^)\n]+\))|\w*(?:[Mm]eta(?:[Dd]ata)?|[Ff]ront_?[Mm]atter)\b[^=\n]*=\s*(?:\w+\()?(?=\{))/;

function saidIn(top: string): string {
  const found = top.split(/^(?=export )/m).map((part) => {
    const [start = part, name, value] = exported.exec(part) ?? [];
    return name === undefined ? membersOfCode(part.slice(start.length)) : `${name} = ${value}`;
  });
  return found.join('\n');
}

/** Of a text without front matter: what may have been meant as one, in comments and behind them and between line ends of old Macs too. */
export function headWithout(text: string, options?: ReadingOptions): Head {
  let top = (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text).trimStart();
  let said = '';
  for (let comment; (comment = /^<!--([^]*?)-->/.exec(top)) !== null;) {
    said += unknownHead.exec(`${comment[1]?.trim()}\n`)?.[0] ?? '';
    top = top.slice(comment[0].length).trimStart();
  }
  const [ofCode] = code.exec(top) ?? [];
  if (ofCode !== undefined) said += saidIn(ofCode);
  else if (top.startsWith('<')) said += linesOfMeta(top);
  else said += unknownHead.exec(top)?.[0] ?? belowHeading.exec(top)?.[1] ?? '';
  const signs = signsInBrokenText(said, options);
  return { signs, title: () => ({ notices: [] }) };
}

/** Reads TOML front matter. Line numbers of errors are those of the file. */
export function readTomlHead(text: string, options?: ReadingOptions): Head {
  return readTypedHead(text, (toml) => membersOf(parseToml(toml)), options);
}

/** Reads JSON front matter: an object that `splitFrontMatter` has found the end of. */
export function readJsonHead(text: string, options?: ReadingOptions): Head {
  return readTypedHead(text, parseMembers, options);
}

/** What typed values say: a title must be a text there. */
function readTypedHead(
  text: string,
  read: (text: string) => readonly Member[],
  options: ReadingOptions | undefined,
): Head {
  try {
    const members = read(text);
    const lastNamed = (name: string): unknown => membersNamed(members, name).at(-1)?.value;
    const article = lastNamed('article');
    return {
      signs: signsOf(withNamed(members, options)),
      article: typeof article === 'string' ? article : undefined,
      title: () => titleOf(lastNamed('title')),
    };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const title = () => {
      throw error;
    };
    return { signs: signsInBrokenText(text, options), title };
  }
}

function titleOf(value: unknown): Title {
  if (value === undefined || value === null) return { notices: [] };
  if (typeof value === 'string') return { text: value, notices: [] };
  const shown = JSON.stringify(value);
  throw new ValidationError('title', `The "title" is not a text but ${shown}; put it in quotes.`);
}

export function parseToml(text: string): object {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, said = error.message] = /^Invalid TOML document: ([^\n]*)/.exec(error.message) ?? [];
    // The line break where the quote should have been is one, to the parser.
    const reason = said.startsWith('control characters')
      ? 'a text has no closing quote, or a control character in it'
      : said;
    const line = error.line + 1;
    throw new ValidationError('front-matter', `The TOML cannot be read: ${reason} (line ${line})`, {
      cause: error,
    });
  }
}

/** Every member, also those whose name stands twice. */
export function parseMembers(text: string): readonly Member[] {
  try {
    JSON.parse(text);
    return jsonMembers(text).flatMap((member) => membersOf(JSON.parse(`{${member}}`)));
  } catch (error) {
    const reason = messageOf(error);
    throw new ValidationError('front-matter', `The JSON cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

export function membersOf(object: object): readonly Member[] {
  return Object.entries(object).map(([key, value]) => ({ key, value }));
}

export function repeatedTitle(times: number): Notice {
  return {
    kind: 'repeated-title',
    message: `"title" stands ${times} times; the last one is used.`,
  };
}
