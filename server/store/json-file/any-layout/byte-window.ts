import type { OpenFile } from '../../file-system/file-system.ts';

const CHUNK = 1024 * 1024;

/** A file seen through a window that moves forward: only the value being read is in memory. */
export class ByteWindow {
  readonly size: number;
  readonly #file: OpenFile;
  readonly #chunk: number;
  /** Always the same one: a new one for each megabyte would wait for its collector. */
  #buffer: Buffer;
  #bytes: Buffer;
  #start = 0;

  /** `chunk`: bytes read at once. */
  constructor(file: OpenFile, chunk = CHUNK) {
    this.#file = file;
    this.#chunk = chunk;
    this.size = file.stat().size;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(chunk, this.size));
    this.#bytes = this.#buffer.subarray(0, 0);
  }

  /** The byte at an offset of the file; -1 behind its end. */
  at(offset: number): number {
    const index = offset - this.#start;
    if (index >= 0 && index < this.#bytes.length) return this.#bytes[index] ?? 0;
    if (offset >= this.size) return -1;
    this.#load(offset, this.#chunk);
    return this.#bytes[offset - this.#start] ?? -1;
  }

  /** Where a byte next occurs at or behind `from`; -1 where it does not. */
  indexOf(byte: number, from: number): number {
    for (let at = from; at < this.size; at = this.#start + this.#bytes.length) {
      if (this.at(at) < 0) return -1;
      const found = this.#bytes.indexOf(byte, at - this.#start);
      if (found >= 0) return this.#start + found;
    }
    return -1;
  }

  /** The bytes between two offsets; valid until the next call. */
  slice(from: number, to: number): Buffer {
    if (from < this.#start || to > this.#start + this.#bytes.length) this.#load(from, to - from);
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  #load(from: number, atLeast: number): void {
    if (atLeast > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(atLeast);
    const bytes = this.#buffer.subarray(0, Math.min(this.#buffer.length, this.size - from));
    this.#bytes = bytes.subarray(0, this.#file.read(bytes, from));
    this.#start = from;
  }
}

const NEWLINE = 0x0a;

/** Where the line ends that `from` stands in. */
export function lineEnd(window: ByteWindow, from: number): number {
  const end = window.indexOf(NEWLINE, from);
  return end < 0 ? window.size : end;
}

/** By what a line is known. */
type LineForm = { readonly start: Buffer; readonly end: RegExp };

/** Of a line that is looked at for its end. */
const END_BYTES = 64;

/** Where the line ends before the next one of a form; the end of the file where there is none. */
export function nextLineOf(window: ByteWindow, from: number, { start, end }: LineForm): number {
  for (let at = lineEnd(window, from); at < window.size;) {
    const next = lineEnd(window, at + 1);
    if (start.every((byte, index) => window.at(at + 1 + index) === byte)) {
      const last = window.slice(Math.max(at + 1, next - END_BYTES), next).toString('latin1');
      if (end.test(last)) return at;
    }
    at = next;
  }
  return window.size;
}

/** A longer line is measured in bytes. */
const LONGEST_LINE = 4 * 1024 * 1024;

type Position = { readonly line: number; readonly column: number };

/** Line and column of an offset, both from 1; columns count characters as editors do. */
export function positionOf(file: OpenFile, offset: number): Position {
  let [line, lineStart] = [1, 0];
  for (const newline of newlinesBefore(file, offset)) {
    line += 1;
    lineStart = newline + 1;
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
  known.sort((a, b) => b.offset - a.offset);
  let line = 1;
  for (const newline of newlinesBefore(file, known[0]?.offset ?? 0)) {
    for (
      let next = known.at(-1);
      next !== undefined && next.offset <= newline;
      next = known.at(-1)
    ) {
      lines[next.at] = line;
      known.pop();
    }
    line += 1;
  }
  for (const { at } of known) lines[at] = line;
  return lines;
}

function* newlinesBefore(file: OpenFile, end: number): Iterable<number> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, end));
  for (let at = 0; at < end; at += CHUNK) {
    const chunk = buffer.subarray(0, Math.min(CHUNK, end - at));
    const bytes = chunk.subarray(0, file.read(chunk, at));
    for (let i = bytes.indexOf(NEWLINE); i >= 0; i = bytes.indexOf(NEWLINE, i + 1)) yield at + i;
  }
}

function columnOf(file: OpenFile, lineStart: number, offset: number): number {
  const length = offset - lineStart;
  if (length > LONGEST_LINE) return length + 1;
  const bytes = Buffer.alloc(length);
  file.read(bytes, lineStart);
  return bytes.toString('utf8').length + 1;
}
