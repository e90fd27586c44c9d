import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { decodeHTML } from 'entities/decode';

export type HtmlPage = {
  /** What stands in its head as the title. */
  readonly title?: string | undefined;
  /** What stands between its body's tags; the text itself where it is no whole page. */
  readonly body: string;
};

/** What is written in front of a body: comments, document type, and elements of a head. */
const before =
  /\s+|<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>|<\/?(?:html|head)(?=[\s>])[^>]*>|<(?:meta|link|base)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^>"'])*>|<(title|style|script|noscript|template)(?=[\s>])(?:"[^"]*"|'[^']*'|[^>"'])*>([\s\S]*?)<\/\1\s*>/iy;
const bodyTag = /<body(?=[\s>])(?:"[^"]*"|'[^']*'|[^>"'])*>/iy;
const pageTag = /<(?:!doctype|html|head|body)(?=[\s>])/iy;

/** Parts a whole page, one with the tags html, head or body, from its body; a fragment is all body. */
export function htmlPage(text: string): HtmlPage {
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
export function htmlHeading(text: string): string | undefined {
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

/** The first line of a text with something on it, without the white space around it. */
export function firstLine(text: string): string | undefined {
  return linesFrom(text).first?.trim();
}

/** That line, when Markdown makes it a heading of the first level. */
export function firstHeading(text: string): string | undefined {
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

/**
 * The address of the article that a post says it is (decisions 55). That of an article in a store
 * file, `file:../blog.json#7`, becomes absolute: its path begins in the folder of the post. Undefined
 * where it is no address.
 */
export function articleAddress(text: string, folder: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text;
  const [, path = '', fragment = ''] = /^file:([^]+?)(#[^#]*)$/i.exec(text) ?? [];
  if (path === '') return undefined;
  return `file:${absolute(path, folder)}${fragment}`;
}

function absolute(path: string, folder: string): string {
  const beneathHome = /^~[\\/]([^]*)$/.exec(path)?.[1];
  return beneathHome === undefined ? resolve(folder, path) : resolve(homedir(), beneathHome);
}
