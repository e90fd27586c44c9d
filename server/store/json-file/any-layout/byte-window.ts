import type { OpenFile } from '../files/file-system.ts';

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
