import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  openSync,
  // Node loads it where it is used: a command that opens no file need not wait for it.
  promises,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  realpathSync,
} from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { BlogctlError } from './errors.ts';

/** Read and write for their owner alone: what holds a text or a secret is made so, never narrowed later. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Whether it is one of these failures of the system: ENOENT, EEXIST … */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** A name beside `path` that nobody can have prepared a file or a link under. */
export function temporaryPath(path: string): string {
  // The global one: a command that makes no file need not load all of node:crypto.
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  return `${path}.${random}.tmp`;
}

/** What can be held of one text that is read whole. */
const mostBytes = 256 * 1024 * 1024;
const noticeMs = 2000;

export type Reading = {
  /** Ends the reading, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told where somebody has to do something before it goes on. */
  readonly notice?: ((text: string) => unknown) | undefined;
};

/**
 * A file that a person named, or what else can be read under a name: `<(…)` of a shell is a pipe. One
 * that nobody writes into is waited for, as everywhere, but it is said, and Ctrl-C ends it: to open it
 * in the usual way would hold up the whole process.
 */
export async function openInput(path: string, { notice }: Reading = {}): Promise<Readable> {
  if (!(await promises.stat(path)).isFIFO()) return createReadStream(path);
  const pipe = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) });
  const said = setTimeout(
    () => notice?.(`Waiting for somebody to write into ${path}; Ctrl-C ends it.`),
    noticeMs,
  );
  for (const end of ['readable', 'close']) pipe.once(end, () => clearTimeout(said));
  return pipe;
}

/** All of it, as much as can be held; beyond that `unusable-input`. */
export async function readInput(
  input: Readable,
  { name, signal }: Reading & { readonly name: string },
): Promise<Buffer> {
  const { addAbortSignal } = await import('node:stream');
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    const readable = signal === undefined ? input : addAbortSignal(signal, input);
    for await (const chunk of readable) {
      const bytes = chunk instanceof Buffer ? chunk : Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > mostBytes) throw tooLong(name);
    }
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
  return Buffer.concat(chunks);
}

function tooLong(name: string): BlogctlError {
  return new BlogctlError('unusable-input', `${name} is longer than 256 MB.`, {
    hint: 'Name what holds one text.',
  });
}

/**
 * To be read; looked at first, because opening alone can start a device or wait for a pipe, which are `unusable-input`.
 * Else it throws what the platform refuses (`code` ENOENT, EACCES …).
 */
export async function openRegularFile(path: string): Promise<promises.FileHandle> {
  refuseIrregular(path, statSync(path));
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseIrregular(path, await file.stat());
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** As much of a file as tells what it is; '' where there is none that can be read. */
export function beginningOf(path: string): string {
  let file: number | undefined;
  try {
    refuseIrregular(path, statSync(path));
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(4096);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } catch {
    return ''; // What hinders the reading hinders the writing too, which says so.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function refuseIrregular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new BlogctlError('unusable-input', `${path} is ${kindOf(stats)}, not a file.`, {
    hint: 'Name a regular file.',
  });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/**
 * Puts a private file in the place of whatever has the name: whole at every moment, and a link is
 * replaced, not followed. A pipe or device that was named on purpose is written into.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  if (await isPipeOrDevice(path)) return writeTo(path, constants.O_WRONLY, text);
  const temporary = temporaryPath(path);
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    await writeTo(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, text);
    await promises.rename(temporary, path);
  } finally {
    await promises.rm(temporary, { force: true });
  }
}

/**
 * Puts a file in the place of another at once, whole at every moment; a pipe or device is written into. What a
 * kill leaves of it is named after `draft`, unless that is on another disk, or shut.
 */
export function replaceFileSync(
  path: string,
  text: string,
  { mode = PRIVATE_FILE, flush = false, draft = path } = {},
): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && isOther(found)) return writeFileSync(path, text);
  const temporary = temporaryPath(draft);
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx', flush });
    renameSync(temporary, path);
  } catch (error) {
    if (draft === path || !hasCode(error, 'EXDEV', 'EACCES', 'EROFS')) throw error;
    replaceFileSync(path, text, { mode, flush });
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function writeTo(path: string, flags: number, text: string): Promise<void> {
  const file = await promises.open(path, flags, PRIVATE_FILE);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Links followed: `/dev/stderr` is one. */
export async function isPipeOrDevice(path: string): Promise<boolean> {
  try {
    return isOther(await promises.stat(path));
  } catch {
    return false; // What hinders us here hinders the writing too, which says so.
  }
}

const isOther = (stats: Stats) => !stats.isFile() && !stats.isDirectory();

/** Clocks of file systems tick this often at least; a file may be written twice between two ticks. */
const longestTickMs = 2_000;

/** Of a file that was read at `now`; undefined where a later change could look the same. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats, now: number): string | undefined {
  if (Math.max(mtimeMs, ctimeMs) > now - longestTickMs) return undefined;
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** Of what is there at a path, which may be nothing; another one each time where a later change could look the same. */
export function stampAt(path: string, now: number): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${path} ${stampOf(stats, now) ?? now}`;
}

/** Of a path that is there its real one; else the path. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return path;
  }
}

/** Whether two paths lead to one file that is there. */
export function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && realPath(one) === realPath(other);
}

/** UTF-8, strictly; a byte order mark is dropped. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BlogctlError('unusable-input', `${name} is not UTF-8: ${firstBadByte(bytes)}.`, {
      hint: 'Convert it to UTF-8 first, for example with iconv.',
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

/** What is no file, or too large to be one that a person wrote, is not read for a hint. */
export async function smallFile(path: string): Promise<string | undefined> {
  const found = await promises.stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > 1_000_000) return undefined;
  return promises.readFile(path, 'utf8').catch(() => undefined);
}
