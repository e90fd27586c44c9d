/** The members of a line as the store writes them, each up to its value. */
export const ID = '{"id":';
export const BLOG = ',"blog":';
export const TOMBSTONE = ',"deleted":true';
export const UPDATED = ',"updated":"';
export const KEY = ',"key":["';
export const LOCKED = ',"locked":true';
export const ETAG = ',"etag":"';
/** A tag, as text of a pattern: revision and checksum. */
export const TAG = String.raw`\d{1,15}-[0-9a-f]{8}`;
/** Behind the revision: the dash, eight digits, quote and brace. */
export const AFTER_REVISION = 11;
export const NEWLINE = 0x0a;
export const COMMA = 0x2c;
export const QUOTE = 0x22;
export const DASH = 0x2d;
export const BRACE = 0x7d;
const ZERO = 0x30;

type LineStart = { id: number; blog: number | undefined; isTombstone: boolean };

/**
 * What the first members of a line in the store's own writing say. Takes the object it fills, for
 * opening a file of a million lines would otherwise leave a million objects to be collected.
 */
export function lineStart<T extends LineStart>(bytes: Buffer, start: number, into: T): T {
  let at = start + ID.length;
  let id = 0;
  for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at))
    id = id * 10 + digit;
  into.id = id;
  into.blog = undefined;
  if (bytes[at + 2] === 0x62 /* b */) {
    at += BLOG.length;
    let blog = 0;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at))
      blog = blog * 10 + digit;
    into.blog = blog;
  }
  into.isTombstone = bytes[at + 2] === 0x64; /* d */
  return into;
}

export function noLineStart(): LineStart {
  return { id: 0, blog: undefined, isTombstone: false };
}

/** -1 where the byte is no decimal digit. */
export function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

export const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** Milliseconds of a date as text; undefined where it is none, or none of four digits a year. */
export function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined;
}

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds of a time as `toISOString` writes it; NaN where the bytes are none. */
export function timeAt(bytes: Buffer, start: number): number {
  return Date.UTC(
    numberAt(bytes, start, 4),
    numberAt(bytes, start + 5, 2) - 1,
    numberAt(bytes, start + 8, 2),
    numberAt(bytes, start + 11, 2),
    numberAt(bytes, start + 14, 2),
    numberAt(bytes, start + 17, 2),
    numberAt(bytes, start + 20, 3),
  );
}

function numberAt(bytes: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = digitAt(bytes, at);
    if (digit < 0) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** From `updated` to what only the store sees. */
const UPDATED_LENGTH = UPDATED.length + TIME_LENGTH + 1;

/**
 * The idempotency key in a line of the store's own writing; undefined where it has none. Of most
 * lines their end tells that, where the date stands right before the tag.
 */
export function keyOfLine(bytes: Buffer, start: number, end: number): string | undefined {
  let digit = end - AFTER_REVISION - 1;
  while (digitAt(bytes, digit) >= 0) digit -= 1;
  const tag = digit + 1 - ETAG.length;
  if (isDateBefore(bytes, tag)) return undefined;
  const updated = bytes.indexOf(UPDATED, start);
  if (updated < 0 || !holdsAt(bytes, KEY, updated + UPDATED_LENGTH)) return undefined;
  const keyStart = updated + UPDATED_LENGTH + KEY.length;
  return bytes.toString('latin1', keyStart, bytes.indexOf(QUOTE, keyStart));
}

function isDateBefore(bytes: Buffer, tag: number): boolean {
  return bytes[tag - 1] === QUOTE && holdsAt(bytes, UPDATED, tag - UPDATED_LENGTH);
}

export function holdsAt(bytes: Buffer, text: string, start: number): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (bytes[start + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** What the end of a line says, its checksum not looked at. */
type LineEnd = {
  readonly tag: string;
  readonly updatedAt: number;
  readonly locked: boolean;
  /** Bytes from where `,"updated"` begins to the end of the line. */
  readonly privateLength: number;
};

/** More than the members after the public ones take where the store knows all of them. */
export const LINE_END_BYTES = 320;

const TIME = `.{${TIME_LENGTH}}`;
const END = new RegExp(
  `${UPDATED}(${TIME})"(?:,"key":\\["[0-9a-f]*","[0-9a-f]*"\\])?(${LOCKED})?${ETAG}(${TAG})"\\}$`,
);

/**
 * Reads the last bytes of a line (without comma and newline); undefined where they do not tell. In a
 * text every quote has a backslash before it, so that this can be nothing but the members.
 */
export function readLineEnd(bytes: Buffer): LineEnd | undefined {
  const found = END.exec(bytes.toString('latin1'));
  const [, updated = '', locked, tag = ''] = found ?? [];
  if (found === null) return undefined;
  return {
    tag,
    updatedAt: Date.parse(updated),
    locked: locked !== undefined,
    privateLength: bytes.length - found.index,
  };
}
