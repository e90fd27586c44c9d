import {
  close,
  closeSync,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
  type Stats,
} from 'node:fs';
import { hasCode } from './error-code.ts';
import type { FileStat, FileSystem, OpenFile, OpenMode } from './file-system.ts';
import { claimName } from '../lock/claim-name.ts';

const flagsOf = { read: 'r', update: 'r+', create: 'w+', 'create-new': 'wx+' } as const;

/** The file system of this machine. */
export const realFileSystem: FileSystem = {
  open: openFile,
  stat: statOf,
  rename: renameSync,
  link: linkSync,
  remove,
  syncFolder,
  realPath: (path) => realpathSync.native(path),
  claim: claimName,
};

function openFile(path: string, mode: OpenMode): OpenFile {
  const descriptor = openSync(path, flagsOf[mode]);
  return {
    read: (target, position) => readFully(descriptor, target, position),
    write: (bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
    writeLater: (bytes, position) => writeLater(descriptor, bytes, position),
    truncate: (size) => ftruncateSync(descriptor, size),
    sync: () => settled((done) => fsync(descriptor, done)),
    syncData: () => settled((done) => fdatasync(descriptor, done)),
    stat: () => plainStat(fstatSync(descriptor)),
    adopt: (stat) => adopt(descriptor, stat),
    close: () => closeSync(descriptor),
    // Nobody reads it any more: what the disk may say of it changes nothing.
    closeLater: () => close(descriptor, () => undefined),
  };
}

function readFully(descriptor: number, target: Uint8Array, position: number): number {
  let done = 0;
  while (done < target.length) {
    const count = readSync(descriptor, target, done, target.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function writeLater(descriptor: number, bytes: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, position, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

function settled(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function plainStat(stats: Stats): FileStat {
  const { size, dev, ino, mtimeMs, mode, uid, gid } = stats;
  return { size, dev, ino, modifiedMs: mtimeMs, mode, uid, gid };
}

/** Another owner can only be given by root; without that right the file stays its writer's. */
function adopt(descriptor: number, stat: FileStat): void {
  const own = fstatSync(descriptor);
  if ((own.mode & 0o7777) !== (stat.mode & 0o7777)) fchmodSync(descriptor, stat.mode & 0o7777);
  if (own.uid === stat.uid && own.gid === stat.gid) return;
  try {
    fchownSync(descriptor, stat.uid, stat.gid);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) throw error;
  }
}

function statOf(path: string): FileStat | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : plainStat(stats);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Windows cannot sync a folder and says so with one of three codes. */
async function syncFolder(path: string): Promise<void> {
  try {
    const descriptor = openSync(path, 'r');
    try {
      await settled((done) => fsync(descriptor, done));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const unable = hasCode(error, 'EPERM', 'EISDIR', 'EINVAL', 'EACCES');
    if (process.platform !== 'win32' || !unable) throw error;
  }
}
