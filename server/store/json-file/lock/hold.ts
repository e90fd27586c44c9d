import { setTimeout as pause } from 'node:timers/promises';
import type { Claim, FileStat, FileSystem } from '../files/file-system.ts';
import { hasCode } from '../files/error-code.ts';
import { StoreHeld, type Holder } from '../unusable-store.ts';
import { draftLock, ownLock, publishLock, readLock, type LockText } from './lock-file.ts';

/** The right to write a store file, held by one process at a time. */
export type Hold = {
  /** Left by a holder that died after it began to write. */
  readonly crash: { readonly bytesAtOpen: number } | undefined;
  /** Durable evidence that this process writes from here on; to be called before the first write. */
  arm(bytesAtOpen: number): Promise<void>;
  /** Tells other processes where the store is served. */
  announce(serving: { readonly url: string; readonly token: string }): Promise<void>;
  /** False once another process has taken the lock file over. */
  stands(): boolean;
  /** `clean`: nothing is left that a next opening would have to know. */
  release(clean: boolean): Promise<void>;
};

const PATIENCE_MS = 1000;
const PAUSE_MS = 20;

/** Throws StoreHeld where another process has the file. */
export async function hold(fileSystem: FileSystem, path: string, now: number): Promise<Hold> {
  const claim = await claimOrExplain(fileSystem, path);
  try {
    return await holdWith(claim, { fileSystem, lockPath: `${path}.lock`, now });
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** For a moment after a change of holder the lock file names the one before. */
async function claimOrExplain(fileSystem: FileSystem, path: string): Promise<Claim> {
  let holder: Holder = { pid: 0, host: 'this machine', since: '' };
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    const claim = await fileSystem.claim(path);
    if (claim !== undefined) return claim;
    const lock = readLock(fileSystem, `${path}.lock`);
    if (lock !== undefined) holder = holderOf(lock);
    if (lock !== undefined && lives(lock.pid)) break;
    await pause(PAUSE_MS);
  }
  throw new StoreHeld(path, holder);
}

function holderOf({ pid, host, since, url, token }: LockText): Holder {
  return {
    pid,
    host,
    since,
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
  };
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

async function holdWith(
  claim: Claim,
  { fileSystem, lockPath, now }: { fileSystem: FileSystem; lockPath: string; now: number },
): Promise<Hold> {
  const { bytesAtOpen } = readLock(fileSystem, lockPath) ?? {};
  // Evidence of a crash is carried on until it has been acted on, through crashes in between.
  const carried = bytesAtOpen === undefined ? {} : { bytesAtOpen };
  let text: LockText = { ...ownLock(now), ...carried };
  let identity: FileStat | undefined;
  let writing = Promise.resolve();
  await write(bytesAtOpen !== undefined);

  /** One at a time: they share the name of their draft. */
  function write(durable: boolean): Promise<void> {
    const before = writing;
    const mine = (async () => {
      await before;
      identity = await draftLock(fileSystem, lockPath, { text, durable });
      await publishLock(fileSystem, lockPath, durable);
    })();
    writing = mine.catch(() => undefined);
    return mine;
  }
  return {
    crash: bytesAtOpen === undefined ? undefined : { bytesAtOpen },
    arm: (bytes) => {
      text = { ...text, bytesAtOpen: bytes };
      return write(true);
    },
    announce: (serving) => {
      text = { ...text, ...serving };
      return write(text.bytesAtOpen !== undefined);
    },
    stands: () => {
      const there = fileSystem.stat(lockPath);
      return there?.ino === identity?.ino && there?.dev === identity?.dev;
    },
    release: async (clean) => {
      await writing;
      if (clean) fileSystem.remove(lockPath);
      await claim.release();
    },
  };
}
