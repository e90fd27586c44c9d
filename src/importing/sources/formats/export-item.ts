import { basename } from 'node:path';

import { withoutAccents } from '../dates.ts';
import { fileKind } from '../file-kind.ts';
import { identify, identityBy, type Identity, type RecordKind } from '../identity.ts';
import { firstReason, isPlainObject, type PublicitySigns } from '../publicity.ts';
import { abroad, plainWords, textOf } from '../words.ts';
import { isSignName, reasonIn, signsOf, type Member } from '../publicity-signs.ts';
import {
  checkText,
  checkTitle,
  ValidationError,
  rejectOf,
  type Entry,
  type SourcePosition,
  type ReadingOptions,
  type SkipEntry,
} from '../source.ts';

/** An item of an export or a feed, as its own format understands it. */
export type ExportItem = {
  readonly kind: RecordKind;
  /** `post`, `page`, `attachment`, `comment` … */
  readonly type: string;
  /** Any of them may say that it is not public. */
  readonly signs: readonly PublicitySigns[];
  /** What it may be known by. */
  readonly names: Readonly<Record<string, unknown>>;
  readonly site?: string | undefined;
  readonly title?: string | undefined;
  /** A ValidationError where there is none, or none that is text. */
  content(): string;
  /** The first line of its text that a reader sees, where it may stand for a title. */
  readonly firstLine?: () => string | undefined;
  /** What is left of it where it is rejected. */
  record(): unknown;
};

/** The entry of an item; what is no post or not public is skipped before it is looked at further. */
export function entryOfExportItem(
  item: ExportItem,
  place: SourcePosition,
  options: ReadingOptions,
): Entry {
  const reason = reasonToSkip(item, options);
  const identity = identityOf(item, place, options);
  if (reason !== undefined) return { kind: 'skip', place, identity, ...reason };
  try {
    requireKey(item, options);
    const title = titleOf(item, options);
    return {
      kind: 'record',
      identity,
      place,
      title,
      content: checkText('content', item.content()),
    };
  } catch (error) {
    return rejectOf(error, { identity, place, record: item.record() });
  }
}

function reasonToSkip(
  { type, signs }: ExportItem,
  options: ReadingOptions,
): Pick<SkipEntry, 'reason' | 'sign'> | undefined {
  options.found?.(`type ${type}`);
  if (!(options.types ?? ['post']).includes(type)) return { reason: `type ${type}` };
  return reasonBeside(signs, options);
}

/** Jekyll has a folder for drafts, others call it alike; Medium puts the word before the name. Of `_a.md` they make no page. */
const [draft, unpublished, secret] = [abroad.draft, abroad.unpublished, abroad.private].map(
  (list) =>
    plainWords(list)
      .join('|')
      .replaceAll(/(?<=^|\|)(?:nicht|non|niet|no|nao)(?=p|v|g|o)/g, '$&[-_ ]?'),
);
/** Of what has no capitals each may be a word of a title. */
const inCapitals = plainWords(abroad.draft)
  .filter((word) => word !== word.toUpperCase())
  .map((word) => word.toUpperCase())
  .join('|');
export const pathSigns = {
  path: new RegExp(
    String.raw`(?:^|/)(?:(?:_?(?:drafts?|${draft})|drafts[-_ ][^/]*|unpublished|${unpublished}|_(?:private|${secret})|_?trash)/` +
      String.raw`|(?:draft|${draft})_[^/]*$)|\.(?:draft|${draft})\.\w+$`,
    'i',
  ),
  kindAndName: new RegExp(String.raw`^(?:post:_|data:(?:drafts|${draft})\.)`, 'i'),
  word: new RegExp(`(?:^|/)(?:DRAFT|${inCapitals})[-_ ][^/]*$`),
};

/** What in a path says that what stands there is not public; what may be a word of a title (`draft-horses.md`) does not. */
export function draftIn(path: string): string | undefined {
  const plain = withoutAccents(path);
  if (pathSigns.kindAndName.test(`${fileKind(path)}:${basename(plain)}`)) return basename(path);
  const found = pathSigns.path.exec(plain) ?? pathSigns.word.exec(plain);
  // As it is written: only the slashes stand where they stood.
  const before = found && plain.slice(0, found.index + found[0].search(/[^/]/));
  return before === null ? undefined : path.split('/')[before.split('/').length - 1];
}

/** What a path says counts beside what stands there. */
export function withPath(options: ReadingOptions, path: string): ReadingOptions {
  const value = draftIn(path);
  return value === undefined ? options : withSign(options, { name: 'path', value });
}

export function withSign(
  options: ReadingOptions,
  { name, value }: { readonly name: string; readonly value: string },
): ReadingOptions {
  return { ...options, beside: [...(options.beside ?? []), { key: 'draft', name, value }] };
}

