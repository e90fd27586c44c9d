import type { OpenFile } from '../files/file-system.ts';
import { checksum } from '../format/checksum.ts';

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
