import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { FileStat, FileSystem } from '../files/file-system.ts';
import { writeFully } from '../files/write-fully.ts';

/** What `<store>.lock` says. Only its owner may read it: the token opens the store. */
export type LockText = {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  readonly url?: string;
  readonly token?: string;
  /**
   * Where the footer stood before the holder's first write; absent until then. Found in the lock
   * of a dead process it is the evidence that what follows this place may be torn.
   */
  readonly bytesAtOpen?: number;
};

export function ownLock(since: number): LockText {
  return { pid: process.pid, host: hostname(), since: new Date(since).toISOString() };
}

/** Undefined where there is none or it is not readable as one. */
export function readLock(fileSystem: FileSystem, path: string): LockText | undefined {
  const stat = fileSystem.stat(path);
  if (stat === undefined) return undefined;
  const file = fileSystem.open(path, 'read');
  try {
    const bytes = Buffer.alloc(stat.size);
    return parseLock(bytes.toString('utf8', 0, file.read(bytes, 0)));
  } finally {
    file.close();
  }
}

function parseLock(text: string): LockText | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, host, since, url, token, bytesAtOpen }: Readonly<Record<string, unknown>> = {
    ...value,
  };
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string')
    return undefined;
  return {
    pid,
    host,
    since,
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof bytesAtOpen === 'number' ? { bytesAtOpen } : {}),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A lock cut short by a power cut was not yet evidence of anything.
  }
}

/** Writes the new lock file beside the old one and answers its identity. */
export async function draftLock(
  fileSystem: FileSystem,
  path: string,
  { text, durable }: { readonly text: LockText; readonly durable: boolean },
): Promise<FileStat> {
  fileSystem.remove(draftOf(path));
  const file = fileSystem.open(draftOf(path), 'create-new');
  try {
    file.adopt({ ...file.stat(), mode: 0o100600 });
    await writeFully(file, Buffer.from(`${JSON.stringify(text)}\n`), 0);
    if (durable) await file.sync();
    return file.stat();
  } finally {
    file.close();
  }
}

/** Puts the draft in the place of the lock file: whole at every moment, durable only when asked for. */
export async function publishLock(
  fileSystem: FileSystem,
  path: string,
  durable: boolean,
): Promise<void> {
  fileSystem.rename(draftOf(path), path);
  if (durable) await fileSystem.syncFolder(dirname(path));
}

function draftOf(path: string): string {
  return `${path}.tmp`;
}
