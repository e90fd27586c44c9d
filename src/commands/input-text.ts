import { resolve } from 'node:path';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { openInput, readInput } from '../files.ts';

/** The text of a file, or of stdin for `-`: UTF-8, strictly; a byte order mark is dropped. */
export async function readInputText(path: string, context: Context): Promise<string> {
  const bytes = path === '-' ? await context.terminal.readInput() : await readBytes(path, context);
  const name = path === '-' ? 'stdin' : path;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BlogctlError('unusable-input', `${name} is not UTF-8: ${firstBadByte(bytes)}.`, {
      hint: 'Convert it to UTF-8 first, for example with iconv.',
    });
  }
}

async function readBytes(path: string, { folder, signal, terminal }: Context): Promise<Uint8Array> {
  try {
    const notice = (text: string) => terminal.notice(text);
    const input = await openInput(resolve(folder, path), { notice });
    return await readInput(input, { name: path, signal });
  } catch (error) {
    if (error instanceof BlogctlError) throw error;
    throw new BlogctlError('unusable-input', `${path} cannot be read.`, {
      hint: 'Name a file, or - for stdin.',
      cause: error,
    });
  }
}

/** Decoding with replacement and encoding again differ first where the bytes are wrong. */
function firstBadByte(bytes: Uint8Array): string {
  const mended = Buffer.from(Buffer.from(bytes).toString('utf8'), 'utf8');
  const at = bytes.findIndex((byte, index) => mended[index] !== byte);
  const offset = at === -1 ? bytes.length : at;
  const line = bytes.subarray(0, offset).reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 1);
  return `byte ${offset} (line ${line})`;
}
