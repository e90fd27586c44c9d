import { hash } from 'node:crypto';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, dirname } from 'node:path';
import { hasCode } from '../files/error-code.ts';
import type { Claim } from '../files/file-system.ts';

/** Flags of the BSDs and macOS that Node does not name: open and lock in one step. */
const O_EXLOCK = 0x20;

/**
 * Claims a path for this process by a mutex of the kernel, which ends with the process however it
 * ends: an abstract socket on Linux, a named pipe on Windows, a lock of the file on macOS.
 */
export async function claimName(path: string): Promise<Claim | undefined> {
  if (process.platform === 'win32')
    return claimSocket(String.raw`\\.\pipe\blogctl-${nameOf(path)}`);
  if (process.platform === 'linux' || process.platform === 'android') {
    return claimSocket(`\0blogctl-${nameOf(path)}`);
  }
  return claimFile(`${path}.mutex`);
}

/** The folder's identity and not its path: a folder may be mounted in two places. */
function nameOf(path: string): string {
  const { dev, ino } = statSync(dirname(path));
  return hash('sha256', `${dev}:${ino}:${basename(path)}`).slice(0, 40);
}

function claimSocket(name: string): Promise<Claim | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error) => {
      if (hasCode(error, 'EADDRINUSE', 'EACCES')) resolve(undefined);
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
function claimFile(path: string): Claim | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
  try {
    const descriptor = openSync(path, flags, 0o600);
    return {
      release: () => {
        closeSync(descriptor);
        return Promise.resolve();
      },
    };
  } catch (error) {
    if (hasCode(error, 'EAGAIN', 'EWOULDBLOCK')) return undefined;
    throw error;
  }
}
