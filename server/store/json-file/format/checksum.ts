import { crc32 } from 'node:zlib';
import { digitAt } from './line-bytes.ts';

const LETTER_A = 0x61;
const LETTER_F = 0x66;

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
  let value = 0;
  for (let i = start; i < start + 8; i += 1) {
    const byte = bytes[i] ?? 0;
    const digit = byte >= LETTER_A && byte <= LETTER_F ? byte - LETTER_A + 10 : digitAt(bytes, i);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
