import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

/** A file or folder that the command made, as the kernel was asked for it. */
export type Made = { readonly path: string; readonly flags: string; readonly mode: string };

/** Wants strace, and the right to trace. */
export function mayTrace(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
}

export type Traced = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** Runs the built command under `umask 0` and answers what it made. */
export function madeBy(words: readonly string[], { folder, env, input = '' }: Traced): Made[] {
  const own = mkdtempSync(join(tmpdir(), 'blogctl-trace-'));
  const log = join(own, 'log');
  try {
    spawnSync('sh', ['-c', 'umask 0; exec "$0" "$@"', ...tracing(log, words)], {
      cwd: folder,
      env: { ...process.env, ...env },
      input,
    });
    return made(readFileSync(log, 'utf8'), folder);
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** The same of a command that runs until it is ended: as soon as `isDone` of what it says. */
export async function madeWhileServing(
  words: readonly string[],
  { folder, env }: Traced,
  use: (firstLine: string) => Promise<void>,
): Promise<Made[]> {
  const own = mkdtempSync(join(tmpdir(), 'blogctl-trace-'));
  const log = join(own, 'log');
  const child = spawn('sh', ['-c', 'umask 0; exec "$0" "$@"', ...tracing(log, words)], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await new Promise<string[]>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).split('\n'))),
  );
  await use(line ?? '');
  execFileSync('kill', [String(JSON.parse(line ?? '').pid)]);
  await new Promise((resolve) => child.once('close', resolve));
  const found = made(readFileSync(log, 'utf8'), folder);
  rmSync(own, { recursive: true });
  return found;
}

function tracing(log: string, words: readonly string[]): readonly string[] {
  const calls = 'trace=open,openat,creat,mkdir,mkdirat';
  return [
    'strace',
    '-f',
    '-qq',
    '-s',
    '512',
    '-o',
    log,
    '-e',
    calls,
    process.execPath,
    bin,
    ...words,
  ];
}

const opened = /(?:open|openat|creat)\((?:AT_FDCWD, )?"([^"]+)", (\S*O_CREAT\S*), (0\d+)\) = \d+/g;
const mkdir = /mkdir(?:at)?\((?:AT_FDCWD, )?"([^"]+)", (0\d+)\) = 0/g;

/** Calls of one thread that another one interrupted stand in two lines: they are put together. */
function made(log: string, folder: string): Made[] {
  const text = joined(log);
  const files = [...text.matchAll(opened)].map(([, path = '', flags = '', mode = '']) => ({
    path,
    flags,
    mode,
  }));
  const folders = [...text.matchAll(mkdir)].map(([, path = '', mode = '']) => ({
    path,
    flags: 'folder',
    mode,
  }));
  return [...files, ...folders]
    .filter(({ path }) => !path.startsWith('/dev/') && !path.startsWith('/proc/'))
    .map((one) => ({ ...one, path: one.path.replace(`${folder}/`, '').replace(folder, '.') }));
}

function joined(log: string): string {
  const begun = new Map<string, string>();
  return log
    .split('\n')
    .map((line) => {
      const [thread = ''] = line.split(' ');
      const unfinished = / <unfinished \.\.\.>$/.exec(line);
      if (unfinished !== null) begun.set(thread, line.slice(0, unfinished.index));
      const resumed = /<\.\.\. \w+ resumed>(.*)$/.exec(line);
      return resumed === null ? line : `${begun.get(thread) ?? ''}${resumed[1] ?? ''}`;
    })
    .join('\n');
}
