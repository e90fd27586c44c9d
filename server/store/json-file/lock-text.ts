import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type FileSystem,
  hasCode,
  type OpenFile,
  temporaryPath,
  writeFully,
} from '../file-system/file-system.ts';
import { UnusableStore } from '../unusable-store.ts';

/** What `<store>.lock` says. Only its owner may read it: the token opens the store. */
export type LockText = {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Of this opening of the store and no other. */
  readonly nonce: string;
  /** By which the kernel knows whether the holder lives. */
  readonly socket?: string;
  readonly url?: string;
  readonly token?: string;
  /**
   * Where the footer stood before the holder's first write; absent until then. Found in the lock
   * of a dead process it is the evidence that what follows this place may be torn.
   */
  readonly bytesAtOpen?: number;
};

/** No lock file of ours comes near. */
const LARGEST = 64 * 1024;

export function newLockText(since: number): LockText {
  return {
    pid: process.pid,
    host: hostname(),
    since: new Date(since).toISOString(),
    nonce: randomUUID(),
  };
}

/** Undefined where there is none or it is not readable as one; throws UnusableStore where it is none of ours. */
export function readLock(fileSystem: FileSystem, path: string): LockText | undefined {
  if (fileSystem.stat(path) === undefined) return undefined;
  const file = openIfThere(fileSystem, path);
  if (file === undefined) return undefined;
  try {
    // Of the file that is read, not of the name: the holder may give it to a longer one meanwhile.
    const { size } = file.stat();
    if (size > LARGEST) throw tooLarge(path, size);
    const bytes = Buffer.alloc(size);
    return parseLock(bytes.toString('utf8', 0, file.read(bytes, 0)));
  } finally {
    file.close();
  }
}

function openIfThere(fileSystem: FileSystem, path: string): OpenFile | undefined {
  try {
    return fileSystem.open(path, 'read');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Where a crash can have torn a store file, as a lock file says. */
export type Crash = { readonly bytesAtOpen: number };

export function crashOf(text: Pick<LockText, 'bytesAtOpen'> | undefined): Crash | undefined {
  const bytesAtOpen = text?.bytesAtOpen;
  return bytesAtOpen === undefined ? undefined : { bytesAtOpen };
}

/** What the lock file beside a store file says of it. */
export function crashIn(fileSystem: FileSystem, path: string): Crash | undefined {
  return crashOf(readLock(fileSystem, `${path}.lock`));
}

function tooLarge(path: string, size: number): UnusableStore {
  return new UnusableStore('forbidden', `${path} has ${size} bytes and is no lock of blogctl.`, {
    hint: 'Move it away.',
  });
}

export function parseLock(text: string): LockText | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const members: Readonly<Record<string, unknown>> = { ...value };
  const { pid, host, since, nonce, socket, url, token, bytesAtOpen } = members;
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string')
    return undefined;
  return {
    pid,
    host,
    since,
    nonce: typeof nonce === 'string' ? nonce : '',
    ...(typeof socket === 'string' ? { socket } : {}),
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

type NewLockFile = {
  readonly path: string;
  readonly file: OpenFile;
  discard(): void;
};

/** The next lock file beside the present one: whole before it has the name. */
export async function newLockFile(
  fileSystem: FileSystem,
  lockPath: string,
  { text, durable }: { readonly text: LockText; readonly durable: boolean },
): Promise<NewLockFile> {
  const path = temporaryPath(lockPath);
  const file = fileSystem.open(path, 'create-new');
  const discard = () => {
    file.close();
    fileSystem.remove(path);
  };
  try {
    await writeFully(file, Buffer.from(`${JSON.stringify(text)}\n`), 0);
    if (durable) await file.sync();
  } catch (error) {
    discard();
    throw error;
  }
  return { path, file, discard };
}
