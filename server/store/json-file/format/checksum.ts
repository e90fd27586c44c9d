import { crc32 } from 'node:zlib';

/** The crc32 of these bytes, or of what went before and these bytes. */
export function checksum(bytes: Uint8Array | string, before = 0): number {
  return crc32(bytes, before);
}

/** Eight lower-case hexadecimal digits, as the file has them. */
export function checksumText(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
