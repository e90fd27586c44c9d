import { dirname } from 'node:path';
import {
  type FileStat,
  type FileSystem,
  hasCode,
  temporaryPath,
} from '../file-system/file-system.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import { IDLE_MS } from './log/compactor.ts';
import { JsonFileStore } from './json-file-store.ts';
import { lockStore, refuseHeld, type FileLock } from './store-lock.ts';
import { crashIn } from './lock-text.ts';
import { createMemoryFileSystem } from '../file-system/memory-file-system.ts';
import { OpenDocument, type StoreImage } from './open-document.ts';
import { describeRecovery } from './recovery/findings.ts';
import { UNTOUCHED } from './recovery/read-store.ts';
import { openForReading, openForWriting, type Opened } from './recovery/recover.ts';
import { danglingLink, inShell, readable, orUnusable, UnusableStore } from '../unusable-store.ts';

export type OpenOptions = {
  readonly path: string;
  readonly fileSystem?: FileSystem;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Told what a person should know, in one sentence each. */
  readonly report?: (notice: string) => void;
  readonly readOnly?: boolean;
  /** Takes over what other programs write into the file, instead of refusing to write from then on. */
  readonly watch?: boolean;
  /** For one command, not for a service. */
  readonly isBrief?: boolean;
  /** After so long without a write the file is compacted, or left as if it were closed. */
  readonly idleMs?: number;
};

/**
 * Opens a store file for this process alone: takes its lock and reads its index. The file stays as
 * it is until the first change; what is not as the store wrote it is reported. Throws
 * UnusableStore or StoreHeld.
 */
export function openJsonFile(options: OpenOptions): Promise<JsonFileStore> {
  return orUnusable(options.path, () => open(options), readable(options.path));
}

/** A test may fake it at any time. */
const clock = () => Date.now();

async function open(options: OpenOptions): Promise<JsonFileStore> {
  const { fileSystem = realFileSystem, now = clock } = options;
  const { readOnly = false } = options;
  if (!readOnly) await refuseHeld(fileSystem, options.path);
  const path = existingPath(fileSystem, options.path);
  const opening = { ...options, fileSystem, now, path, name: options.path };
  if (readOnly) {
    const crash = () => crashIn(fileSystem, opening.path);
    return assembled(opening, await openForReading({ ...opening, crash }));
  }
  refuseManyNames(fileSystem, opening.path);
  const lock = await lockStore(fileSystem, opening.path, now());
  try {
    return assembled(opening, openForWriting({ ...opening, crash: () => lock.crash }), lock);
  } catch (error) {
    await lock.release(lock.crash === undefined);
    throw error;
  }
}

/** A store in memory as an image shows it, which stays as it is; nothing has to be read for it. */
export async function openImage(
  { bytes, document: known }: StoreImage,
  options: Omit<OpenOptions, 'path' | 'fileSystem'>,
): Promise<JsonFileStore> {
  const fileSystem = createMemoryFileSystem([[inMemory, bytes]]);
  const opening = { now: clock, ...options, fileSystem, path: inMemory, name: inMemory };
  const document = { ...known, index: known.index.copy(), keys: known.keys.copy() };
  const file = fileSystem.open(inMemory, 'update');
  const lock = await lockStore(fileSystem, inMemory, opening.now());
  return assembled(opening, { file, seen: file.stat(), document, recovery: UNTOUCHED }, lock);
}

/** The name of a store in memory. */
export const inMemory = 'memory';

type ResolvedOptions = OpenOptions & {
  /** As it was given; `path` has its links resolved. */
  readonly name: string;
  readonly fileSystem: FileSystem;
  readonly now: () => number;
};

function assembled(opening: ResolvedOptions, opened: Opened, lock?: FileLock): JsonFileStore {
  const { fileSystem, path, name, now, report = () => undefined, idleMs = IDLE_MS } = opening;
  const watch = opening.watch === true && opening.readOnly !== true;
  const { file, recovery } = opened;
  for (const sentence of describeRecovery(file, path, recovery)) report(sentence);
  const isOurs = () => lock === undefined || lock.isHeld();
  const document = new OpenDocument({ fileSystem, path, name, isOurs }, opened);
  const { isBrief = false } = opening;
  return new JsonFileStore({ document, recovery, lock, now, report, idleMs, watch, isBrief });
}

/** Throws what an opening for writing would, besides what is in the file, and changes nothing. */
export function requireWritable(fileSystem: FileSystem, path: string): void {
  refuseManyNames(fileSystem, path);
  fileSystem.requireWritable(path);
  fileSystem.requireWritable(dirname(path));
  // A name that is too long is refused.
  fileSystem.stat(temporaryPath(`${path}.lock`));
}

/**
 * A store is locked, and replaced when it is compacted, under one name in one folder. Under another
 * name the same file would have another lock.
 */
function refuseManyNames(fileSystem: FileSystem, path: string): void {
  if (fileSystem.isMountPoint(path)) {
    throw new UnusableStore('forbidden', `${path} is a file mounted by itself.`, {
      hint: `Mount its folder instead, so that every program sees one lock${readable(path).denied}.`,
    });
  }
  const { links } = statOfFile(fileSystem, path);
  if (links > 1) {
    throw new UnusableStore(
      'forbidden',
      `${path} is one of ${links} names (hard links) of a file.`,
      {
        hint: `Keep one name and remove the others, work on a copy${readable(path).denied}.`,
      },
    );
  }
}

/** Of a file that was opened: what is none is refused by its kind, and a folder has many names. */
function statOfFile(fileSystem: FileSystem, path: string): FileStat {
  const file = fileSystem.open(path, 'read');
  try {
    return file.stat();
  } finally {
    file.close();
  }
}

/** The path of a store file, links resolved; throws UnusableStore where there is none. */
export function existingPath(fileSystem: FileSystem, path: string): string {
  try {
    return fileSystem.realPath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    const target = fileSystem.linkTarget(path);
    if (target !== undefined) throw danglingLink(path, target);
    throw new UnusableStore('missing', `There is no store file ${path}.`, {
      hint: `Check the spelling of the path; \`blogctl store init --store ${inShell(path)}\` makes a new one.`,
    });
  }
}
