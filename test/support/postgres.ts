import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folder of initdb and postgres; undefined where there is no PostgreSQL on this machine. */
export function postgresFolder(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : [];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian];
  return folders.find((folder) =>
    ['initdb', 'postgres', 'psql'].every((name) => folder !== '' && existsSync(join(folder, name))),
  );
}

export const haproxy = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) =>
  existsSync(path),
);

export type Cluster = {
  readonly port: number;
  readonly folder: string;
  readonly bin: string;
  /** Without a database: `postgres://postgres@127.0.0.1:port`. */
  readonly url: string;
  /** Makes an empty database and answers its address. */
  database(): Promise<string>;
  /** Runs SQL as the superuser. */
  sql(text: string, database?: string): Promise<string>;
  start(): Promise<void>;
  /** SIGKILL for the postmaster and all it started: what a crash of the server is. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** A cluster of its own in a temporary folder; `fsync` where crashes are to be survived. */
export async function givenCluster({ fsync = false } = {}): Promise<Cluster> {
  const bin = postgresFolder();
  if (bin === undefined) throw new Error('There is no PostgreSQL on this machine.');
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-'));
  const isRoot = userInfo().uid === 0;
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  // initdb refuses root: the user that comes with the package does it.
  const as = (program: string, args: readonly string[]) =>
    isRoot
      ? (['runuser', ['-u', 'postgres', '--', program, ...args]] as const)
      : ([program, args] as const);
  if (isRoot) await run('chown', ['postgres', folder]);
  const port = await freePort();
  const init = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ];
  await run(...asArguments(as(join(bin, 'initdb'), init)));
  const options = [
    '-D', data, '-p', String(port), '-k', folder,
    '-c', 'listen_addresses=127.0.0.1', '-c', `fsync=${fsync ? 'on' : 'off'}`,
    '-c', 'max_connections=80', '-c', 'shared_buffers=32MB', '-c', 'jit=off',
  ]; // prettier-ignore
  let made = 0;
  const psql = async (text: string, database = 'postgres') => {
    const where = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database];
    const { stdout } = await run(join(bin, 'psql'), [
      ...where,
      '-qAtX',
      '-v',
      'ON_ERROR_STOP=1',
      '-c',
      text,
    ]);
    return stdout.trim();
  };
  const cluster: Cluster = {
    port,
    folder,
    bin,
    url: `postgres://postgres@127.0.0.1:${port}`,
    database: async () => {
      made += 1;
      await psql(`CREATE DATABASE blog_${made}`);
      return `postgres://postgres@127.0.0.1:${port}/blog_${made}`;
    },
    sql: psql,
    start: async () => {
      const [program, args] = as(join(bin, 'postgres'), options);
      let child = spawn(program, [...args], { stdio: 'ignore', detached: true });
      for (let tries = 0; ; tries += 1) {
        // What a killed one left may keep the next from starting for a moment.
        if (child.exitCode !== null)
          child = spawn(program, [...args], { stdio: 'ignore', detached: true });
        child.unref();
        try {
          await psql('SELECT 1');
          return;
        } catch (error) {
          if (tries > 600) throw error;
          await new Promise((next) => setTimeout(next, 50));
        }
      }
    },
    kill: async () => {
      const pid = await pidOf(data);
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]);
      const backends = stdout.trim().split(/\s+/).map(Number);
      await signal(pid, 'SIGKILL');
      for (const backend of backends) await signal(backend, 'SIGKILL').catch(() => {});
    },
    stop: async () => {
      const pid = await pidOf(data).catch(() => undefined);
      if (pid !== undefined) await signal(pid, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
  await cluster.start();
  return cluster;
}

function asArguments([program, args]: readonly [string, readonly string[]]): [string, string[]] {
  return [program, [...args]];
}

async function pidOf(data: string): Promise<number> {
  return Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Resolves when the process is gone. */
async function signal(pid: number, name: NodeJS.Signals): Promise<void> {
  process.kill(pid, name);
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((next) => setTimeout(next, 20));
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });
}
