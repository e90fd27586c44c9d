import { basename, dirname } from 'node:path';
import type { FileStat, FileSystem, Mutex, OpenFile, OpenMode, Rival } from './file-system.ts';

/** What a simulated file system was asked to do, in order: enough to rebuild every crash state. */
export type TraceEntry =
  | { readonly kind: 'create'; readonly path: string; readonly ino: number }
  | { readonly kind: 'write'; readonly ino: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly ino: number; readonly size: number }
  | { readonly kind: 'sync'; readonly ino: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly ino: number }
  | { readonly kind: 'link'; readonly to: string; readonly ino: number }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'sync-folder' }
  | { readonly kind: 'mark'; readonly number: number };

export type MemoryFileSystem = FileSystem & {
  /** Every call that changes or syncs something; empty unless asked for. */
  readonly trace: readonly TraceEntry[];
  /** The files by name as a reader sees them now. */
  files(): Map<string, Buffer>;
  /** Puts a mark of the test into the trace. */
  mark(number: number): void;
  /** A file as another program would leave it: new content under the name, in place or replaced. */
  put(path: string, content: Buffer | string, how?: 'in-place' | 'replaced'): void;
};

type Node = { readonly ino: number; bytes: Buffer; size: number; modifiedMs: number; mode: number };
type Disk = {
  readonly names: Map<string, Node>;
  /** What each holder of a mutex says of itself, by path. */
  readonly locks: Map<string, () => string>;
  readonly trace: TraceEntry[];
  readonly record: boolean;
  ticks: number;
  lastIno: number;
};

/** A file system in memory: for tests, and for stores that are not meant to outlive the process. */
export function createMemoryFileSystem(
  files: Iterable<readonly [string, Buffer | string]> = [],
  options: { readonly trace?: boolean } = {},
): MemoryFileSystem {
  const disk: Disk = {
    names: new Map(),
    locks: new Map(),
    trace: [],
    record: options.trace ?? false,
    ticks: 0,
    lastIno: 0,
  };
  for (const [path, content] of files) disk.names.set(path, newNode(disk, content));
  return {
    trace: disk.trace,
    files: () => new Map([...disk.names].map(([path, node]) => [path, contentOf(node)])),
    mark: (number) => note(disk, { kind: 'mark', number }),
    put: (path, content, how = 'replaced') => put(disk, path, { content, how }),
    open: (path, mode) => openNode(disk, path, mode),
    stat: (path) => statIfThere(disk, path),
    statOfName: (path) => statIfThere(disk, path),
    linkTarget: () => undefined,
    list: (folder) => namesIn(disk, folder),
    requireWritable: () => undefined,
    isMountPoint: () => false,
    rename: (from, to) => rename(disk, from, to),
    link: (from, to) => link(disk, from, to),
    remove: (path) => remove(disk, path),
    syncFolder: () => {
      note(disk, { kind: 'sync-folder' });
      return Promise.resolve();
    },
    realPath: (path) => {
      nodeAt(disk, path);
      return path;
    },
    lock: (path, describe) => Promise.resolve(lock(disk, path, describe)),
  };
}

function newNode(disk: Disk, content: Buffer | string): Node {
  const bytes = Buffer.from(content);
  disk.lastIno += 1;
  disk.ticks += 1;
  return { ino: disk.lastIno, bytes, size: bytes.length, modifiedMs: disk.ticks, mode: 0o100644 };
}

function contentOf(node: Node): Buffer {
  return Buffer.from(node.bytes.subarray(0, node.size));
}

function note(disk: Disk, entry: TraceEntry): void {
  if (disk.record) disk.trace.push(entry);
}

function put(
  disk: Disk,
  path: string,
  { content, how }: { content: Buffer | string; how: 'in-place' | 'replaced' },
): void {
  const there = disk.names.get(path);
  const fresh = newNode(disk, content);
  if (there === undefined || how === 'replaced') disk.names.set(path, fresh);
  else Object.assign(there, { bytes: fresh.bytes, size: fresh.size, modifiedMs: fresh.modifiedMs });
}

