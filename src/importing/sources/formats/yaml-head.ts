import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Node, Scalar, YAMLMap, YAMLParseError } from 'yaml';
import { ValidationError, type ReadingOptions } from '../source.ts';
import { isSignName, signsOf, type Member } from '../publicity-signs.ts';
import { membersNamed, repeatedTitle, signsInBrokenText, withNamed } from './front-matter.ts';
import type { Head, Title } from './front-matter.ts';

/**
 * Reads YAML front matter with every scalar as the text that was typed (`1.10`, `No`, dates): the
 * failsafe schema. Aliases are never expanded, so a bomb of them costs nothing. Where strict YAML
 * fails, the title is read alone; of every other member only a sign that it is not public counts.
 */
export function readYamlHead(text: string, options?: ReadingOptions): Head {
  const plain = plainHead(text, options);
  if (plain !== undefined) return plain;
  const strict = parsed(text);
  const lenient = strict.errors.length === 0 ? strict : parsed(withQuotedIndented(text));
  const document = lenient.errors.length === 0 ? lenient : strict;
  const [error] = document.errors;
  if (error === undefined && (document.contents === null || isMap(document.contents)))
    return headOf(document, options);
  return {
    signs: signsInBrokenText(text, options),
    title: () => titleAlone(text, error && problemOf(error, text)),
  };
}

/** More brackets in each other nobody writes, and the parser takes seconds for them. */
export function parsed(text: string): Document.Parsed {
  try {
    let depth = 0;
    for (const [sign] of text.matchAll(/[[\]{}]/g)) {
      depth = Math.max(0, depth + (sign === '[' || sign === '{' ? 1 : -1));
      if (depth > 500) throw new RangeError();
    }
    // What a key means that stands twice is decided below. Each error with an excerpt costs what is long.
    return parseDocument(text, { schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ValidationError('front-matter', 'The YAML is nested too deeply to be read.');
  }
}

/** A quoted text may go on in lines that are not indented: not in YAML 1.2, but for libyaml. */
function withQuotedIndented(text: string): string {
  return text.replaceAll(quotedMember, (member) => member.replaceAll(/\n(?=\S)/g, '\n '));
}

const word = String.raw`[\p{L}\p{N}][\p{L}\p{N}_-]*`;
const quotable = String.raw`\p{C}\p{Zl}\p{Zp}`;
/**
 * A member in the plainest YAML there is: a text on one line, in which no sign may mean anything else,
 * or a list of words. Most posts have no others, and the parser costs more than the rest of a post.
 */
const plainMember = new RegExp(
  String.raw`([A-Za-z_][\w-]{0,60}):(?: +(?:"([^${quotable}"\\]*)"|'([^${quotable}']*)'|` +
    String.raw`([\p{L}\p{N}](?:[^\p{C}\p{Z}:#]|:(?=[^\p{C}\p{Z}])| +(?=[^\p{C}\p{Z}#]))*)|` +
    String.raw`(\[(?:${word}(?:, ?${word})*)?\])))? *\n((?:  - ${word} *\n)*|(?:- ${word} *\n)*)`,
  'uy',
);

/** As the parser has it; undefined where that is needed. */
function plainHead(text: string, options: ReadingOptions | undefined): Head | undefined {
  const members: Member[] = [];
  const namesSigns = Object.keys(options?.map ?? {}).length > 2;
  for (plainMember.lastIndex = 0; plainMember.lastIndex < text.length;) {
    const found = plainMember.exec(text);
    if (found === null) return undefined;
    const { 0: all, 1: key = '', 2: double, 3: single, 4: plain, 5: list, 6: items = '' } = found;
    const value = double ?? single ?? (plain === undefined || nulls.has(plain) ? null : plain);
    if (list !== undefined || items !== '') {
      const isRead = isSignName(key) || namesSigns || /^(?:title|article)$/i.test(key);
      if (isRead || (items !== '' && /^[^:]*: *\S/.test(all))) return undefined;
    }
    members.push({ key, value });
  }
  const titles = membersNamed(members, 'title');
  const article = membersNamed(members, 'article').at(-1)?.value;
  const title = titles.at(-1)?.value;
  return {
    signs: signsOf(withNamed(members, options)),
    article: typeof article === 'string' ? article : undefined,
    title: () => ({
      text: typeof title === 'string' ? title : undefined,
      notices: titles.length > 1 ? [repeatedTitle(titles.length)] : [],
    }),
  };
}

function headOf(document: Document.Parsed, options: ReadingOptions | undefined): Head {
  const resolved = resolverOf(document);
  const { members, mergesOther } = membersOf(document, resolved);
  const titles = membersNamed(members, 'title');
  const article = membersNamed(members, 'article').at(-1)?.value;
  return {
    signs: signsOf(withNamed(members, options), (value) => valueOf(value, resolved)),
    article: isScalar(article) ? textOf(article) : undefined,
    title() {
      if (mergesOther)
        throw new ValidationError('front-matter', 'What "<<" merges is not a mapping.');
      return {
        text: titleOf(resolved(titles.at(-1)?.value)),
        notices: titles.length > 1 ? [repeatedTitle(titles.length)] : [],
      };
    },
  };
}

type Resolve = (node: unknown) => unknown;

/** What an alias stands for: the node that had its name last. Found for all of them in one pass. */
function resolverOf(document: Document.Parsed): Resolve {
  const named = new Map<string, Node>();
  const nodes = new Map<Node, Node | undefined>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) nodes.set(node, named.get(node.source));
      else if (node.anchor !== undefined) named.set(node.anchor, node);
    },
  });
  return (node) => (isAlias(node) ? nodes.get(node) : node);
}

