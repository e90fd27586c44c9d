import { identify, identityBy, isExported, memberNamed, type Identity } from '../identity.ts';
import { textOf } from '../words.ts';
import { isSignName, namedSigns, reasonIn, type Member } from '../publicity-signs.ts';
import {
  checkText,
  checkTitle,
  ValidationError,
  rejectOf,
  type Entry,
  type SourcePosition,
  type ReadingOptions,
} from '../source.ts';
import { jsonMembers, parsed } from './json-scanner.ts';
import { membersOf } from './front-matter.ts';
import { signsInContent } from './markdown.ts';

/** What stands at one place of a source of records, already parsed, and its number there. */
export type Item = {
  readonly place: SourcePosition;
  readonly value: unknown;
  /** Of the value, with those whose names stand twice. Looked at for signs that it is not public. */
  readonly members: () => readonly Member[];
};

/** A JSON value as an entry: members named by `map` are title and content, both texts. */
export function entryOfRecord(item: Item, options: ReadingOptions): Entry {
  const { place, value } = item;
  try {
    return recordOf(item, options);
  } catch (error) {
    const identity = isObject(value) ? identityOf(value, place, options) : unnamed(place);
    return rejectOf(error, { identity, place, record: value });
  }
}

/** All that is known of a record that cannot be read: where it stands. */
export function unnamed({ source }: SourcePosition): Identity {
  return identify('record', {}, { file: source });
}

function recordOf({ place, value, members }: Item, options: ReadingOptions): Entry {
  if (!isObject(value))
    throw new ValidationError('syntax', `Not an object but ${describe(value)}.`);
  const { map, keyField } = options;
  const skipped = reasonToSkip({ place, value, members }, options);
  if (skipped !== undefined)
    return { kind: 'skip', place, identity: identityOf(value, place, options), ...skipped };
  if (keyField !== undefined) requireKey(value, keyField);
  return {
    kind: 'record',
    identity: identityOf(value, place, options),
    place,
    title: checkTitle(textMember(value, map.title, 'title')),
    content: checkText('content', textMember(value, map.content, 'content')),
    article: addressIn(value),
  };
}

/** Few records do: for all others nothing is made. */
function saysSomething(value: Record<string, unknown>): boolean {
  for (const name in value) if (isSignName(name)) return true;
  return false;
}

/** Where it says it comes from: its address as we write it, else as HAL has it. */
function addressIn(value: Record<string, unknown>): string | undefined {
  const address = value['url'] ?? value['address'] ?? memberAt(value, '_links.self.href');
  return typeof address === 'string' ? address : undefined;
}

/** Any member may say that the record is not public, and any beside its title or content. */
function reasonToSkip(
  { value, members }: Item & { readonly value: Record<string, unknown> },
  options: ReadingOptions,
): ReturnType<typeof reasonIn> {
  const named = namedSigns(
    options,
    (path) => memberAt(value, path) ?? memberNamed(value, path.toLowerCase()),
  );
  const inner = [...membersBeside(value, options), ...draftSigns(value), ...named];
  const { map, beside = [], statuses } = options;
  const text = isExported(value) ? undefined : memberAt(value, map.content);
  const own = [...inner, ...signsInContent(text, map.content)];
  const isPlain = own.length + beside.length === 0 && statuses === undefined;
  if (isPlain && !saysSomething(value)) return undefined;
  const said = [...members(), ...own];
  // Its place makes no draft of what is no record.
  if (!holdsText(value, options) && reasonIn(said, options) === undefined) return undefined;
  return reasonIn([...said, ...beside], options);
}

/** Of its id in Sanity: `drafts.<id>`, in a release `versions.<release>.<id>`; in TiddlyWiki of what it is a draft of. */
function draftSigns(value: Record<string, unknown>): readonly Member[] {
  const { _id: id, 'draft.of': draftOf, sys } = value;
  const isDraft = typeof id === 'string' && /^(?:drafts|versions)\./.test(id);
  return [
    ...(isDraft ? [{ key: 'draft', name: '_id', value: id }] : []),
    ...(textOf(draftOf) === '' ? [] : [{ key: 'draft', name: 'draft.of', value: true }]),
    ...(isObject(sys) && sys['type'] === 'Entry' ? signsOfContentful(sys) : []),
  ];
}

/** What is managed there has a version, and another one once it is public. */
function signsOfContentful(sys: Record<string, unknown>): readonly Member[] {
  const isDraft = sys['version'] !== undefined && sys['publishedVersion'] === undefined;
  const draft = { key: 'draft', name: 'sys.publishedVersion', value: isDraft };
  return [draft, ...membersOf(sys).map((each) => ({ ...each, name: `sys.${each.key}` }))];
}

