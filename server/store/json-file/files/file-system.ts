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
   * of us meanwhile: open to every user of the machine that may enter the folder.
   */
  lock(path: string, describe: () => string): Promise<Mutex | Rival>;
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
export type Mutex = { release(): Promise<void> };

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