function openNode(disk: Disk, path: string, mode: OpenMode): OpenFile {
  const node = mode === 'read' || mode === 'update' ? nodeAt(disk, path) : created(disk, path);
  return {
    read: (target, position) => {
      const end = Math.min(position + target.length, node.size);
      return position >= end ? 0 : node.bytes.copy(target, 0, position, end);
    },
    write: (bytes, position) => write(disk, node, { bytes, position }),
    writeLater: (bytes, position) => Promise.resolve(write(disk, node, { bytes, position })),
    truncate: (size) => truncate(disk, node, size),
    sync: () => sync(disk, node),
    syncData: () => sync(disk, node),
    stat: () => statOf(disk, node),
    adopt: (stat) => void (node.mode = stat.mode),
    close: () => undefined,
    closeLater: () => undefined,
  };
}

function nodeAt(disk: Disk, path: string): Node {
  const node = disk.names.get(path);
  if (node === undefined) throw failure('ENOENT', path);
  return node;
}

function created(disk: Disk, path: string): Node {
  if (disk.names.has(path)) throw failure('EEXIST', path);
  const node = newNode(disk, '');
  disk.names.set(path, node);
  note(disk, { kind: 'create', path, ino: node.ino });
  return node;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function write(
  disk: Disk,
  node: Node,
  { bytes, position }: { bytes: Uint8Array; position: number },
): number {
  const end = position + bytes.length;
  if (end > node.bytes.length) {
    const larger = Buffer.alloc(Math.max(end, node.bytes.length * 2));
    node.bytes.copy(larger, 0, 0, node.size);
    node.bytes = larger;
  }
  if (position > node.size) node.bytes.fill(0, node.size, position);
  node.bytes.set(bytes, position);
  node.size = Math.max(node.size, end);
  touch(disk, node);
  if (disk.record) {
    note(disk, { kind: 'write', ino: node.ino, at: position, bytes: Buffer.from(bytes) });
  }
  return bytes.length;
}

function touch(disk: Disk, node: Node): void {
  disk.ticks += 1;
  node.modifiedMs = disk.ticks;
}

function truncate(disk: Disk, node: Node, size: number): void {
  if (size > node.size)
    write(disk, node, { bytes: Buffer.alloc(size - node.size), position: node.size });
  node.size = size;
  touch(disk, node);
  note(disk, { kind: 'truncate', ino: node.ino, size });
}

function sync(disk: Disk, node: Node): Promise<void> {
  note(disk, { kind: 'sync', ino: node.ino });
  return Promise.resolve();
}

function statOf(disk: Disk, node: Node): FileStat {
  const { ino, size, modifiedMs, mode } = node;
  const links = [...disk.names.values()].filter((other) => other === node).length;
  return { size, dev: 1, ino, modifiedMs, mode, uid: 0, gid: 0, links };
}

function statIfThere(disk: Disk, path: string): FileStat | undefined {
  const node = disk.names.get(path);
  return node === undefined ? undefined : statOf(disk, node);
}

function rename(disk: Disk, from: string, to: string): void {
  const node = nodeAt(disk, from);
  disk.names.delete(from);
  disk.names.set(to, node);
  note(disk, { kind: 'rename', from, to, ino: node.ino });
}

function link(disk: Disk, from: string, to: string): void {
  if (disk.names.has(to)) throw failure('EEXIST', to);
  const node = nodeAt(disk, from);
  disk.names.set(to, node);
  note(disk, { kind: 'link', to, ino: node.ino });
}

function remove(disk: Disk, path: string): void {
  if (disk.names.delete(path)) note(disk, { kind: 'remove', path });
}

function namesIn(disk: Disk, folder: string): readonly string[] {
  const inFolder = [...disk.names.keys()].filter((path) => dirname(path) === folder);
  return inFolder.map((path) => basename(path));
}

function lock(disk: Disk, path: string, describe: () => string): Mutex | Rival {
  const holder = disk.locks.get(path);
  if (holder !== undefined) return { said: holder() };
  disk.locks.set(path, describe);
  return {
    release: () => {
      disk.locks.delete(path);
      return Promise.resolve();
    },
  };
}
