import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { random } from '../support/random.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

export type Ended = { readonly status: number | null; readonly out: string; readonly err: string };

export type Running = {
  readonly ended: Promise<Ended>;
  readonly child: ChildProcess;
};

/** The built command as a process of its own, knowing no settings but these; it does not outlive the test. */
export function start(
  line: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [bin, ...line], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, ended: end(child) };
}

async function end(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  await once(child, 'close');
  return { status: child.exitCode, out, err };
}

export type Served = { readonly blog: string; readonly port: number; readonly running: Running };

/** `blogctl serve`, once it said that it is ready. */
export async function serve(
  store: string,
  port: number,
  token: string,
  more: readonly string[] = [],
): Promise<Served> {
  const command = ['serve', '--store', store, '--port', String(port), '--json', '--quiet', ...more];
  const running = start(command, { BLOGCTL_SERVE_TOKEN: token });
  const { stdout } = running.child;
  if (stdout === null) throw new Error('no stdout');
  for await (const line of createInterface({ input: stdout })) {
    const ready: { readonly blogs: readonly { readonly url: string }[] } = JSON.parse(line);
    const blog = ready.blogs[0]?.url ?? '';
    return { blog, port: Number(new URL(blog).port), running };
  }
  throw new Error(`It did not start: ${(await running.ended).err}`);
}

/** Ends it, by kill -9 if nothing else is said, at some moment of the next `withinMs`; false where it had ended by itself before. */
export async function killWithin(
  running: Running,
  withinMs: number,
  signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM' = 'SIGKILL',
): Promise<boolean> {
  const moment = after(random.next() * withinMs, 'now' as const);
  const first = await Promise.race([running.ended, moment]);
  if (first !== 'now') return false;
  running.child.kill(signal);
  await running.ended;
  return true;
}

export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-once-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
