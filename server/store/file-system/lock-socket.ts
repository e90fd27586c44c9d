import { hash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, type Mutex, type Rival } from './file-system.ts';

/** A folder that is open, by which its sockets have short names however deep it lies. */
type Folder = { readonly descriptor: number; readonly path: string };

/** Of a lock socket, in the folder of the file that is locked. */
type SocketName = string;

const UNREACHED: Rival = { said: undefined };

const ANSWER_TIMEOUT_MS = 200;
const PAUSE_MS = 2;
const ANSWER_MS = 250;
const ANSWER_BYTES = 64 * 1024;

/**
 * A mutex of listening sockets beside the file, each under a name of its own. Each process makes its
 * socket first and then looks for others that live: of two the later one sees the earlier, so both
 * never have the mutex, and as a name is used once, a dead one can be removed by anybody. The
 * kernel knows exactly who lives: a socket in a folder is reached from every network and process
 * namespace, by nobody who may not enter the folder, and refuses the moment its process is dead.
 */
export async function lockBySocket(
  path: string,
  describe: () => string,
  former: () => SocketName | undefined = () => undefined,
): Promise<Mutex | Rival> {
  const folder = openFolder(dirname(path));
  let hasIt = false;
  const own = newName(path);
  const server = await listen(inFolder(folder, own), () => (hasIt ? describe() : '')).catch(
    (error: NodeJS.ErrnoException) => {
      closeSync(folder.descriptor);
      const message = `${error.code}: no lock can be made in ${dirname(path)}`;
      throw Object.assign(new Error(message, { cause: error }), {
        code: error.code,
        syscall: 'bind',
      });
    },
  );
  const release = async () => {
    removeSocket(folder, own);
    await closed(server);
    closeSync(folder.descriptor);
  };
  try {
    giveGroup(inFolder(folder, own), lockedBy(folder, path));
    openToAll(inFolder(folder, own));
    const rival =
      (await rivalOf(own, { folder, path })) ?? (isListed(former()) ? UNREACHED : undefined);
    hasIt = rival === undefined;
    if (rival === undefined) return { release, socket: own };
    await release();
    return rival;
  } catch (error) {
    await release();
    throw error;
  }
}

function openFolder(path: string): Folder {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  return { descriptor, path: `/proc/self/fd/${descriptor}` };
}

function inFolder(folder: Folder, name: SocketName): string {
  return `${folder.path}/${name}`;
}

/** The kernel takes 107 bytes for the way to a socket. */
const LONGEST_BASE = 60;

function prefixOf(path: string): string {
  const name = basename(path);
  const base = Buffer.byteLength(name) > LONGEST_BASE ? hash('sha256', name).slice(0, 40) : name;
  return `${base}.lock-`;
}

function newName(path: string): SocketName {
  return `${prefixOf(path)}${randomBytes(6).toString('hex')}`;
}

/** Whoever comes is told who we are. */
function listen(path: string, answer: () => string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy()); // Gone before it was told.
      socket.end(answer(), () => socket.destroy());
    });
    server.unref();
    server.once('error', reject);
    server.listen({ path, exclusive: true }, () => resolve(server));
  });
}

