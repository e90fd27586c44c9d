import { isAscii, isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { TextDecoder } from 'node:util';

import { BlogctlError, messageOf } from '../../errors.ts';
import { ValidationError } from './source.ts';
import { bareSigns, protectSigns, readChunks, readWholeSync } from './chunks.ts';

/** A name such as `latin1`, `shift_jis`, `utf-16le`: that of what is not UTF-8. */
export type Encoding = string | undefined;

/** The text of a whole file; a ValidationError where its bytes are in no encoding that it could have. */
export function decodeText(bytes: Buffer, encoding: Encoding): string {
  const whole = encodingOfAll(bytes, encoding);
  if (whole !== undefined) return decode(bytes, whole);
  return withoutByteOrderMark(decodeRecord(bytes, encoding));
}

/**
 * The text of one record, as `readUtf8` passed it on: UTF-8 where it is that, else in the encoding
 * that was named; a ValidationError where it is neither.
 */
export function decodeRecord(bytes: Buffer, encoding: Encoding, firstOffset = 0): string {
  const other = encodingOfRecord([bytes], encoding);
  return other === undefined ? decodeUtf8(bytes, firstOffset) : decodeOther(bytes, other);
}

/** Decodes each part of one record: all are in UTF-8, or all in the encoding that was named. */
export function partDecoder(
  parts: readonly Buffer[],
  encoding: Encoding,
): (part: Buffer) => string {
  const other = encodingOfRecord(parts, encoding);
  return (part) => (other === undefined ? decodeUtf8(part) : decodeOther(part, other));
}

function encodingOfRecord(parts: readonly Buffer[], encoding: Encoding): Encoding {
  if (encoding === undefined) return undefined;
  return parts.some((part) => !isUtf8(part) && !part.includes(unreadable)) ? encoding : undefined;
}

function decodeOther(bytes: Buffer, encoding: string): string {
  return decode(bareSigns(bytes, labelOf(encoding)), encoding);
}

/**
 * The bytes of a file, chunk by chunk, so that what separates records can be looked for: UTF-16 and
 * the like become UTF-8, everything else is left to `decodeRecord`. A chunk is only good until the
 * next one is asked for.
 */
export async function* readUtf8(
  path: string,
  encoding: Encoding,
): AsyncGenerator<Buffer, void, void> {
  let pass: ((chunk: Buffer) => Buffer) | undefined;
  for await (const chunk of readChunks(path)) {
    pass ??= transcoder(encodingOfAll(chunk, encoding)) ?? protectSigns(labelOf(encoding));
    yield pass(chunk);
  }
  if (pass !== undefined) yield pass(Buffer.alloc(0));
}

/** The encoding of a file that is one text: UTF-8 where all of it is that, else the one named. */
export async function encodingOfFile(path: string, encoding: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let whole: string | undefined;
  let isFirst = true;
  for await (const chunk of readChunks(path)) {
    if (isFirst) whole = encodingOfAll(chunk, encoding);
    isFirst = false;
    if (whole !== undefined) return whole;
    if (!decodes(() => decoder.decode(chunk, { stream: true }))) return encoding;
  }
  return decodes(() => decoder.decode()) ? 'utf-8' : encoding;
}

/** The characters of the bytes 0x80 to 0x9F in windows-1252, by its table in the Encoding Standard. */
const windows1252 =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';

/** Decodes as the Encoding Standard has it, where latin1 and ASCII are names of windows-1252. */
export function createDecoder(
  label: string,
  options: { readonly fatal?: boolean } = {},
): Pick<TextDecoder, 'decode'> {
  const decoder = new TextDecoder(label, options);
  if (decoder.encoding !== 'windows-1252') return decoder;
  // Node.js 20 reads these bytes as the control characters of ISO 8859-1.
  return {
    decode: (bytes, { stream = false } = {}) =>
      decoder
        .decode(bytes, { stream })
        .replaceAll(/[\u0080-\u009F]/g, (sign) => windows1252[sign.charCodeAt(0) - 0x80] ?? sign),
  };
}

/** The beginning of a file as far as it can be read, to see what it is. */
export function decodeSample(bytes: Buffer, encoding: Encoding): string {
  const label = encodingOfAll(bytes, encoding) ?? (beginsUtf8(bytes) ? 'utf-8' : encoding);
  return createDecoder(label ?? 'utf-8').decode(bytes);
}

/**
 * The encoding of a file whose bytes cannot be parted into records before they are decoded: by its
 * byte order mark, else the one that was named, where the bytes look like it.
 */
function encodingOfAll(start: Buffer, encoding: Encoding): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const label = labelOf(encoding);
  if (label === 'utf-16le' || label === 'utf-16be') return start.includes(0) ? label : undefined;
  return label === 'iso-2022-jp' && isAscii(start) ? label : undefined;
}

