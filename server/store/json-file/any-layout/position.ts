import type { OpenFile } from '../files/file-system.ts';

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;
/** A longer line is measured in bytes. */
const LONGEST_LINE = 4 * 1024 * 1024;

export type Position = { readonly line: number; readonly column: number };

/** Line and column of an offset, both from 1; columns count characters as editors do. */
export function positionOf(file: OpenFile, offset: number): Position {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, offset));
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < offset; at += CHUNK) {
    const chunk = buffer.subarray(0, Math.min(CHUNK, offset - at));
    const bytes = chunk.subarray(0, file.read(chunk, at));
    for (let i = bytes.indexOf(NEWLINE); i >= 0; i = bytes.indexOf(NEWLINE, i + 1)) {
      line += 1;
      lineStart = at + i + 1;
    }
  }
  return { line, column: columnOf(file, lineStart, offset) };
}

/** The lines of many offsets, in one pass; undefined where there is none. */
export function lineNumbers(
  file: OpenFile,
  places: readonly { readonly offset?: number }[],
): readonly (number | undefined)[] {
  const lines: (number | undefined)[] = places.map(() => undefined);
  const known = places.flatMap(({ offset }, at) => (offset === undefined ? [] : [{ offset, at }]));
  known.sort((a, b) => a.offset - b.offset);
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, known.at(-1)?.offset ?? 0));
  let line = 1;
  let from = 0;
  for (const { offset, at } of known) {
    while (from < offset) {
      const chunk = buffer.subarray(0, Math.min(CHUNK, offset - from));
      const bytes = chunk.subarray(0, file.read(chunk, from));
      for (let i = bytes.indexOf(NEWLINE); i >= 0; i = bytes.indexOf(NEWLINE, i + 1)) line += 1;
      from += chunk.length;
    }
    lines[at] = line;
  }
  return lines;
}

function columnOf(file: OpenFile, lineStart: number, offset: number): number {
  const length = offset - lineStart;
  if (length > LONGEST_LINE) return length + 1;
  const bytes = Buffer.alloc(length);
  file.read(bytes, lineStart);
  return bytes.toString('utf8').length + 1;
}