/**
 * The members of the front matter, and those it merges (`<<`) under names that it has not itself; of
 * several mappings the first counts. Each mapping is looked into once, so circles end.
 */
function membersOf({ contents }: Document.Parsed, resolved: Resolve) {
  const members: Member[] = [];
  const known = new Set<string>();
  const seen = new Set<unknown>();
  let mergesOther = false;
  const pending: unknown[] = [contents];
  while (pending.length > 0) {
    const map = resolved(pending.pop());
    if (seen.has(map)) continue;
    seen.add(map);
    if (isSeq(map)) for (const item of map.items.toReversed()) pending.push(item);
    else if (!isMap(map)) mergesOther ||= map !== null;
    else {
      const { own, merged } = partsOf(map, resolved);
      for (const each of own) if (!known.has(each.key)) members.push(each);
      for (const { key } of own) known.add(key);
      for (const each of merged.toReversed()) pending.push(each);
    }
  }
  return { members, mergesOther };
}

function partsOf({ items }: YAMLMap, resolved: Resolve) {
  const own: Member[] = [];
  const merged: unknown[] = [];
  for (const { key, value } of items) {
    const name = resolved(key);
    if (!isScalar(name)) continue;
    const text = textOf(name) ?? String(name.value);
    const said = resolved(value);
    const isNull = isScalar(said) && textOf(said) === undefined;
    if (text === '<<') merged.push(value);
    else own.push({ key: text, value: isNull ? null : value });
  }
  return { own, merged };
}

function titleOf(node: unknown): string | undefined {
  if (node === undefined || node === null) return undefined;
  if (isScalar(node)) return titleText(node);
  const what = isMap(node) ? 'a mapping' : 'a list';
  throw new ValidationError('title', `The "title" is not a text but ${what}.`);
}

function titleAlone(text: string, problem: string | undefined): Title {
  if (problem === undefined)
    throw new ValidationError('front-matter', 'The YAML is not a list of "name: value" members.');
  const node = yamlTitleAlone(text);
  if (node === undefined)
    throw new ValidationError('front-matter', `The YAML cannot be read: ${problem}`);
  const message = `Only the title was read, the YAML around it is broken: ${problem}`;
  return { text: titleText(node), notices: [{ kind: 'title-read-alone', message }] };
}

/** What is wrong; the line is that of the file. */
function problemOf({ message, pos: [at] }: YAMLParseError, text: string): string {
  const reason = message.startsWith('Nested')
    ? 'a text with ": " in it must be in quotes'
    : message;
  return `${reason} (line ${text.slice(0, at).split('\n').length + 1})`;
}

/** White space around a title belongs to it where it is quoted. */
function titleText(node: Scalar): string | undefined {
  return String(node.type).startsWith('QUOTE_') ? textOf(node) : textOf(node)?.trim();
}

/** Of what a sign may say; deeper than a date is wrapped nothing is looked into. */
function valueOf(node: unknown, resolved: Resolve, depth = 0): unknown {
  const value = resolved(node);
  if (isScalar(value)) return textOf(value);
  if (depth > 3 || !(isMap(value) || isSeq(value))) return value;
  const inner = (each: unknown) => valueOf(each, resolved, depth + 1);
  if (isSeq(value)) return value.items.slice(0, 20).map(inner);
  const pairs = value.items
    .slice(0, 20)
    .map((each) => [String(inner(each.key)), inner(each.value)]);
  return Object.fromEntries(pairs);
}

/** How the core schema writes null; in the failsafe schema they are texts. */
const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);
const nullTag = 'tag:yaml.org,2002:null';

/** Of a value with a tag (`!!timestamp 2020-01-01`) too the text that was typed. */
function textOf({ value, source, type, tag }: Scalar): string | undefined {
  if (value === null || tag === nullTag) return undefined;
  const text = typeof value === 'string' ? value : source;
  const isNull = type === 'PLAIN' && tag === undefined && nulls.has(text ?? '');
  return isNull ? undefined : text;
}

const titleLine = /^(["']?)(title)\1[ \t]*:(?=[ \t\r\n]|$)/gim;

/**
 * The title of front matter that is not YAML as a whole: the member that begins a line with
 * `title:`, taken by itself. Real blogs continue quoted titles in the first column, which YAML
 * forbids and their generators accept. Undefined where even that member cannot be read.
 */
function yamlTitleAlone(text: string): Scalar | undefined {
  const found = [...text.matchAll(titleLine)];
  const match = found.findLast(([, , name]) => name === 'title') ?? found[0];
  if (match === undefined) return undefined;
  const rest = text.slice(match.index + match[0].length);
  return readMember(quotedValue.exec(rest)?.[0] ?? plainValue(rest));
}

/** From the opening to the closing quote, over as many lines as it takes. */
const quotedText = String.raw`(?:"(?:[^"\\]|\\[^])*"|'(?:[^']|'')*')`;
const quotedMember = new RegExp(String.raw`^[\w-]+: +${quotedText}`, 'gm');
const quotedValue = new RegExp(String.raw`^[ \t]*${quotedText}[^\n]*`);

/** The rest of the line and the indented lines below it. */
function plainValue(rest: string): string {
  return /^[^\n]*(?:\n(?:[ \t]+[^\n]*|\r?(?=\n)))*/.exec(rest)?.[0] ?? '';
}

function readMember(value: string): Scalar | undefined {
  const document = parsed(`title: ${value.replaceAll('\n', '\n  ')}\n`);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const title = document.contents.get('title', true);
  return isScalar(title) && title.value !== null ? title : undefined;
}
