import type { OpenFile } from '../files/file-system.ts';
import { checksum } from '../format/checksum.ts';
import { ARTICLES_START, type Head, membersOf } from '../format/head.ts';
import { parseHead } from '../format/parse-head.ts';

/** Called with one line: `bytes` from `start` to `end`, the newline left out; `offset` in the file. */
export type LineVisitor = (bytes: Buffer, start: number, end: number, offset: number) => void;

export type Scanned = {
  /** Behind the last newline. */
  readonly end: number;
  /** Of the bytes up to there. */
  readonly checksum: number;
};

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** Visits the lines between two offsets, in one pass with the checksum. */
export function scanLines(
  file: OpenFile,
  {
    from,
    to,
    before = 0,
  }: { readonly from: number; readonly to: number; readonly before?: number },
  visit: LineVisitor,
): Scanned {
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, to - from)));
  let position = from;
  let sum = before;
  while (position < to) {
    const wanted = buffer.subarray(0, Math.min(buffer.length, to - position));
    const count = file.read(wanted, position);
    const chunk = wanted.subarray(0, count);
    const whole = visitLines(chunk, position, visit);
    if (whole > 0) {
      sum = checksum(chunk.subarray(0, whole), sum);
      position += whole;
    } else if (count < buffer.length || position + count >= to) {
      break;
    } else {
      buffer = Buffer.allocUnsafe(buffer.length * 2);
    }
  }
  return { end: position, checksum: sum };
}

/** How many bytes the whole lines of a chunk take. */
function visitLines(chunk: Buffer, position: number, visit: LineVisitor): number {
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    visit(chunk, start, end, position + start);
    start = end + 1;
  }
  return start;
}

const HEAD_CHUNK = 64 * 1024;
const MARK = `\n${ARTICLES_START}`;

export type HeadBytes = { readonly head: Head; readonly bytes: Buffer };

/** The head of a file in the store's own layout; undefined where it has another. */
export function readHead(file: OpenFile, size: number, changedMs: number): HeadBytes | undefined {
  for (let length = HEAD_CHUNK; ; length *= 8) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size));
    const count = file.read(bytes, 0);
    const mark = bytes.subarray(0, count).indexOf(MARK);
    // A string holds no raw newline, so this one stands between members.
    if (mark >= 0) return parsed(bytes.subarray(0, mark + MARK.length), changedMs);
    if (length >= size) return undefined;
  }
}

function parsed(bytes: Buffer, changedMs: number): HeadBytes | undefined {
  const text = `${bytes.toString('utf8')}]}`;
  try {
    JSON.parse(text);
    return { head: parseHead(membersOf(text), changedMs), bytes };
  } catch {
    return undefined; // The reading of any layout says what is wrong and where.
  }
}
