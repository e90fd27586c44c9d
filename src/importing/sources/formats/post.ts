import { basename, dirname, extname } from 'node:path/posix';
import { decodeHTML } from 'entities/decode';
import { isMap, isScalar } from 'yaml';
import {
  checkText,
  checkTitle,
  ValidationError,
  type Notice,
  type ReadingOptions,
} from '../source.ts';
import {
  membersOf,
  parseMembers,
  parseToml,
  splitFrontMatter,
  headWithout,
  readJsonHead,
  readTomlHead,
  type Head,
} from './front-matter.ts';
import { parsed, readYamlHead } from './yaml-head.ts';

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
 * A Markdown or HTML file as title and content. The content is the text after the front matter,
 * untouched, of a whole HTML page that of its body; the title is never guessed: without one,
 * `titleFrom` must say where it stands.
 */
export function readPost(text: string, path: string, titleFrom: ReadingOptions['titleFrom']): Post {
  return finishPost(openPost(text), path, titleFrom);
}

export function openPost(text: string, options?: ReadingOptions): OpenedPost {
  const frontMatter = splitFrontMatter(text);
  if (frontMatter !== undefined) {
    const head = readers[frontMatter.language](frontMatter.text, options);
    return { head, hasFrontMatter: true, rest: frontMatter.content };
  }
  const [, told] = notPosts.find(([form]) => form.test(text)) ?? [];
  if (told !== undefined) throw new ValidationError('content', told);
  return { head: headWithout(text, options), hasFrontMatter: false, rest: text };
}

/** What repeats is counted: of millions of lines the pattern would run out of stack. */
const notPosts: readonly (readonly [RegExp, string])[] = [
  [/^[^]{0,255}\0/, 'It holds NUL bytes, as UTF-16 does: an import takes --encoding utf-16le.'],
  // As one post the drafts in it would be public; TypePad, Hatena and others export it too.
  [
    /^\s*(?:[A-Z][A-Z ]*:[^\n]*\n){1,1000}-----\r?\nBODY:/,
    'It is an export of Movable Type, of many posts, which is not read. Bring it into WordPress, and import what that exports.',
  ],
  [
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n(?:ext-.+\n){0,10}oid \S+\r?\nsize \d+\s*$/,
    'Git LFS has not fetched this file. `git lfs pull` does (in CI: `lfs: true` of actions/checkout).',
  ],
];

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

/**
 * What front matter says beside its title, to be compared; undefined where there is none, or a strict
 * reader of its language would refuse it.
 */
export function membersBesideTitle(post: string): string | undefined {
  try {
    const { language, text } = splitFrontMatter(post) ?? {};
    if (language === undefined || text === undefined) return undefined;
    if (language === 'yaml') return yamlBesideTitle(text);
    const members = language === 'toml' ? membersOf(parseToml(text)) : parseMembers(text);
    return JSON.stringify(members.filter(({ key }) => key.toLowerCase() !== 'title'));
  } catch (error) {
    if (error instanceof ValidationError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function yamlBesideTitle(text: string): string | undefined {
  const document = parsed(text);
  const { contents, errors } = document;
  if (errors.length > 0 || !isMap(contents)) return undefined;
  const isTitle = (key: unknown) => isScalar(key) && /^title$/i.test(String(key.value));
  contents.items = contents.items.filter(({ key }) => !isTitle(key));
  return document.toString({ verifyAliasOrder: false });
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

/** The first line of a text with something on it, without the white space around it. */
function firstLine(text: string): string | undefined {
  return linesFrom(text).first?.trim();
}

/** That line, when Markdown makes it a heading of the first level. */
function firstHeading(text: string): string | undefined {
  const { first, second = '' } = linesFrom(text);
  // Four columns of white space make it code.
  if (first === undefined || !/^ {0,3}\S/.test(first)) return undefined;
  const line = first.trim();
  if (/^#[ \t]/.test(line)) return withoutClosingSigns(line.slice(1).trim()) || undefined;
  const isUnderlined = /^ {0,3}=+[ \t\r]*$/.test(second);
  return isUnderlined && !/^[#>=-]/.test(line) ? line : undefined;
}

/** `# Heading ##`: the signs at the end belong to the heading only where they stand against it. */
function withoutClosingSigns(heading: string): string {
  if (!heading.endsWith('#')) return heading;
  let end = heading.length;
  while (heading[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(heading[end - 1] ?? '') ? heading.slice(0, end).trim() : heading;
}

function linesFrom(text: string): { first?: string; second?: string } {
  const start = text.search(/\S/);
  if (start === -1) return {};
  const from = text.lastIndexOf('\n', start) + 1;
  const end = text.indexOf('\n', from);
  if (end === -1) return { first: text.slice(from) };
  const next = text.indexOf('\n', end + 1);
  return {
    first: text.slice(from, end),
    second: text.slice(end + 1, next === -1 ? undefined : next),
  };
}

type HtmlPage = {
  /** What stands in its head as the title. */
  readonly title?: string | undefined;
  /** What stands between its body's tags; the text itself where it is no whole page. */
  readonly body: string;
};

/** What is written in front of a body: comments, document type, and elements of a head. */
const before =
  /\s+|<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>|<\/?(?:html|head)(?=[\s>])[^>]*>|<(?:meta|link|base)(?=[\s/>])[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*){0,1000}>|<(title|style|script|noscript|template)(?=[\s>])[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*){0,1000}>([\s\S]*?)<\/\1\s*>/iy;
const bodyTag = /<body(?=[\s>])[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*){0,1000}>/iy;
const pageTag = /<(?:!doctype|html|head|body)(?=[\s>])/iy;

/** Parts a whole page, one with the tags html, head or body, from its body; a fragment is all body. */
function htmlPage(text: string): HtmlPage {
  let at = 0;
  let isPage = false;
  let title: string | undefined;
  for (;;) {
    isPage ||= matchAt(pageTag, text, at) !== null;
    const found = matchAt(before, text, at);
    if (found === null) break;
    if (found[1]?.toLowerCase() === 'title') title ??= textOfHtml(found[2] ?? '');
    at += found[0].length;
  }
  if (!isPage) return { title, body: text };
  const opening = matchAt(bodyTag, text, at);
  return { title, body: text.slice(at + (opening?.[0].length ?? 0), endOfBody(text)) };
}

/** The first heading of the first level, else the title of the page. */
function htmlHeading(text: string): string | undefined {
  const { title, body } = htmlPage(text);
  const shown = body.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '');
  const start = /<h1(?=[\s>])[^<>]*>/i.exec(shown);
  if (start === null) return title || undefined;
  const rest = shown.slice(start.index + start[0].length);
  const end = rest.search(/<\/h1\s*>/i);
  return textOfHtml(rest.slice(0, Math.max(end, 0))) || title || undefined;
}

/** The last `</body>`, else the last `</html>`, else the end. */
function endOfBody(text: string): number {
  const [body] = [...text.matchAll(/<\/body\s*>/gi)].slice(-1);
  const [html] = [...text.matchAll(/<\/html\s*>/gi)].slice(-1);
  return (body ?? html)?.index ?? text.length;
}

function textOfHtml(html: string): string {
  const text = decodeHTML(html.replaceAll(/<[^<>]*>/g, ''));
  return text.replaceAll(/\s+/g, ' ').trim();
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
