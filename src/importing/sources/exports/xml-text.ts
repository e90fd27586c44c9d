import { BlogctlError } from '../../../errors.ts';
import { readChunks } from '../files/chunks.ts';
import { createDecoder, encodingOfFile } from '../files/encoding.ts';

/**
 * The text of an XML file: where an encoding was named, in UTF-8 or that, as its bytes are; else in
 * that of its byte order mark, else that of its declaration, else UTF-8.
 */
export async function* readXmlText(
  path: string,
  name: string,
  encoding: string | undefined,
): AsyncGenerator<string, void, void> {
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let label = '';
  let offset = 0;
  const known = encoding && (await encodingOfFile(path, encoding));
  try {
    for await (const chunk of readChunks(path)) {
      label = decoder === undefined ? (known ?? declaredEncoding(chunk)) : label;
      decoder ??= createDecoder(label, { fatal: true });
      yield decoder.decode(chunk, { stream: true });
      offset += chunk.length;
    }
    if (decoder !== undefined) yield decoder.decode();
  } catch (error) {
    if (error instanceof RangeError) throw unknownEncoding(name, label, error);
    if (!(error instanceof TypeError)) throw error;
    throw wrongBytes(name, { label, offset }, error);
  }
}

function declaredEncoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const declaration = start.toString('latin1', 0, 200);
  return (
    /^(?:\u00EF\u00BB\u00BF|\s)*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
      declaration,
    )?.[1] ?? 'utf-8'
  );
}

function unknownEncoding(name: string, label: string, cause: Error): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" is in an unknown encoding, "${label}".`, {
    hint: 'Choose another with --encoding.',
    cause,
  });
}

function wrongBytes(
  name: string,
  { label, offset }: { label: string; offset: number },
  cause: Error,
): BlogctlError {
  const where = `after offset ${offset}`;
  return new BlogctlError('unusable-input', `"${name}" is not ${label}: wrong bytes ${where}.`, {
    hint: 'Choose its encoding with --encoding, e.g. latin1.',
    cause,
  });
}