/** Bytes that mean no character become such that mean none in UTF-8: their record tells. */
function transcoder(label: string | undefined): ((chunk: Buffer) => Buffer) | undefined {
  if (label === undefined) return undefined;
  const decoder = new TextDecoder(label);
  const strict = new TextDecoder(label, { fatal: true });
  return (chunk) => {
    const options = { stream: chunk.length > 0 };
    const bytes = Buffer.from(decoder.decode(chunk, options));
    if (decodes(() => strict.decode(chunk, options))) return bytes;
    for (let at = bytes.indexOf('\uFFFD'); at !== -1; at = bytes.indexOf('\uFFFD', at)) {
      unreadable.copy(bytes, at);
    }
    return bytes;
  };
}

function decodes(work: () => string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    // What a strict decoder throws.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** A sample may end inside a character. */
function beginsUtf8(bytes: Buffer): boolean {
  return decodes(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }));
}

function decode(bytes: Buffer, encoding: string): string {
  try {
    return createDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const message = `Neither UTF-8 nor ${encoding}: its bytes mean no character.`;
    throw new ValidationError('encoding', message, { cause: error });
  }
}

/** The one name that an encoding has among its aliases. */
function labelOf(encoding: Encoding): string | undefined {
  if (encoding === undefined) return undefined;
  try {
    return new TextDecoder(encoding).encoding;
  } catch (error) {
    throw new BlogctlError('usage', `There is no encoding "${encoding}".`, {
      hint: 'Names are those of the web: latin1, windows-1251, shift_jis, gb18030 and utf-16le are some.',
      cause: error,
    });
  }
}

export const byteOrderMark = '\uFEFF';
/** What a lenient decoder puts in the place of bytes that mean nothing. */
export const replacement = '\uFFFD';

/** Stands in UTF-8 for what had no meaning in the encoding of its file. */
export const unreadable = Buffer.from([0xff, 0xff, 0xff]);

/**
 * Bytes as text. Bytes that are not UTF-8 are a ValidationError that names
 * the offset of the first wrong one, counted from `firstOffset`; nothing is replaced silently.
 */
export function decodeUtf8(bytes: Buffer, firstOffset = 0): string {
  if (!isUtf8(bytes)) {
    if (bytes.includes(unreadable)) {
      throw new ValidationError(
        'encoding',
        'Its bytes mean no character in the encoding of the file.',
      );
    }
    const offset = wrongByte(bytes);
    throw new ValidationError(
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

/** An object: Node.js makes one of the name alone, each time. */
const asUtf8 = { encoding: 'utf8' } as const;

/** Node.js reads and decodes in one step; its bytes are looked at only where that lost something. */
export function readText(path: string, encoding: Encoding): string {
  if (encoding === undefined) {
    const text = readable(() => readFileSync(path, asUtf8));
    if (!text.includes(replacement)) return withoutByteOrderMark(text);
  }
  return decodeText(
    readable(() => readWholeSync(path)),
    encoding,
  );
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = messageOf(error);
    const isMisnamed = reason.includes(replacement);
    const next = isMisnamed ? '. Its name is not UTF-8: rename it.' : '';
    const message = `The file cannot be read: ${reason}${next}`;
    throw new ValidationError('unreadable', message, { cause: error });
  }
}
