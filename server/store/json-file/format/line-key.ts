import { digitAt } from './line-start.ts';
import { TIME_LENGTH } from './time-text.ts';

const UPDATED = ',"updated":"';
const ETAG = ',"etag":"';
const KEY = ',"key":["';
const QUOTE = 0x22;
/** Behind the revision: the dash, eight digits, quote and brace. */
const SEAL_LENGTH = 11;
/** From `updated` to what only the store sees. */
const UPDATED_LENGTH = UPDATED.length + TIME_LENGTH + 1;

/**
 * The idempotency key in a line of the store's own writing; undefined where it has none. Of most
 * lines a glance at their end tells that, where the date stands right before the tag.
 */
export function keyOfLine(bytes: Buffer, start: number, end: number): string | undefined {
  let digit = end - SEAL_LENGTH - 1;
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