/** Why a record is not public by what it says itself and by what is said beside it; a draft there is one of any state. */
export function reasonBeside(
  signs: readonly PublicitySigns[],
  options: ReadingOptions,
): ReturnType<typeof reasonIn> {
  const { now } = options;
  const beside = (options.beside ?? []).filter((each) => !isOverruled(each, signs));
  const isDraft = reasonIn(beside, { drafts: false, now })?.reason === 'draft';
  const own = firstReason(
    isDraft ? signs.map((each) => ({ ...each, draft: true })) : signs,
    options,
  );
  const other = beside.length === 0 ? undefined : reasonIn(beside, options);
  return own === undefined || own === other?.reason ? other : { reason: own };
}

/** Whether a record says itself what the settings of its site say of those that do not. */
function isOverruled({ isDefault, ...member }: Member, own: readonly PublicitySigns[]): boolean {
  if (isDefault !== true) return false;
  const [said] = signsOf([member]);
  return (['draft', 'published'] as const).some(
    (sign) => said?.[sign] !== undefined && own.every((each) => textOf(each[sign]) !== ''),
  );
}

export type Scope = {
  /** Undefined where it cannot be read. */
  readonly said: readonly Member[] | undefined;
  /** Whether it is of the post of this path, seen from the folder of the settings. */
  readonly holds: (path: string) => boolean;
};

/** `{scope: {path: _posts/old, type: posts}, values: {published: false}}` */
export function scopeOfJekyll({ scope, values }: Record<string, unknown>): Scope {
  const { path, type } = isPlainObject(scope) ? scope : {};
  const kind = textOf(type).replace(/s$/, '');
  const holds = (file: string) => {
    const folders = [...file.matchAll(/(?:^|\/)_([^/]+?)s?(?=\/)/g)].map(([, name]) => name);
    // What was moved out of its folder may have been a post.
    const isBoth = folders.length === 0 && /^(?:post|page)$/.test(kind);
    return (kind === '' || isBoth || folders.includes(kind)) && isBelow(file, path);
  };
  return { said: signsAmong(values), holds };
}

/** `{target: {path: /old/**, kind: page}, draft: true}` */
export function scopeOfHugo(cascade: Record<string, unknown>): Scope {
  const target = cascade['target'] ?? cascade['_target'];
  const { path, kind } = isPlainObject(target) ? target : {};
  const isOfPages = /^$|page|\*/i.test(textOf(kind));
  return { said: signsAmong(cascade), holds: (file) => isOfPages && isBelow(file, path) };
}

function signsAmong(values: unknown): readonly Member[] {
  if (!isPlainObject(values)) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    isSignName(key) ? [{ key, value, isDefault: true }] : [],
  );
}

/** As far as a pattern is plain; in whatever folder the site keeps its posts. */
function isBelow(file: string, pattern: unknown): boolean {
  const [plain = ''] = textOf(pattern).split(/[*?[{\\]/, 1);
  return `/${folded(file)}`.includes(`/${folded(plain)}`);
}

/** Hugo has its paths in lower case, without blanks. */
function folded(path: string): string {
  return path
    .replace(/^\.?\/+/, '')
    .toLowerCase()
    .replaceAll(' ', '-');
}

function identityOf(
  { kind, names, site }: ExportItem,
  { source: file }: SourcePosition,
  { keyField }: ReadingOptions,
): Identity {
  const key = keyField === undefined ? '' : keyOf(names, keyField);
  return keyField === undefined || key === ''
    ? identify(kind, names, { file, site })
    : identityBy(keyField, key, { file, site });
}

function requireKey({ names }: ExportItem, { keyField }: ReadingOptions): void {
  if (keyField === undefined || keyOf(names, keyField) !== '') return;
  const known = Object.keys(names).filter((name) => keyOf(names, name) !== '');
  throw new ValidationError(
    'identity',
    `The item has no "${keyField}". It has: ${known.slice(0, 12).join(', ') || 'none'}.`,
  );
}

function keyOf(names: ExportItem['names'], keyField: string): string {
  const value = Object.hasOwn(names, keyField) ? names[keyField] : undefined;
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

function titleOf({ title = '', firstLine }: ExportItem, { titleFrom }: ReadingOptions): string {
  const found = title.trim() === '' && titleFrom === 'line' ? firstLine?.() : title;
  if (found !== undefined && found.trim() !== '') return checkTitle(found);
  const instead = titleFrom === undefined && firstLine !== undefined;
  const hint = instead ? ' --title-from line takes the first line of its text.' : '';
  throw new ValidationError('title', `The item has no title.${hint}`);
}

const metaOfPage =
  /<meta\s(?=[^<>]{0,300}\bname\s{0,9}=\s{0,9}["']?(draft|published|status|date)["'\s/>])[^<>]{0,300}\bcontent\s{0,9}=\s{0,9}(?:"([^"<>]{0,300})"|'([^'<>]{0,300})')/gi;

/** What a page of HTML says of itself as Pelican reads it, in lines of names and values. */
export function linesOfMeta(html: string): string {
  return [...html.slice(0, 1 << 16).matchAll(metaOfPage)]
    .map(([, name, double, single]) => `${name}: "${double ?? single}"\n`)
    .join('');
}
