import {
  isAlias,
  isMap,
  isScalar,
  parseDocument,
  type Document,
  type Scalar,
  type YAMLParseError,
} from 'yaml';

import { Flaw, type Notice } from '../source.ts';
import {
  membersNamed,
  signsInBrokenText,
  signsOf,
  type Head,
  type Member,
  type Title,
} from './head.ts';
import { yamlTitleAlone } from './yaml-title-alone.ts';

/**
 * Reads YAML front matter with every scalar as the text that was typed (`1.10`, `No`, dates): the
 * failsafe schema. Aliases are never expanded, so a bomb of them costs nothing. Where strict YAML
 * fails, the title is read alone; of every other member only a sign that it is not public counts.
 */
export function readYamlHead(text: string): Head {
  // What a key means that stands twice is decided below.
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  const [error] = document.errors;
  if (error === undefined && (document.contents === null || isMap(document.contents))) {
    return headOf(document);
  }
  return {
    signs: signsInBrokenText(text),
    title: () => (error === undefined ? throwNoMembers() : titleAlone(text, troubleOf(error))),
  };
}

function headOf(document: Document.Parsed): Head {
  const members = membersOf(document);
  const resolved = (value: unknown) => (isAlias(value) ? value.resolve(document) : value);
  const titles = membersNamed(members, 'title');
  const article = membersNamed(members, 'article').at(-1)?.value;
  return {
    signs: signsOf(members, (value) => wordOf(resolved(value))),
    article: isScalar(article) ? textOf(article) : undefined,
    title: () => ({
      text: titleOf(resolved(titles.at(-1)?.value)),
      notices: titles.length > 1 ? [repeatedTitle(titles.length)] : [],
    }),
  };
}

function membersOf({ contents }: Document.Parsed): readonly Member[] {
  if (!isMap(contents)) return [];
  return contents.items.flatMap(({ key, value }) =>
    isScalar(key) ? [{ key: String(key.value), value }] : [],
  );
}

function titleOf(node: unknown): string | undefined {
  if (node === undefined || node === null) return undefined;
  if (isScalar(node)) return titleText(node);
  const what = isMap(node) ? 'a mapping' : 'a list';
  throw new Flaw('title', `The "title" is not a text but ${what}.`);
}

function titleAlone(text: string, trouble: string): Title {
  const node = yamlTitleAlone(text);
  if (node === undefined) throw new Flaw('front-matter', `The YAML cannot be read: ${trouble}`);
  const message = `Only the title was read, the YAML around it is broken: ${trouble}`;
  return { text: titleText(node), notices: [{ kind: 'title-read-alone', message }] };
}

function throwNoMembers(): never {
  throw new Flaw('front-matter', 'The YAML is not a list of "name: value" members.');
}

/** What is wrong, without the excerpt; the line is that of the file. */
function troubleOf({ message, linePos }: YAMLParseError): string {
  const [reason = message] = message.split(/ at line \d+|\n/);
  return linePos === undefined ? reason : `${reason} (line ${linePos[0].line + 1})`;
}

/** White space around a title belongs to it where it is quoted. */
function titleText(node: Scalar): string | undefined {
  const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  return isQuoted ? textOf(node) : textOf(node)?.trim();
}

function wordOf(value: unknown): unknown {
  return isScalar(value) ? textOf(value) : value;
}

/** How the core schema writes null; in the failsafe schema they are texts. */
const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);

function textOf({ value, type, tag }: Scalar): string | undefined {
  if (typeof value !== 'string') return undefined;
  const isNull = type === 'PLAIN' && tag === undefined && nulls.has(value);
  return isNull ? undefined : value;
}

function repeatedTitle(times: number): Notice {
  return {
    kind: 'repeated-title',
    message: `"title" stands ${times} times; the last one is used.`,
  };
}
