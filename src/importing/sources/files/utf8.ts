import { isUtf8 } from 'node:buffer';

import { Flaw } from '../source.ts';

const byteOrderMark = '\uFEFF';
const replacement = '\uFFFD';

/** Stands in UTF-8 for what had no meaning in the encoding of its file. */
export const unreadable = Buffer.from([0xff, 0xff, 0xff]);

/**
 * Bytes as text. Bytes that are not UTF-8 are a Flaw that names
 * the offset of the first wrong one, counted from `firstOffset`; nothing is replaced silently.
 */
export function decodeUtf8(bytes: Buffer, firstOffset = 0): string {
  if (!isUtf8(bytes)) {
    if (bytes.includes(unreadable)) {
      throw new Flaw('encoding', 'Its bytes mean no character in the encoding of the file.');
    }
    const offset = wrongByte(bytes);
    throw new Flaw(
      'encoding',
      `Not UTF-8: byte 0x${hex(bytes[offset])} at offset ${firstOffset + offset}. Choose with --encoding, e.g. latin1.`,
    );
  }
  return bytes.toString('utf8');
}

/** The text of a file without the mark that may stand in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

function wrongByte(bytes: Buffer): number {
  const lossy = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (;;) {
    const found = lossy.indexOf(replacement, from);
    if (found === -1) return offset;
    offset += Buffer.byteLength(lossy.slice(from, found));
    // A U+FFFD that stands in the file itself is three correct bytes.
    if (bytes.toString('latin1', offset, offset + 3) !== '\u00EF\u00BF\u00BD') return offset;
    offset += 3;
    from = found + 1;
  }
}

function hex(byte: number | undefined): string {
  return (byte ?? 0).toString(16).padStart(2, '0').toUpperCase();
}
