import { isAlias, isMap, isScalar, parseDocument, type Document, type YAMLParseError } from 'yaml';

import { membersNamed, saysDraft, type Head } from './head.ts';
import { Flaw, type Notice } from '../source.ts';
import { yamlTitleAlone } from './yaml-title-alone.ts';

type Member = { readonly key: string; readonly value: unknown };

/**
 * Reads YAML front matter with every scalar as the text that was typed (`1.10`, `No`, dates): the
 * failsafe schema. Aliases are never expanded, so a bomb of them costs nothing. Where strict YAML
 * fails, the title is read alone; every other member is left.
 */
export function readYamlHead(text: string): Head {
  const document = parseYaml(text);
  const [error] = document.errors;
  return error === undefined ? headOf(document) : readTitleAlone(text, troubleOf(error));
}

/** YAML in the failsafe schema, duplicate keys allowed: what they mean is decided by the reader. */
export function parseYaml(text: string): Document.Parsed {
  return parseDocument(text, { schema: 'failsafe', uniqueKeys: false, prettyErrors: true });
}

function headOf(document: Document.Parsed): Head {
  const members = membersOf(document);
  const titles = membersNamed(members, 'title');
  return {
    title: scalarText('title', titles.at(-1)?.value, document),
    draft: saysDraft(lastText(members, 'draft'), lastText(members, 'published')),
    notices: titles.length > 1 ? [repeatedTitle(titles.length)] : [],
  };
}

/** What is wrong, without the excerpt; the line is that of the file. */
function troubleOf({ message, linePos }: YAMLParseError): string {
  const [reason = message] = message.split(/ at line \d+|\n/);
  return linePos === undefined ? reason : `${reason} (line ${linePos[0].line + 1})`;
}

function readTitleAlone(text: string, trouble: string): Head {
  const title = yamlTitleAlone(text);
  if (title === undefined) throw new Flaw('front-matter', `The YAML cannot be read: ${trouble}`);
  const message = `Only the title was read, the YAML around it is broken: ${trouble}`;
  return { title, draft: false, notices: [{ kind: 'title-read-alone', message }] };
}

function membersOf(document: Document.Parsed): readonly Member[] {
  if (document.contents === null) return [];
  if (!isMap(document.contents)) {
    throw new Flaw('front-matter', 'The YAML is not a list of "name: value" members.');
  }
  return document.contents.items.flatMap(({ key, value }) =>
    isScalar(key) ? [{ key: String(key.value), value }] : [],
  );
}

function scalarText(name: string, value: unknown, document: Document.Parsed): string | undefined {
  const node = isAlias(value) ? value.resolve(document) : value;
  if (node === undefined || node === null) return undefined;
  if (isScalar(node)) return textOf(node.value);
  throw new Flaw(
    'title',
    `The "${name}" is not a text but ${isMap(node) ? 'a mapping' : 'a list'}.`,
  );
}

function lastText(members: readonly Member[], name: string): string | undefined {
  const value = membersNamed(members, name).at(-1)?.value;
  return isScalar(value) ? textOf(value.value) : undefined;
}

/** In the failsafe schema a scalar is its text; only one left empty is null. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function repeatedTitle(times: number): Notice {
  return {
    kind: 'repeated-title',
    message: `"title" stands ${times} times; the last one is used.`,
  };
}