/** `publishedAt` stands beside `attributes.title` in what Strapi exports. */
function membersBeside(value: Record<string, unknown>, { map }: ReadingOptions): readonly Member[] {
  if (!map.title.includes('.') && !map.content.includes('.')) return [];
  const inner = [map.title, map.content].filter(
    (path) => path.includes('.') && !Object.hasOwn(value, path),
  );
  const holders = new Set(inner.map((path) => memberAt(value, path.replace(/\.[^.]*$/, ''))));
  return [...holders]
    .filter(isObject)
    .flatMap(Object.entries<unknown>)
    .map(([key, member]) => ({ key, value: member }));
}

function identityOf(
  value: Record<string, unknown>,
  { source: file }: SourcePosition,
  { keyField }: ReadingOptions,
): Identity {
  if (keyField === undefined) return identify('record', value, { file });
  const key = memberAt(value, keyField);
  return isKey(key)
    ? identityBy(keyField, String(key), { file })
    : unnamed({ source: file, position: 0 });
}

/** Whether a value has the title or the content of a record. */
export function holdsText(value: unknown, { map }: ReadingOptions): boolean {
  if (!isObject(value)) return false;
  return [map.title, map.content].some((path) => memberAt(value, path) !== undefined);
}

function textMember(
  value: Record<string, unknown>,
  path: string,
  name: 'title' | 'content',
): string {
  const found = memberAt(value, path);
  if (typeof found === 'string') return found;
  if (found !== undefined) {
    throw new ValidationError(name, `The member "${path}" is not a text but ${describe(found)}.`);
  }
  const usual = name === 'title' ? /^(?:post_title|name)$/i : /^(?:post_content|body|text)$/i;
  const members = Object.keys(value).slice(0, 12);
  const likely = members.find((member) => usual.test(member)) ?? '…';
  const there = `Members here: ${members.join(', ') || 'none'}. Choose with --map ${name}=${likely}`;
  throw new ValidationError(name, `No member "${path}". ${there}`);
}

function requireKey(value: Record<string, unknown>, keyField: string): void {
  const key = memberAt(value, keyField);
  if (isKey(key)) return;
  throw new ValidationError(
    'identity',
    `The key "${keyField}" is ${describe(key)}, not a text or number.`,
  );
}

function isKey(key: unknown): key is string | number {
  return (typeof key === 'string' && key.trim() !== '') || typeof key === 'number';
}

/** A member by its own name, else by a path of names: `body.raw`. */
function memberAt(value: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(value, path)) return value[path];
  if (!path.includes('.')) return undefined;
  return path.split('.').reduce<unknown>((inner, name) => {
    return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/**
 * A JSON text as its value; a ValidationError with the parser's reason where it is none. A whole number that
 * JavaScript could not tell from its neighbours (beyond 2^53) is the text of its digits.
 */
export function parseJson(text: string): unknown {
  const value = withinDepth(parsed(text));
  return holdsLongNumber(value) ? parsed(withExactNumbers(text)) : value;
}

/**
 * The members of a parsed object; of signs that it is not public those too whose names stand twice
 * in its text, of which a parser keeps only the last.
 */
export function membersOfJson(value: unknown, text: string): readonly Member[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = membersOf(value);
  if (!members.some(({ key }) => isSignName(key) && !standsOnce(key, text))) return members;
  return jsonMembers(text).flatMap((member) => membersOf(JSON.parse(`{${member}}`)));
}

/** A name may also stand in a text or deeper, or be written with escapes. */
function standsOnce(name: string, text: string): boolean {
  const written = JSON.stringify(name);
  const first = text.indexOf(written);
  return first !== -1 && !text.includes(written, first + 1);
}

/** Seen in what was parsed, because looking through every text takes as long as parsing it. */
function holdsLongNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsLongNumber);
}

/** Of valid JSON; what stands in its strings is left alone. */
function withExactNumbers(text: string): string {
  let inString = false;
  return text.replaceAll(/\\[^]|"|-?\d[\d.eE+-]*/g, (sign) => {
    if (sign === '"') inString = !inString;
    const isWhole = !inString && /^-?\d{16,}$/.test(sign);
    return isWhole && !Number.isSafeInteger(Number(sign)) ? `"${sign}"` : sign;
  });
}

function withinDepth(value: unknown): unknown {
  if (!isDeeper(value, mostLevels)) return value;
  throw new ValidationError(
    'syntax',
    `Nested in more than ${mostLevels} levels, which no article is.`,
  );
}

/** What is deeper cannot be written again without running out of stack. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
