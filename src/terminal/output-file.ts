import { constants, lstatSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { BlogctlError } from '../errors.ts';
import { isPipeOrDevice, temporaryPath } from '../files.ts';
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
    refuseFolder(path);
    if (!mayOverwrite) refuseExisting(path);
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

/** Refuses what `keep` would refuse, before any work is done for it. */
export function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  refuseFolder(path);
  throw new BlogctlError('conflict', `${path} is there already.`, {
    hint: 'Name another file, or give --overwrite.',
  });
}

/** Only at the end its draft could not take that name. */
function refuseFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new BlogctlError('unusable-input', `${path} is a folder.`, { hint: 'Name a file.' });
}

function cannotWrite(path: string, cause: unknown): never {
  if (cause instanceof BlogctlError) throw cause;
  throw new BlogctlError('unusable-input', `${path} cannot be written.`, {
    hint: 'Name a file in a folder that is there and that you may write to.',
    cause,
  });
}
