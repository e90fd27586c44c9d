import { hash } from 'node:crypto';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, dirname } from 'node:path';
import { hasCode, type Mutex, type Rival } from './file-system.ts';
import { lockBySocket } from './lock-socket.ts';

/** Flags of the BSDs and macOS that Node does not name: open and lock in one step. */
const O_EXLOCK = 0x20;

/** Sockets cannot be made on some file systems (FAT, shares of a virtual machine's host). */
const NO_SOCKETS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS'];

/**
 * A mutex of the kernel for a path, which ends with the process however it ends: a socket beside
 * the file on Linux, a named pipe on Windows, a lock of the file on macOS.
 */
export async function lockPath(
  path: string,
  describe: () => string,
  former?: () => string | undefined,
): Promise<Mutex | Rival> {
  if (process.platform === 'win32') {
    return lockName(String.raw`\\.\pipe\blogctl-${nameOf(path)}`);
  }
  if (process.platform !== 'linux' && process.platform !== 'android') {
    return lockFile(`${path}.mutex`);
  }
  try {
    return await lockBySocket(path, describe, former);
  } catch (error) {
    if (!hasCode(error, ...NO_SOCKETS)) throw error;
    // Weaker: it is seen in one network namespace only, and any user may take the name.
    return lockName(`\0blogctl-${nameOf(path)}`);
  }
}

/** The folder's identity and not its path: a folder may be mounted in two places. */
function nameOf(path: string): string {
  const { dev, ino } = statSync(dirname(path));
  return hash('sha256', `${dev}:${ino}:${basename(path)}`).slice(0, 40);
}

const RIVAL: Rival = { said: undefined };

function lockName(name: string): Promise<Mutex | Rival> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error) => {
      if (hasCode(error, 'EADDRINUSE', 'EACCES')) resolve(RIVAL);
      else reject(error);
    });
    server.listen({ path: name, exclusive: true }, () =>
      resolve({ release: () => closed(server) }),
    );
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** The file stays: taking its name away would let two processes lock two files of one name. */
function lockFile(path: string): Mutex | Rival {
  const { O_RDWR, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const flags = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_EXLOCK;
    const descriptor = openSync(path, flags, 0o600);
    return {
      release: () => {
        closeSync(descriptor);
        return Promise.resolve();
      },
    };
  } catch (error) {
    if (hasCode(error, 'EAGAIN', 'EWOULDBLOCK')) return RIVAL;
    throw error;
  }
}
