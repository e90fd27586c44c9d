import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { BlogctlError } from './errors.ts';

/** Read and write for their owner alone: what holds a text or a secret is made so, never narrowed later. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** A name beside `path` that nobody can have prepared a file or a link under. */
export function temporaryPath(path: string): string {
  // The global one: a command that makes no file need not load all of node:crypto.
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  return `${path}.${random}.tmp`;
}

/**
 * The bytes of a regular file. Never waits: a pipe or a device under that name is `unusable-input`.
 * Else it throws what the platform refuses (`code` ENOENT, EACCES …).
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** To be read; looked at first, because opening alone can start a device or wait for a pipe. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  refuseIrregular(path, await stat(path));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseIrregular(path, await file.stat());
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

function refuseIrregular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new BlogctlError('unusable-input', `${path} is ${kindOf(stats)}, not a file.`, {
    hint: 'name a regular file',
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
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTo(path: string, flags: number, text: string): Promise<void> {
  const file = await open(path, flags, PRIVATE_FILE);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Links followed: `/dev/stderr` is one. */
export async function isPipeOrDevice(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    return false; // What hinders us here hinders the writing too, which says so.
  }
}
