import { TextDecoder } from 'node:util';

import { BlogctlError } from '../../../errors.ts';
import { Flaw } from '../source.ts';
import { readChunks } from './chunks.ts';
import { decodeUtf8, withoutByteOrderMark } from './utf8.ts';

/** A name such as `latin1`, `shift_jis`, `utf-16le`; undefined for UTF-8. */
export type Encoding = string | undefined;

/** The text of a whole file; a Flaw where its bytes are not in that encoding. */
export function decodeText(bytes: Buffer, encoding: Encoding): string {
  if (encoding === undefined) return withoutByteOrderMark(decodeUtf8(bytes));
  return decode(createDecoder(encoding), bytes, encoding);
}

/**
 * The bytes of a file in UTF-8, chunk by chunk; what is said to be UTF-8 is passed on unchecked.
 * A chunk is only good until the next one is asked for.
 */
export async function* readUtf8(
  path: string,
  encoding: Encoding,
): AsyncGenerator<Buffer, void, void> {
  const chunks = readChunks(path);
  if (encoding === undefined) yield* chunks;
  else yield* transcode(chunks, encoding);
}

/** The beginning of a file as far as it can be read, to see what it is. */
export function decodeSample(bytes: Buffer, encoding: Encoding): string {
  const label = encoding === undefined ? unicodeOf(bytes) : createDecoder(encoding).encoding;
  return new TextDecoder(label).decode(bytes);
}

/** XML in UTF-16 says what it is by its first bytes. */
function unicodeOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

async function* transcode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
): AsyncGenerator<Buffer, void, void> {
  const decoder = createDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decode(decoder, chunk, encoding, true));
  yield Buffer.from(decode(decoder, Buffer.alloc(0), encoding));
}

function decode(decoder: TextDecoder, bytes: Buffer, encoding: string, stream = false): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new Flaw('encoding', `Not ${encoding}: its bytes mean no character.`, { cause: error });
  }
}

function createDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw new BlogctlError('usage', `There is no encoding "${encoding}".`, {
      hint: 'Names are those of the web: latin1, windows-1251, shift_jis, gb18030, utf-16le …',
      cause: error,
    });
  }
}
