import { isMap, isScalar, parseDocument, type Scalar } from 'yaml';

const titleLine = /^(["']?)(title)\1[ \t]*:(?=[ \t\r\n]|$)/gim;

/**
 * The title of front matter that is not YAML as a whole: the member that begins a line with
 * `title:`, taken by itself. Real blogs continue quoted titles in the first column, which YAML
 * forbids and their generators accept. Undefined where even that member cannot be read.
 */
export function yamlTitleAlone(text: string): Scalar | undefined {
  const found = [...text.matchAll(titleLine)];
  const exact = found.filter(([, , name]) => name === 'title');
  const match = exact.at(-1) ?? found[0];
  if (match === undefined) return undefined;
  const rest = text.slice(match.index + match[0].length);
  const value = quotedValue(rest) ?? plainValue(rest);
  return readMember(value);
}

/** From the opening to the closing quote, over as many lines as it takes. */
function quotedValue(rest: string): string | undefined {
  const quoted = /^[ \t]*(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*')[^\n]*/.exec(rest);
  return quoted?.[0];
}

/** The rest of the line and the indented lines below it. */
function plainValue(rest: string): string {
  return /^[^\n]*(?:\n(?:[ \t]+[^\n]*|\r?(?=\n)))*/.exec(rest)?.[0] ?? '';
}

function readMember(value: string): Scalar | undefined {
  const indented = value.replaceAll('\n', '\n  ');
  const document = parseDocument(`title: ${indented}\n`, { schema: 'failsafe' });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const title = document.contents.get('title', true);
  return isScalar(title) && title.value !== null ? title : undefined;
}
