import {
  accessSync,
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
  type Stats,
} from 'node:fs';
import {
  hasCode,
  type FileStat,
  type FileSystem,
  type OpenFile,
  type OpenMode,
} from './file-system.ts';
import { lockPath } from './mutex.ts';
import { UnusableStore } from '../unusable-store.ts';

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** The file system of this machine. */
export const realFileSystem: FileSystem = {
  open: openFile,
  stat: statOf,
  statOfName,
  linkTarget,
  list: (folder) => readdirSync(folder),
  requireWritable: (path) => accessSync(path, constants.W_OK),
  isMountPoint,
  rename: renameSync,
  link: linkSync,
  remove,
  syncFolder,
  realPath: (path) => realpathSync.native(path),
  lock: lockPath,
};

function openFile(path: string, mode: OpenMode): OpenFile {
  const descriptor = open(path, mode);
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

function open(path: string, mode: OpenMode): number {
  if (mode === 'read' || mode === 'update') return openThere(path, mode);
  const permissions = mode === 'create-new' ? 0o600 : 0o664;
  return openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions);
}

/** Looked at first, because opening alone can start a device or wait for the other end of a pipe. */
function openThere(path: string, mode: 'read' | 'update'): number {
  refuseIrregular(path, statSync(path, { throwIfNoEntry: false }));
  const descriptor = openSync(path, (mode === 'read' ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY);
  try {
    refuseIrregular(path, fstatSync(descriptor));
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

function refuseIrregular(path: string, stats: Stats | undefined): void {
  if (stats === undefined || stats.isFile()) return;
  throw new UnusableStore('forbidden', `${path} is ${kindOf(stats)}, not a file.`, {
    hint: 'Name a regular file.',
  });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
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
  const { size, dev, ino, mtimeMs, mode, uid, gid, nlink } = stats;
  return { size, dev, ino, modifiedMs: mtimeMs, mode, uid, gid, links: nlink };
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

function statOfName(path: string): FileStat | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : plainStat(stats);
}

function statOf(path: string): FileStat | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : plainStat(stats);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EINVAL', 'ENOTDIR')) return undefined;
    throw error;
  }
}

const MOUNT_POINT = 4;

/** As the kernel lists them (proc_pid_mountinfo(5)); other platforms mount no single files. */
function isMountPoint(path: string): boolean {
  if (process.platform !== 'linux') return false;
  return mountList()
    .split('\n')
    .some((line) => unescaped(line.split(' ')[MOUNT_POINT] ?? '') === path);
}

function mountList(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return '';
    throw error;
  }
}

function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
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
