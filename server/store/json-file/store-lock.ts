import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type FileStat,
  type FileSystem,
  hasCode,
  type Mutex,
  type OpenFile,
  type Rival,
  removeTemporaries,
} from '../file-system/file-system.ts';
import { StoreHeld, UnusableStore, type Holder } from '../unusable-store.ts';
import { StoreError } from '../store.ts';
import {
  crashOf,
  newLockFile,
  newLockText,
  parseLock,
  readLock,
  type Crash,
  type LockText,
} from './lock-text.ts';

/** Where a store is served, and what opens it there. */
export type Serving = Pick<LockText, 'token'> & { readonly url: string };

/** The right to write a store file, held by one process at a time. */
export type FileLock = {
  /** What the lock file says: of a holder that died after it began to write, or of this process. */
  readonly crash: Crash | undefined;
  /** Durable evidence that this process writes from here on; to be called before the first write. */
  markWriting(bytesAtOpen: number): Promise<void>;
  /** Takes that back: nothing of ours is half written, whatever the file is now. */
  withdraw(): Promise<void>;
  /** Tells other processes where the store is served. */
  announce(serving: Serving): Promise<void>;
  /** False once the lock file is not the one we wrote: removed, or another's. */
  isHeld(): boolean;
  /** `clean`: nothing is left that a next opening would have to know. */
  release(clean: boolean): Promise<void>;
};

const WAIT_MS = 1000;
const PAUSE_MS = 20;

/** Throws StoreHeld where another process has the file. */
export async function lockStore(
  fileSystem: FileSystem,
  path: string,
  now: number,
): Promise<FileLock> {
  const own = { text: newLockText(now) };
  const mutex = await lockOrExplain(fileSystem, path, () => publicText(own.text));
  const { socket } = mutex;
  if (socket !== undefined) own.text = { ...own.text, socket };
  try {
    removeTemporaries(fileSystem, path);
    return await lockWith(mutex, { fileSystem, lockPath: `${path}.lock`, own });
  } catch (error) {
    await mutex.release();
    throw error;
  }
}

/** StoreHeld where there is no file because it was removed under the process that serves it, which puts it back. */
export async function refuseHeld(fileSystem: FileSystem, path: string): Promise<void> {
  const isThere = (name: string) => fileSystem.stat(name) !== undefined;
  if (isThere(path) || !isThere(`${path}.lock`)) return;
  const lock = await lockStore(fileSystem, path, Date.now());
  await lock.release(lock.crash === undefined);
}

function publicText({ token: _token, bytesAtOpen: _bytes, ...text }: LockText): string {
  return JSON.stringify(text);
}

/**
 * Waits a little: whoever has the file may be about to close it, or not yet able to say who it is. By
 * the clock: to ask one that is stopped takes long each time.
 */
async function lockOrExplain(
  fileSystem: FileSystem,
  path: string,
  describe: () => string,
): Promise<Mutex> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const inFile = () => readLock(fileSystem, `${path}.lock`);
    const outcome = await fileSystem.lock(path, describe, () => inFile()?.socket);
    if (!('said' in outcome)) return outcome;
    const lock = readLockFor(outcome, { path, inFile });
    const holder = holderOf(outcome.said, lock);
    if (holder !== undefined) throw new StoreHeld(path, holder);
    if (performance.now() >= until) {
      throw new StoreHeld(path, outcome.isSilent === true ? silentHolder(lock) : undefined);
    }
    await pause(PAUSE_MS * (0.5 + Math.random()));
  }
}

type Named = { readonly path: string; readonly inFile: () => LockText | undefined };

