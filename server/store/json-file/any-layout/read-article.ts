import { isUtf8 } from 'node:buffer';
import {
  type ArticleLine,
  type ComposedLine,
  composeLine,
  privateMembers,
  readArticleLine,
  tagValue,
} from '../format/article-line.ts';
import { checksumHolds, restoredAs, type Restorer } from '../format/checksum.ts';
import { membersOf } from '../format/head.ts';
import { COMMA, NEWLINE, LAST_TIME, timeOf } from '../format/line-bytes.ts';
import { isId } from '../format/parse-head.ts';
import type { FoundEntry } from '../index/entry-list.ts';
import type { ByteWindow } from './byte-window.ts';

/** A text that is no article; the file is left as it is. */
export class NotAnArticle extends Error {
  override readonly name = 'NotAnArticle';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** The text between two offsets. */
export function utf8(window: ByteWindow, from: number, to: number): string {
  const bytes = window.slice(from, to);
  if (!isUtf8(bytes)) throw new NotAnArticle(from, 'Invalid UTF-8');
  return bytes.toString('utf8');
}

/**
 * An article in any layout; throws NotAnArticle, or SyntaxError where it is no JSON. `lossy`: bytes that
 * are no UTF-8 cost no more than themselves, as where nothing else is left to save.
 */
export function readArticle(
  window: ByteWindow,
  { from, to }: { readonly from: number; readonly to: number },
  restore: Restorer,
  lossy = false,
): FoundEntry {
  const text = lossy ? window.slice(from, to).toString('utf8') : utf8(window, from, to);
  const value: unknown = JSON.parse(text);
  const { id, blog, title, content, deleted, etag, key } = hasMembers(value) ? value : NO_MEMBERS;
  if (!isId(id)) throw new NotAnArticle(from, NO_ID);
  const wrong = (what: string) => new NotAnArticle(from, `Article ${id}: ${what}`);
  if (blog !== undefined && !isId(blog)) throw wrong('"blog" is no id');
  if (deleted !== true && typeof title !== 'string') throw wrong('"title" is no string');
  // Who takes a text out by hand may leave null.
  if (typeof (content ?? '') !== 'string') throw wrong('"content" is no string');
  const bytes = window.slice(from, to);
  const found = canonicalLine(bytes, 0);
  if (!found.verified && holdsLines(bytes)) throw wrong('other articles stand in it');
  const whole = found.verified ? undefined : restore(bytes);
  const line = whole === undefined ? found.line : readArticleLine(whole);
  return {
    id: whole === undefined ? id : (line?.id ?? id),
    blog,
    isTombstone: deleted === true,
    keyed: key !== undefined,
    ...(tagValue(whole === undefined ? etag : line?.tag) ?? NO_TAG),
    verified: found.verified || whole !== undefined,
    restored: whole !== undefined,
    updatedAt: line?.updatedAt ?? 0,
    offset: from,
    length: to - from,
  };
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const NO_MEMBERS: Readonly<Record<string, unknown>> = {};
const NO_ID = `An article without an id (a whole number from 1 to ${Number.MAX_SAFE_INTEGER})`;
const NO_TAG = { revision: 0, crc: -1 };

/** Damage can make one object of many lines: those whose checksums hold are articles themselves. */
function holdsLines(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes.indexOf(NEWLINE, at + 1);
    const start = bytes[at + 1] === COMMA ? at + 2 : at + 1;
    if (checksumHolds(bytes.subarray(start, next < 0 ? bytes.length : next))) return true;
  }
  return false;
}

type CanonicalLine = {
  /** Without comma and newline. */
  readonly text: Buffer;
  readonly line: ArticleLine;
  /** Its checksum held: it is as the store wrote it, though perhaps in another layout. */
  readonly verified: boolean;
};

/**
 * The store's own writing of an article found in any layout; the same for the same bytes and
 * `changedMs`, when the file was last changed. What was changed under its checksum is a new version.
 */
export function canonicalLine(found: Buffer, changedMs: number): CanonicalLine {
  const own = readArticleLine(found);
  if (own !== undefined && isCanonical(found, own))
    return { text: found, line: own, verified: true };
  const members = new Map(membersOf(found.toString('utf8')));
  const parts = partsOf(members);
  const tag = members.get('etag') ?? '""';
  const date = timeOf(textOf(members.get('updated')) ?? '');
  const same = composeLine({ ...parts, updatedAt: date ?? changedMs });
  if (`"${same.line.tag}"` === tag) return { ...textOfLine(same), verified: true };
  const revision = parts.revision + 1;
  const next = composeLine({ ...parts, revision, updatedAt: laterThan(date, changedMs) });
  return { ...textOfLine(next), verified: false };
}

/**
 * A line that was read as `entry`, in the store's own writing; undefined where it is that no more: damage
 * that came after the reading is no change by hand.
 */
export function storedLine(
  found: Buffer,
  { id, verified }: Pick<FoundEntry, 'id' | 'verified'>,
  changedMs: number,
): Buffer | undefined {
  const restored = restoredAs(found, id);
  if (restored !== undefined) return restored;
  try {
    JSON.parse(found.toString('utf8')); // It was JSON when it was found.
    const line = canonicalLine(found, changedMs);
    return line.verified || !verified ? line.text : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Two versions of an article never share a second. */
function laterThan(date: number | undefined, changedMs: number): number {
  return Math.min(LAST_TIME, Math.max(changedMs, (date ?? 0) + 1000));
}

function textOfLine({ bytes, line }: ComposedLine): Pick<CanonicalLine, 'text' | 'line'> {
  return { text: bytes.subarray(1, -1), line };
}

/** A tag with a checksum can only stand on a line of our own writing; what else it needs is that it reads as one. */
function isCanonical(found: Buffer, { id, updatedAt }: ArticleLine): boolean {
  return isId(id) && !Number.isNaN(updatedAt) && !found.includes(NEWLINE);
}

const ORDERED = new Set([
  'id',
  'blog',
  'title',
  'content',
  'deleted',
  'updated',
  'key',
  'locked',
  'etag',
]);

function partsOf(members: ReadonlyMap<string, string>) {
  return {
    id: numberOf(members.get('id')) ?? 0,
    blog: numberOf(members.get('blog')),
    draft: members.get('deleted') === 'true' ? undefined : draftOf(members),
    privates: privateMembers(privateTextOf(members)),
    revision: tagValue(textOf(members.get('etag')))?.revision ?? 0,
  };
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function draftOf(members: ReadonlyMap<string, string>): { title: string; content?: string } {
  const title = textOf(members.get('title')) ?? '';
  const content = textOf(members.get('content'));
  return content === undefined ? { title } : { title, content };
}

function textOf(value: string | undefined): string | undefined {
  const text: unknown = value === undefined ? undefined : JSON.parse(value);
  return typeof text === 'string' ? text : undefined;
}

/** The key first, then the lock, where the store looks for them; then what it does not know. */
function privateTextOf(members: ReadonlyMap<string, string>): string {
  const known = ['key', 'locked'].map((name) => [name, members.get(name)] as const);
  const unknown = [...members].filter(([name]) => !ORDERED.has(name));
  return [...known, ...unknown]
    .map(([name, value]) => (value === undefined ? '' : `,${JSON.stringify(name)}:${value}`))
    .join('');
}
