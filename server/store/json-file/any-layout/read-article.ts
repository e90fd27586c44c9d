import { isUtf8 } from 'node:buffer';
import { checksumHolds, readArticleLine, tagValue } from '../format/article-line.ts';
import { isId } from '../format/parse-head.ts';
import type { Restorer } from '../format/restore-line.ts';
import type { FoundEntry } from '../recovery/entry-list.ts';
import type { ByteWindow } from './byte-window.ts';
import { canonicalLine } from './canonical-line.ts';

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

/** An article in any layout; throws NotAnArticle, or SyntaxError where it is no JSON. */
export function readArticle(
  window: ByteWindow,
  { from, to }: { readonly from: number; readonly to: number },
  restore: Restorer,
): FoundEntry {
  const value: unknown = JSON.parse(utf8(window, from, to));
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { id, blog, title, content, deleted, etag, key } = fields;
  if (!isId(id)) throw new NotAnArticle(from, NO_ID);
  const wrong = (what: string) => new NotAnArticle(from, `Article ${id}: ${what}`);
  if (blog !== undefined && !isId(blog)) throw wrong('"blog" is no id');
  if (deleted !== true && typeof title !== 'string') throw wrong('"title" is no string');
  if (content !== undefined && typeof content !== 'string') throw wrong('"content" is no string');
  const bytes = window.slice(from, to);
  const found = canonicalLine(bytes, 0);
  if (!found.verified && holdsLines(bytes)) throw wrong('other articles stand in it');
  const whole = found.verified ? undefined : restore(bytes);
  const line = readArticleLine(whole ?? found.text);
  return {
    id: whole === undefined ? id : (line?.id ?? id),
    blog,
    dead: deleted === true,
    keyed: key !== undefined,
    ...(tagValue(whole === undefined ? etag : line?.tag) ?? NO_TAG),
    verified: found.verified || whole !== undefined,
    restored: whole !== undefined,
    updatedAt: line?.updatedAt ?? 0,
    offset: from,
    length: to - from,
  };
}

const NO_ID = `An article without an id (a whole number from 1 to ${Number.MAX_SAFE_INTEGER})`;
const NO_TAG = { revision: 0, crc: -1 };
const NEWLINE = 0x0a;
const COMMA = 0x2c;

/** Damage can make one object of many lines: those whose checksums hold are articles themselves. */
function holdsLines(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes.indexOf(NEWLINE, at + 1);
    const start = bytes[at + 1] === COMMA ? at + 2 : at + 1;
    if (checksumHolds(bytes.subarray(start, next < 0 ? bytes.length : next))) return true;
  }
  return false;
}