/** Another user may not read it; who has the file tells them all the same. */
function readLockFor({ said = '' }: Rival, { path, inFile }: Named): LockText | undefined {
  try {
    return inFile();
  } catch (cause) {
    const holder = parseLock(said);
    if (holder === undefined || !hasCode(cause, 'EACCES')) throw cause;
    const { message } = new StoreHeld(path, holder);
    const hint =
      holder.url === undefined
        ? 'Wait until that process is done; reading goes on.'
        : 'Make the change at that address, with a token of the store; reading goes on.';
    throw new UnusableStore('forbidden', message, { hint, cause });
  }
}

/** Of one that is stopped its lock file tells; what it serves is not asked: it would not answer. */
function silentHolder(lock: LockText | undefined): Holder | undefined {
  if (lock === undefined || (lock.host === hostname() && !lives(lock.pid))) return undefined;
  const { pid, host, since } = lock;
  return { pid, host, since, isSilent: true };
}

/**
 * The lock file alone has the token, for the eyes of its owner; who holds the file is believed from
 * the holder itself, where it can be asked.
 */
function holderOf(said: string | undefined, lock: LockText | undefined): Holder | undefined {
  if (said === undefined) return lock !== undefined && lives(lock.pid) ? lock : undefined;
  const holder = parseLock(said);
  if (holder === undefined) return undefined;
  const token = lock?.nonce === holder.nonce ? lock.token : undefined;
  return token === undefined ? holder : { ...holder, token };
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

type Locking = {
  readonly fileSystem: FileSystem;
  readonly lockPath: string;
  readonly own: { text: LockText };
};

async function lockWith(mutex: Mutex, { fileSystem, lockPath, own }: Locking): Promise<FileLock> {
  const { bytesAtOpen } = readLock(fileSystem, lockPath) ?? {};
  // Evidence of a crash is carried on until it has been acted on, through crashes in between.
  if (bytesAtOpen !== undefined) own.text = { ...own.text, bytesAtOpen };
  /** The lock file, open as long as it counts: so its inode is given to no other file. */
  let file: OpenFile | undefined;
  let identity: FileStat | undefined;
  let writing = Promise.resolve();
  await write(bytesAtOpen !== undefined);

  /** One at a time; never over the lock of whoever took the file from us. */
  function write(durable: boolean): Promise<void> {
    const before = writing;
    const mine = (async () => {
      await before;
      const next = await newLockFile(fileSystem, lockPath, { text: own.text, durable });
      try {
        if (file !== undefined && !isHeld()) throw lostLock();
        fileSystem.rename(next.path, lockPath);
      } catch (error) {
        next.discard();
        // What is written beside it is removed by nobody but who took the lock from us.
        throw hasCode(error, 'ENOENT') ? lostLock() : error;
      }
      file?.close();
      file = next.file;
      identity = file.stat();
      if (durable) await fileSystem.syncFolder(dirname(lockPath));
    })();
    writing = mine.catch(() => undefined);
    return mine;
  }
  function lostLock(): StoreError {
    return new StoreError('degraded', `${lockPath} was removed or replaced by another program.`);
  }
  function isHeld(): boolean {
    const named = fileSystem.stat(lockPath);
    return named !== undefined && named.ino === identity?.ino && named.dev === identity.dev;
  }
  return {
    get crash() {
      return crashOf(own.text);
    },
    markWriting: (bytes) => {
      own.text = { ...own.text, bytesAtOpen: bytes };
      return write(true);
    },
    withdraw: async () => {
      const { bytesAtOpen: withdrawn, ...text } = own.text;
      own.text = text;
      if (withdrawn !== undefined) await write(true);
    },
    announce: (serving) => {
      own.text = { ...own.text, ...serving };
      return write(own.text.bytesAtOpen !== undefined);
    },
    isHeld,
    release: async (clean) => {
      await writing;
      const { token, url: _, ...evidence } = own.text;
      own.text = evidence;
      if (clean && isHeld()) fileSystem.remove(lockPath);
      // A disk that takes nothing more leaves what is there.
      else if (token !== undefined) await write(true).catch(() => undefined);
      file?.close();
      await mutex.release();
    },
  };
}
