import { basename, dirname, extname } from 'node:path/posix';

import {
  checkText,
  checkTitle,
  ValidationError,
  type Notice,
  type ReadingOptions,
} from '../source.ts';
import {
  splitFrontMatter,
  signsInBrokenText,
  readJsonHead,
  readTomlHead,
  type FrontMatter,
  type Head,
} from './front-matter.ts';
import { htmlHeading, htmlPage, firstHeading, firstLine } from './html.ts';
import { readYamlHead } from './yaml-head.ts';

export type Post = {
  readonly title: string;
  readonly content: string;
  readonly notices: readonly Notice[];
};

/** A post whose front matter was read and whose texts were not looked at yet. */
export type OpenedPost = {
  readonly head: Head;
  readonly hasFrontMatter: boolean;
  /** Every character after the front matter. */
  readonly rest: string;
};

const readers = { yaml: readYamlHead, toml: readTomlHead, json: readJsonHead } as const;
/**
 * What stands on top of a text as front matter would and is none of a kind that is read: behind a
 * blank line, between other fences, or lines of names and values up to the first blank one.
 */
const unknownHead =
  /^\s*(?:([-+;])\1{2,}[^\n]*\n[^]*?\n\1{3,}[ \t\r]*(?:\n|$)|(?:[a-z][\w-]*[ \t]*:[^\n]*(?:\n|$))+)/i;
const nothing: Head = { signs: [{}], title: () => ({ notices: [] }) };

/**
 * A Markdown or HTML file as title and content. The content is the text after the front matter,
 * untouched, of a whole HTML page that of its body; the title is never guessed: without one,
 * `titleFrom` must say where it stands.
 */
export function readPost(text: string, path: string, titleFrom: ReadingOptions['titleFrom']): Post {
  return finishPost(openPost(text), path, titleFrom);
}

export function openPost(text: string): OpenedPost {
  const frontMatter = splitFrontMatter(text);
  if (frontMatter === undefined) {
    const signs = signsInBrokenText(unknownHead.exec(text)?.[0] ?? '');
    return { head: { ...nothing, signs }, hasFrontMatter: false, rest: text };
  }
  return { head: headOf(frontMatter), hasFrontMatter: true, rest: frontMatter.content };
}

/** Its title and content; a ValidationError where one of them cannot be read. */
export function finishPost(
  { head, hasFrontMatter, rest }: OpenedPost,
  path: string,
  titleFrom: ReadingOptions['titleFrom'],
): Post {
  const { text = '', notices } = head.title();
  const title = text.trim() === '' ? titleElsewhere(rest, path, titleFrom) : text;
  if (title === undefined) throw withoutTitle(hasFrontMatter, path, titleFrom);
  const content = isHtml(path) ? htmlPage(rest).body : rest;
  return { title: checkTitle(title), content: checkText('content', content), notices };
}

function headOf({ language, text }: FrontMatter): Head {
  return readers[language](text);
}

function titleElsewhere(
  rest: string,
  path: string,
  titleFrom: ReadingOptions['titleFrom'],
): string | undefined {
  if (titleFrom === 'filename') return titleOfFile(path);
  if (titleFrom === undefined) return undefined;
  if (isHtml(path)) return htmlHeading(rest);
  return titleFrom === 'h1' ? firstHeading(rest) : firstLine(rest);
}

function isHtml(path: string): boolean {
  return /^\.html?$/i.test(extname(path));
}

/** `2020-05-01-spring-clean.md` is "spring clean"; `spring-clean/index.md` too. */
function titleOfFile(path: string): string {
  const own = basename(path, extname(path));
  const isIndex = own === 'index' && path.includes('/');
  const name = isIndex ? basename(dirname(path)) : own;
  const words = name.replace(/^\d{4}-\d{1,2}-\d{1,2}-/, '').replaceAll(/[-_]+/g, ' ');
  return words.trim() || own;
}

/** Names what was looked for in vain, and where else a title may stand. */
function withoutTitle(
  hasFrontMatter: boolean,
  path: string,
  titleFrom: ReadingOptions['titleFrom'],
): ValidationError {
  const what = hasFrontMatter ? 'The front matter has no title' : 'No front matter, so no title';
  const [found, choices] = lookedFor(path, titleFrom);
  return new ValidationError(
    'title',
    `${what}${found}. Add one, or choose --title-from ${choices}.`,
  );
}

function lookedFor(path: string, titleFrom: ReadingOptions['titleFrom']): readonly string[] {
  if (titleFrom === undefined) return ['', 'h1, line or filename'];
  if (isHtml(path)) return [', and the page has no <h1> and no <title>', 'filename'];
  if (titleFrom === 'line') return [', and the text has no line that is not blank', 'filename'];
  return [', and the text does not begin with a heading like "# Title"', 'line or filename'];
}