/** Other users could not tell a socket that they may not connect to from a dead one. */
function openToAll(path: string): void {
  try {
    chmodSync(path, 0o666);
  } catch (error) {
    // Taken for dead by another process in the moment before it listened.
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

type SocketPlace = { readonly folder: Folder; readonly path: string };

/**
 * Who hinders us from having the mutex. Where two ask at once, the one whose name comes later gives
 * way and the other waits for that.
 */
async function rivalOf(own: SocketName, place: SocketPlace): Promise<Rival | undefined> {
  const until = performance.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    const others = await livingOthers(own, place);
    // Where our own is gone, nobody would see that we have the mutex.
    if (others.length === 0) return isThere(place.folder, own) ? undefined : { said: '' };
    const holder = others.find(({ said }) => said !== '');
    if (holder !== undefined) return { said: holder.said };
    if (others.some(({ isSilent }) => isSilent)) return { said: '', isSilent: true };
    const first = others.some(({ name }) => name < own);
    if (first || performance.now() >= until || !isThere(place.folder, own)) return { said: '' };
    await pause(PAUSE_MS);
  }
}

/** Whose socket has lost its name is reached no more, and lives as long as the kernel lists it. */
function isListed(socket: SocketName | undefined): boolean {
  if (socket === undefined) return false;
  try {
    return readFileSync('/proc/net/unix', 'utf8').includes(`/${socket}\n`);
  } catch {
    return false; // Where it may not be read nothing tells.
  }
}

type SocketAnswer = { readonly said: string; readonly isSilent: boolean };
type Other = SocketAnswer & { readonly name: SocketName };

async function livingOthers(
  own: SocketName,
  { folder, path }: SocketPlace,
): Promise<readonly Other[]> {
  const prefix = prefixOf(path);
  const names = readdirSync(folder.path).filter((name) => name.startsWith(prefix) && name !== own);
  const asked = names
    .filter((name) => isSocketOfWriter(folder, name, path))
    .map(async (name): Promise<readonly Other[]> => {
      const told = await ask(inFolder(folder, name));
      if (told !== undefined) return [{ name, ...told }];
      removeSocket(folder, name);
      return [];
    });
  return (await Promise.all(asked)).flat();
}

/**
 * In a folder that everybody may write into (`/tmp`), nobody locks a file that is not theirs to write.
 * Who may write it as one of its group has given the socket that group, which nobody else can do;
 * where a folder gives it to every file, it proves nothing.
 */
function isSocketOfWriter(folder: Folder, name: SocketName, path: string): boolean {
  const socket = lstatSync(inFolder(folder, name), { throwIfNoEntry: false });
  if (socket === undefined || !socket.isSocket()) return false;
  const locked = lockedBy(folder, path);
  if ([0, locked.uid, process.geteuid?.()].includes(socket.uid)) return true;
  if ((locked.mode & WRITABLE_BY_ALL) !== 0) return true;
  const { mode } = statSync(folder.path);
  const isProof = (mode & GIVES_ITS_GROUP) === 0 || (mode & WRITABLE_BY_ALL) === 0;
  return isProof && (locked.mode & WRITABLE_BY_GROUP) !== 0 && socket.gid === locked.gid;
}

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const GIVES_ITS_GROUP = 0o2000;

/** The file, or where it is to be made its folder. */
function lockedBy(folder: Folder, path: string): Stats {
  return statSync(path, { throwIfNoEntry: false }) ?? statSync(folder.path);
}

/** The proof that we may write the file as one of its group; who may as its owner needs none. */
function giveGroup(path: string, { gid, mode }: Stats): void {
  const uid = process.geteuid?.();
  if (uid === undefined || (mode & WRITABLE_BY_GROUP) === 0) return;
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    // Not of the group; or taken for dead by another process before it listened.
    if (!hasCode(error, 'EPERM', 'ENOENT')) throw error;
  }
}

/** What the process behind a socket says; undefined where it is dead. */
function ask(path: string): Promise<SocketAnswer | undefined> {
  return new Promise((resolve) => {
    let said = '';
    let isWhole = false;
    const socket = connect({ path }).setEncoding('utf8');
    const deadline = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.on('data', (text) => {
      said += String(text);
      if (said.length > ANSWER_BYTES) socket.destroy();
    });
    socket.on('end', () => (isWhole = true));
    socket.on('error', (error) => {
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) resolve(undefined);
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(isWhole ? { said, isSilent: false } : { said: '', isSilent: true });
    });
  });
}

function isThere(folder: Folder, name: SocketName): boolean {
  return lstatSync(inFolder(folder, name), { throwIfNoEntry: false }) !== undefined;
}

/** Where it may not be removed it stays, and dead as it is hinders nobody. */
function removeSocket(folder: Folder, name: SocketName): void {
  try {
    unlinkSync(inFolder(folder, name));
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EPERM', 'EACCES')) throw error;
  }
}
