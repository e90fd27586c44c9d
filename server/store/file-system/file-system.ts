import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';

/** The calls the store makes of a file system. Every byte it reads or writes goes through here. */
export type FileSystem = {
  /**
   * Never waits: what is no regular file (a pipe, a device, a folder) is an UnusableStore. Else it
   * throws the platform's error (`code` ENOENT, EACCES …).
   */
  open(path: string, mode: OpenMode): OpenFile;
  /** Of what the name leads to, links followed; undefined where nothing is there. */
  stat(path: string): FileStat | undefined;
  /** Of what has the name, which may be a link. */
  statOfName(path: string): FileStat | undefined;
  /** Where a symbolic link points, as it is written; undefined where the name is none. */
  linkTarget(path: string): string | undefined;
  /** The names in a folder. */
  list(folder: string): readonly string[];
  /** Throws the platform's error where a file, or what is in a folder, may not be changed. */
  requireWritable(path: string): void;
  /** Whether a file is mounted by itself under this name: it cannot be replaced then. */
  isMountPoint(path: string): boolean;
  rename(from: string, to: string): void;
  /** Gives the file a second name; EEXIST where the name is taken. */
  link(from: string, to: string): void;
  /** Takes the name away; no error where there is none. */
  remove(path: string): void;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** The path with every symbolic link followed. */
  realPath(path: string): string;
  /**
   * A mutex for a path that ends with this process at the latest. `describe` is what others are told
   * of us meanwhile: open to every user of the machine that may enter the folder. `former`: the
   * socket of who is known to have had it; it may live on without a name.
   */
  lock(
    path: string,
    describe: () => string,
    former?: () => string | undefined,
  ): Promise<Mutex | Rival>;
};

/**
 * `create-new` makes a file for its owner's eyes alone, `create-shared` one that others may read as
 * far as the user's umask lets them; both refuse a name that is taken, by a link too (EEXIST).
 */
export type OpenMode = 'read' | 'update' | 'create-new' | 'create-shared';

export type OpenFile = {
  /** Bytes read into `target` from `position`; fewer than asked for at the end of the file. */
  read(target: Uint8Array, position: number): number;
  /** Bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): number;
  writeLater(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): void;
  /** Data, size and attributes are on the disk. */
  sync(): Promise<void>;
  /** Data, and what is needed to read it again, are on the disk. */
  syncData(): Promise<void>;
  stat(): FileStat;
  /** Takes over permissions and, as far as allowed, the owner. */
  adopt(stat: FileStat): void;
  close(): void;
  /** Without waiting: to free a large file that has lost its name takes long. */
  closeLater(): void;
};

export type FileStat = {
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** How many names the file has. */
  readonly links: number;
};

/** The mutex is ours. */
export type Mutex = {
  release(): Promise<void>;
  /** The name of the socket that it is made of, where it is. */
  readonly socket?: string;
};

/** The mutex is another's. */
export type Rival = {
  /**
   * What its holder says of itself; '' where it is about to give way or does not answer; undefined
   * where this platform's mutex cannot tell.
   */
  readonly said: string | undefined;
  /** It lives and does not answer: stopped, or busy with something long. */
  readonly isSilent?: boolean;
};

/** Whether an error of the platform carries one of these codes (`ENOENT`, `ENOSPC` …). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    isNativeError(error) &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}

/** Up to here a synchronous write costs less than the way through the thread pool. */
const SYNCHRONOUS_BYTES = 256 * 1024;

/** Writes every byte, however short the single writes are. */
export async function writeFully(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const rest = bytes.subarray(done);
    const count =
      rest.length <= SYNCHRONOUS_BYTES
        ? file.write(rest, at + done)
        : await file.writeLater(rest, at + done);
    if (count === 0) throw noProgress();
    done += count;
  }
}

function noProgress(): Error {
  return Object.assign(new Error('ENOSPC: the file system took none of the bytes'), {
    code: 'ENOSPC',
  });
}

/** A name beside `path` that nobody can have prepared a file or a link under. */
export function temporaryPath(path: string): string {
  return `${path}.${randomBytes(8).toString('hex')}.tmp`;
}

const leftover = /^(?:\.lock)?\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes what processes that were killed left of new versions of this file and of its lock file.
 * Only for who has the file's mutex: then nobody is writing one.
 */
export function removeTemporaries(fileSystem: FileSystem, path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of fileSystem.list(folder)) {
    const isOurs = other.startsWith(name) && leftover.test(other.slice(name.length));
    if (isOurs) fileSystem.remove(join(folder, other));
  }
}

/**
 * Gives a temporary file a name that is free; EEXIST where it is not, be it a link that leads
 * nowhere. A second name is given or refused in one step; a rename would take what is there away.
 */
export function nameNew(fileSystem: FileSystem, temporary: string, path: string): void {
  try {
    fileSystem.link(temporary, path);
    fileSystem.remove(temporary);
  } catch (error) {
    const withoutLinks = hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK');
    if (!withoutLinks || fileSystem.stat(path) !== undefined) throw error;
    fileSystem.rename(temporary, path);
  }
}

type AsideFile = {
  readonly bytes: Buffer;
  /** Why it is saved: `torn`, `orphan`. */
  readonly reason: string;
  readonly now: number;
  /** The store that has them: whoever may not read that must not read these. */
  readonly like: FileStat;
};

/** Keeps bytes that the store file will no longer have in a new file beside it; answers its path. */
export async function saveAside(
  fileSystem: FileSystem,
  path: string,
  { bytes, reason, now, like }: AsideFile,
): Promise<string> {
  const wanted = `${path}.${reason}-${new Date(now).toISOString().replaceAll(':', '')}`;
  const { file, savedAs } = newFile(fileSystem, wanted);
  try {
    file.adopt(like);
    await writeFully(file, bytes, 0);
    await file.sync();
  } finally {
    file.close();
  }
  await fileSystem.syncFolder(dirname(path));
  return savedAs;
}

/** What was saved in the same millisecond stays. */
function newFile(fileSystem: FileSystem, wanted: string): { file: OpenFile; savedAs: string } {
  for (let number = 1; ; number += 1) {
    const savedAs = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      return { file: fileSystem.open(savedAs, 'create-new'), savedAs };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}
