import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { BlogctlError } from '../errors.ts';
import { PRIVATE_FILE } from '../files.ts';

const patienceMs = 5000;
const askAgainMs = 20;
/** A change takes milliseconds; a lock this old was left behind by a process that died. */
const abandonedMs = 10_000;

/** Does something while no other process does the same for this path. */
export async function alone<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await take(lock);
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      await (await open(lock, 'wx', PRIVATE_FILE)).close();
      return;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      if (await isAbandoned(lock)) await rm(lock, { force: true });
      else if (Date.now() > until) throw stillHeld(lock, error);
      else await pause(askAgainMs);
    }
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > abandonedMs;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function stillHeld(lock: string, cause: unknown): BlogctlError {
  return new BlogctlError('locked', 'Another blogctl is changing the configuration.', {
    hint: `try again; if no other runs, remove ${lock}`,
    retryable: true,
    cause,
  });
}
