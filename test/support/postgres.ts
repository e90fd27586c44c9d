import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const isRoot = userInfo().uid === 0;

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
  /** Of its programs. */
  readonly bin: string;
  /** Makes an empty database and answers its address. */
  database(): Promise<string>;
  /** Runs SQL as the superuser. */
  sql(text: string, database?: string): Promise<string>;
  start(): Promise<void>;
  /** SIGKILL for the postmaster and all it started: what a crash of the server is. */
  kill(): Promise<void>;
  /** A signal for the postmaster and all it started. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  stop(): Promise<void>;
};

/** A cluster of its own in a temporary folder; `fsync` where crashes are to be survived. */
export async function givenCluster({ fsync = false } = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-'));
  await chmod(folder, 0o755);
  if (isRoot) await run('chown', ['postgres', folder]);
  const words = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run(...asPostgres('initdb', ['-D', join(folder, 'data'), ...words]));
  const cluster = clusterIn(folder, await freePort(), fsync);
  await cluster.start();
  return cluster;
}

/** The cluster of all who name the same folder: the first of them starts it. */
export async function sharedCluster(folder: string): Promise<Cluster> {
  const note = join(folder, 'started');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const { folder: own, port } = await givenCluster();
    await writeFile(`${note}~`, JSON.stringify([own, port]));
    await run('mv', [`${note}~`, note]);
  }
  while (!existsSync(note)) await pause(50);
  const [own, port] = JSON.parse(await readFile(note, 'utf8'));
  return clusterIn(own, port, false);
}

/** Ends the cluster of that folder, if there is one. */
export async function endSharedCluster(folder: string): Promise<void> {
  if (existsSync(join(folder, 'started'))) await (await sharedCluster(folder)).stop();
  await rm(folder, { recursive: true, force: true });
}

function clusterIn(folder: string, port: number, fsync: boolean): Cluster {
  const data = join(folder, 'data');
  const bin = postgresFolder() ?? '';
  const options = [
    '-D', data, '-p', String(port), '-k', folder,
    '-c', 'listen_addresses=127.0.0.1', '-c', `fsync=${fsync ? 'on' : 'off'}`,
    '-c', 'max_connections=200', '-c', 'shared_buffers=32MB', '-c', 'jit=off',
  ]; // prettier-ignore
  const sql = async (text: string, database = 'postgres') => {
    const where = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database];
    const words = [...where, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', text];
    return (await run(join(bin, 'psql'), words)).stdout.trim();
  };
  return {
    port,
    folder,
    bin,
    sql,
    database: async () => {
      const name = `blog_${randomUUID().replaceAll('-', '')}`;
      await sql(`CREATE DATABASE ${name}`);
      return `postgres://postgres@127.0.0.1:${port}/${name}`;
    },
    start: () => startServer(options, () => sql('SELECT 1')),
    kill: async () => {
      const all = await processesOf(data);
      signal(all, 'SIGKILL');
      while (all.some((pid) => isThere(pid))) await pause(20);
    },
    signal: async (name) => signal(await processesOf(data), name),
    stop: async () => {
      const postmaster = (await processesOf(data).catch(() => [])).slice(0, 1);
      signal(postmaster, 'SIGINT');
      while (postmaster.some((pid) => isThere(pid))) await pause(20);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is run with the rights it needs: initdb and postgres refuse root. */
export function asPostgres(name: string, args: readonly string[]): [string, string[]] {
  const program = join(postgresFolder() ?? '', name);
  const as = ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
  return isRoot ? ['setpriv', [...as, program, ...args]] : [program, [...args]];
}

async function startServer(options: readonly string[], asked: () => Promise<unknown>) {
  const start = () =>
    spawn(...asPostgres('postgres', options), { stdio: 'ignore', detached: true });
  let child = start();
  for (let tries = 0; ; tries += 1) {
    // What a killed one left may keep the next from starting for a moment.
    if (child.exitCode !== null) child = start();
    child.unref();
    try {
      await asked();
      return;
    } catch (error) {
      if (tries > 600) throw error;
      await pause(50);
    }
  }
}

/** The postmaster of a data folder, and then all that it started. */
export async function processesOf(data: string): Promise<readonly number[]> {
  const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => noChild);
  return [pid, ...stdout.trim().split(/\s+/).filter(Boolean).map(Number)];
}

const noChild = { stdout: '' };

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {} // Gone already.
  }
}

export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
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
