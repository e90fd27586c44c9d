import { crc32 } from 'node:zlib';
import {
  BRACE,
  DASH,
  ETAG,
  QUOTE,
  digitAt,
  holdsAt,
  AFTER_REVISION,
  ID,
  lineStart,
  noLineStart,
  TAG,
} from './line-bytes.ts';

/** What a byte says as a lower-case hexadecimal digit; -1 where it is none. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte)),
);

/** The crc32 of these bytes, or of what went before and these bytes. */
export function checksum(bytes: Uint8Array | string, before = 0): number {
  return crc32(bytes, before);
}

/** Eight lower-case hexadecimal digits, as the file has them. */
export function checksumText(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** Eight lower-case hexadecimal digits as a number; -1 where they are others. */
export function checksumAt(bytes: Buffer, start: number): number {
  const low = lowAt(bytes, start + 4);
  const high = lowAt(bytes, start);
  return low < 0 || high < 0 ? -1 : high * 65_536 + low;
}

/** Four digits of them; negative where they are others. */
function lowAt(bytes: Buffer, start: number): number {
  return (
    (hexDigitAt(bytes, start) << 12) |
    (hexDigitAt(bytes, start + 1) << 8) |
    (hexDigitAt(bytes, start + 2) << 4) |
    hexDigitAt(bytes, start + 3)
  );
}

function hexDigitAt(bytes: Buffer, at: number): number {
  return DIGITS[bytes[at] ?? 0] ?? -1;
}

/**
 * By what a line is known again, of its checksum: 16 bits, so that an index of a million has room for
 * it; never 0, which stands for none.
 */
export function markOf(crc: number): number {
  return crc < 0 ? 0 : crc & 0xffff || 1;
}

/** That of a line, by the tag at its end. */
export function markAt(bytes: Buffer, lineEnd: number): number {
  return markOf(lowAt(bytes, lineEnd - 6));
}

/** What the tag of a line says: `<revision>-<crc32>`. */
export type TagValue = { readonly revision: number; readonly crc: number };

/** Whether a line (without comma and newline) is what the store wrote. */
export function checksumHolds(line: Buffer): boolean {
  return checksumStart(line) >= 0;
}

/** Where `,"etag":` begins in a line whose checksum holds, read from its end; else -1. */
export function checksumStart(line: Buffer): number {
  const end = line.length - 2;
  if (line[end] !== QUOTE || line[end + 1] !== BRACE || line[end - 9] !== DASH) return -1;
  let start = end - 10;
  while (digitAt(line, start) >= 0) start -= 1;
  const cut = start + 1 - ETAG.length;
  const revisionLength = end - 10 - start;
  if (cut < 0 || revisionLength < 1 || revisionLength > 15 || !holdsAt(line, ETAG, cut)) return -1;
  return checksumAt(line, end - 8) === checksum(line.subarray(0, cut)) ? cut : -1;
}

const LONGEST_REVISION = 15;
const TAG_AT_END = new RegExp(`${ETAG}${TAG}"\\}$`);
/** Each costs some dozen checksums; a person changes more lines than damage does. */
const MOST_TRIED = 100;

/** The line as it was written, where its own checksum proves that. */
export type Restorer = (line: Buffer) => Buffer | undefined;

/** For one reading of a file. */
export function createRestorer(): Restorer {
  let tried = 0;
  return (line) => ((tried += 1) > MOST_TRIED ? undefined : restored(line));
}

/** A digit of the id or a letter of the word `etag` is all that can be told from the rest. */
function restored(line: Buffer): Buffer | undefined {
  const { id } = lineStart(line, 0, noLineStart());
  const wanted = checksumAt(line, line.length - AFTER_REVISION + 1);
  if (wanted < 0 || !line.toString('latin1', 0, 40).startsWith(`${ID}${id}`)) return undefined;
  if (!TAG_AT_END.test(line.toString('latin1', Math.max(0, line.length - 40))))
    return withTagName(line, wanted);
  const rest = line.subarray(`${ID}${id}`.length, line.lastIndexOf(ETAG));
  const proven = similarIds(id).find(
    (other) => checksum(rest, checksum(`${ID}${other}`)) === wanted,
  );
  return proven === undefined ? undefined : withId(line, proven);
}

function withTagName(line: Buffer, wanted: number): Buffer | undefined {
  for (let digits = 1; digits <= LONGEST_REVISION; digits += 1) {
    const cut = line.length - AFTER_REVISION - digits - ETAG.length;
    if (cut < 0 || checksum(line.subarray(0, cut)) !== wanted) continue;
    const text = [line.subarray(0, cut), Buffer.from(ETAG), line.subarray(cut + ETAG.length)];
    const whole = Buffer.concat(text);
    return checksumHolds(whole) ? whole : undefined;
  }
  return undefined;
}

/** The line of another article than it says. */
function withId(line: Buffer, id: number): Buffer {
  const said = `${ID}${lineStart(line, 0, noLineStart()).id}`;
  return Buffer.concat([Buffer.from(`${ID}${id}`), line.subarray(said.length)]);
}

/** A line that was restored as one of article `id`; undefined where it is another. */
export function restoredAs(line: Buffer, id: number): Buffer | undefined {
  const { id: said } = lineStart(line, 0, noLineStart());
  const whole = said === id ? restored(line) : withId(line, id);
  return whole !== undefined && checksumHolds(whole) ? whole : undefined;
}

/** The ids that differ from this one in one digit: what a damaged digit may have been. */
export function similarIds(id: number): number[] {
  const text = String(id);
  const others: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    for (let digit = at === 0 ? 1 : 0; digit <= 9; digit += 1) {
      const other = Number(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      if (other !== id && Number.isSafeInteger(other)) others.push(other);
    }
  }
  return others;
}
