import { accessSync, constants, lstatSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlogctlError } from '../errors.ts';
import { beginningOf, isPipeOrDevice, temporaryPath } from '../files.ts';
import type { Write } from './streams.ts';

/** A file that is there whole or not at all. */
export type OutputFile = {
  readonly write: Write;
  keep(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Writes a draft beside the path; `keep` puts it in its place. Overwrites only when allowed. A pipe or
 * device is written into as it is: nothing takes the place of `/dev/null`.
 */
export function createOutputFile(path: string, mayOverwrite: boolean): OutputFile {
  const draft = temporaryPath(path);
  let opening: Promise<FileHandle> | undefined;
  let isDevice = false;
  const begin = async () => {
    isDevice = await isPipeOrDevice(path);
    if (isDevice) return open(path, constants.O_WRONLY);
    await requirePlace(path, mayOverwrite);
    return open(draft, 'wx');
  };
  const close = async () => (await opening)?.close();
  return {
    write: async (bytes) => {
      opening ??= begin().catch((cause: unknown) => {
        opening = undefined;
        return cannotWrite(path, cause);
      });
      await (await opening).writeFile(bytes);
    },
    keep: async () => {
      if (opening === undefined) return;
      if (!isDevice) await (await opening).sync();
      await close();
      if (isDevice) return;
      if (mayOverwrite) await rename(draft, path);
      else await nameNew(draft, path);
    },
    discard: async () => {
      if (opening === undefined) return;
      await close();
      if (!isDevice) await rm(draft, { force: true });
    },
  };
}

/** A second name is given or refused in one step; a rename would take the place of a file there. */
async function nameNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await rm(draft);
  } catch {
    refuseExisting(path);
    await rename(draft, path); // Not every file system knows second names.
  }
}

/**
 * Refuses a place where no file can be put, or where something is that must stay: before any work is
 * done for it. Nothing takes the place of a store or its tokens, whatever is allowed: they are nowhere
 * else.
 */
export async function requirePlace(path: string, mayOverwrite: boolean): Promise<void> {
  if (await isPipeOrDevice(path)) return;
  refuseFolder(path);
  refuseStoreFile(path);
  if (!mayOverwrite) refuseExisting(path);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    cannotWrite(path, cause);
  }
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new BlogctlError('conflict', `${path} is there already.`, {
    hint: 'Name another file, or give --overwrite.',
  });
}

/** Only at the end its draft could not take that name. */
function refuseFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new BlogctlError('unusable-input', `${path} is a folder.`, { hint: 'Name a file.' });
}

function refuseStoreFile(path: string): void {
  const what = storeKind(beginningOf(path));
  if (what === undefined) return;
  throw new BlogctlError('usage', `${path} ${what}: nothing is written over it.`, {
    hint: 'Name another file.',
  });
}

/** By the first member that such files have (server/store). */
function storeKind(beginning: string): string | undefined {
  const [, kind] = /^\s*\{\s*"format"\s*:\s*"(blogctl|blogctl-tokens)\//.exec(beginning) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'blogctl' ? 'is a store of blogs' : 'holds the tokens of a store';
}

function cannotWrite(path: string, cause: unknown): never {
  if (cause instanceof BlogctlError) throw cause;
  throw new BlogctlError('unusable-input', `${path} cannot be written.`, {
    hint: 'Name a file in a folder that is there and that you may write to.',
    cause,
  });
}

/** A run that is killed writes no file, and that of an earlier one must not be taken for it. */
export async function dropEarlier(path: string): Promise<void> {
  if (!(await isPipeOrDevice(path))) await rm(path, { force: true });
}
