import { execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asPostgres, freePort, isThere, postgresFolder, processesOf, signal } from './postgres.ts';

const run = promisify(execFile);

/** A primary with one synchronous standby. */
export type Pair = {
  /** Both hosts, the database `blog`. */
  readonly address: string;
  /** SIGKILL for the primary and all it started; the standby is promoted, and gets a standby. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
};

type Node = { readonly data: string; readonly port: number };

export async function givenPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-pair-'));
  await chmod(folder, 0o755);
  if (userInfo().uid === 0) await run('chown', ['postgres', folder]);
  const nodes: Node[] = [];
  for (const name of ['a', 'b']) nodes.push({ data: join(folder, name), port: await freePort() });
  let [primary, standby] = [nodes[0], nodes[1]];
  if (primary === undefined || standby === undefined) throw new TypeError('two nodes');

  const psql = async ({ port }: Node, text: string, database = 'postgres') => {
    const where = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database];
    return (
      await run(join(postgresFolder() ?? '', 'psql'), [...where, '-qAtX', '-c', text])
    ).stdout.trim();
  };
  const until = async (node: Node, text: string) => {
    for (let tries = 0; ; tries += 1) {
      const answer = await psql(node, text).catch(() => '');
      if (answer === 't') return;
      if (tries > 1200) throw new Error(`never: ${text}`);
      await pause(50);
    }
  };
  const start = async ({ data, port }: Node) => {
    const options = [
      '-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1',
      '-c', 'fsync=on', '-c', 'shared_buffers=32MB', '-c', 'synchronous_standby_names=*',
    ]; // prettier-ignore
    spawn(...asPostgres('postgres', options), { stdio: 'ignore', detached: true }).unref();
    await until({ data, port }, 'SELECT true');
  };
  const follow = async (leader: Node, follower: Node) => {
    await rm(follower.data, { recursive: true, force: true });
    const from = ['-h', folder, '-p', String(leader.port), '-U', 'postgres'];
    const how = ['-D', follower.data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await run(...asPostgres('pg_basebackup', [...from, ...how]));
    await start(follower);
    await until(leader, `SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'`);
  };
  await run(
    ...asPostgres('initdb', ['-D', primary.data, '-U', 'postgres', '-A', 'trust', '--no-sync']),
  );
  await start(primary);
  await follow(primary, standby);
  await psql(primary, 'CREATE DATABASE blog');
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    address: `postgres://postgres@${hosts}/blog`,
    failOver: async () => {
      if (primary === undefined || standby === undefined) return;
      await killAll(primary);
      await psql(standby, 'SELECT pg_promote()');
      [primary, standby] = [standby, primary];
      await follow(primary, standby);
    },
    stop: async () => {
      for (const node of nodes) await killAll(node).catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function killAll({ data }: Node): Promise<void> {
  const all = await processesOf(data);
  signal(all, 'SIGKILL');
  while (all.some((pid) => isThere(pid))) await pause(20);
}
