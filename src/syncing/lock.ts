import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BlogctlError } from '../errors.ts';

const longestAnswerMs = 1000;

/**
 * Keeps a second apply of the same state away for as long as this process lives: the kernel frees the
 * name of a socket when its process ends, however it ends. Answers how to let go of it.
 */
export async function lockState(path: string): Promise<() => void> {
  const name = socketName(path);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(name);
    if (server !== undefined) return () => void server.close();
    const holder = await askHolder(name);
    if (holder !== undefined) throw held(holder);
    // A socket file that nobody listens at was left behind by a process that was killed.
    if (!name.startsWith('\0') && process.platform !== 'win32') rmSync(name, { force: true });
  }
  throw held('another process');
}

/** Without a file on Linux and Windows. */
function socketName(path: string): string {
  const name = `blogctl-sync-${hash('sha256', path).slice(0, 20)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(`process ${process.pid}`);
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(name, () => resolve(server.unref()));
  });
}

/** Who holds it; undefined where nobody is there any more. */
function askHolder(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(name);
    let said = '';
    socket.setTimeout(longestAnswerMs, () => {
      socket.destroy();
      resolve('another process');
    });
    socket.on('data', (text) => void (said += text.toString('utf8')));
    socket.on('end', () => resolve(said));
    socket.on('error', () => resolve(undefined));
  });
}

function held(holder: string): BlogctlError {
  return new BlogctlError('locked', `Another sync of this blog is under way (${holder}).`, {
    hint: 'Wait until it has ended; then run it again.',
    retryable: true,
  });
}
