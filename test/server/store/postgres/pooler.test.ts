import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { newTokenText } from '../../../../server/store/tokens.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { type Cluster, freePort } from '../../../support/postgres.ts';
import { run } from '../../../support/run.ts';

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

type Pooling = {
  readonly name: string;
  readonly database: string;
  readonly settings: readonly string[];
};

/** Starts PgBouncer with these lines, as root not in its own name: it refuses to run as root. */
async function startPooler(file: string, lines: readonly string[]): Promise<void> {
  const user = userInfo().uid === 0 ? ['user = postgres'] : [];
  await writeFile(file, [...lines, ...user].join('\n'));
  await chmod(file, 0o644);
  const child = spawn(pgbouncer ?? '', [file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGINT'));
}

/** Starts PgBouncer for a test; answers what makes an address lead to it. */
async function givenPooler(
  { folder }: Cluster,
  { name, database, settings }: Pooling,
): Promise<(address: string) => string> {
  const [port, file] = [await freePort(), join(folder, `pgbouncer-${name}.ini`)];
  const lines = [
    '[databases]',
    database,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    ...(settings.some((line) => line.startsWith('pool_mode')) ? [] : ['pool_mode = transaction']),
    ...settings,
  ];
  await startPooler(file, lines);
  return (address) => address.replace(/:\d+\//, `:${port}/`);
}

describeOnPostgres('behind PgBouncer', (cluster) => {
  it.skipIf(pgbouncer === undefined)(
    'in transaction mode two instances answer alike, with few connections to the server',
    async () => {
      const address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
      const name = address.slice(address.lastIndexOf('/') + 1);
      const pooled = (
        await givenPooler(cluster(), {
          name: 'any',
          database: `${name} = host=127.0.0.1 port=${cluster().port} user=postgres`,
          settings: ['auth_type = any', 'default_pool_size = 3'],
        })
      )(address);
      const [one, two] = await Promise.all([
        openPostgres({ address: pooled }),
        openPostgres({ address: pooled }),
      ]);
      const stores = [one.store, two.store];
      const storeFor = (at: number) => (at % 2 === 0 ? one.store : two.store);
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, at) => storeFor(at).create(1, { title: `T${at}` })),
      );
      expect(made.every((each) => each.kind === 'created')).toBe(true);
      await one.store.remove(1, 7, () => undefined);
      const reads = await Promise.all(
        Array.from({ length: 200 }, (_, at) => storeFor(at).read(1, 1 + (at % 60))),
      );
      expect(reads.filter((found) => found.kind === 'gone').length).toBeGreaterThan(0);
      expect(reads.every(({ kind }) => kind === 'gone' || kind === 'article')).toBe(true);
      const pages = await Promise.all(stores.map((store) => store.page(1, 3, 20)));
      expect(pages[0]).toEqual(pages[1]);
      for (const store of stores) await store.close();
    },
  );

  it.skipIf(pgbouncer === undefined)(
    'what was prepared and is not found again is asked again, by all that meet it at once, and said once',
    async () => {
      const address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
      const name = address.slice(address.lastIndexOf('/') + 1);
      const database = `${name} = host=127.0.0.1 port=${cluster().port} user=postgres`;
      const settings = ['auth_type = any', 'default_pool_size = 6'];
      const pooled = (await givenPooler(cluster(), { name: 'moved', database, settings }))(address);
      const notices: string[] = [];
      const report = (text: string) => void notices.push(text);
      const { store, tokens } = await openPostgres({ address: pooled, report });
      notices.length = 0;
      const token = newTokenText();
      const many = <Answer>(ask: (at: number) => Promise<Answer>) =>
        Promise.all(Array.from({ length: 20 }, (_, at) => ask(at)));
      const work = async () => ({
        tokens: await many(async () => tokens.lookup(token)),
        articles: await many((at) => store.read(1, at + 1)),
        pages: await many((at) => store.page(1, 0, at + 1)),
        made: await many((at) => store.create(1, { title: `T${at}` })),
      });
      await work();
      // Who begins a transaction holds the server that was used last: what was prepared there is elsewhere now.
      const held = new Client({ connectionString: pooled });
      await held.connect();
      await held.query('BEGIN');
      const { tokens: found, made } = await work();
      expect(found).toEqual(Array.from({ length: 20 }));
      expect(made.every(({ kind }) => kind === 'created')).toBe(true);
      expect(notices).toEqual([
        expect.stringMatching(/^postgres@127.* as behind a pooler: from now on every statement is/),
      ]);
      await held.end();
      await store.close();
    },
  );

  it.skipIf(pgbouncer === undefined)('as docs/postgres.md sets it up a role serves', async () => {
    const page = await readFile(new URL('../../../../docs/postgres.md', import.meta.url), 'utf8');
    const [, config = ''] = /^```ini\n(.+?)^```/ms.exec(page) ?? [];
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    const [port, name] = [await freePort(), address.slice(address.lastIndexOf('/') + 1)];
    await cluster().sql(`CREATE ROLE pooled SUPERUSER LOGIN PASSWORD 'right'`);
    const secret = `SELECT format('"pooled" "%s"', rolpassword) FROM pg_authid WHERE rolname = 'pooled'`;
    const users = join(cluster().folder, 'userlist.txt');
    await writeFile(users, await cluster().sql(secret));
    await chmod(users, 0o644);
    const here = config
      .replace('blog =', `${name} =`)
      .replace('db.example port=5432', `127.0.0.1 port=${cluster().port}`)
      .replace('/etc/pgbouncer/userlist.txt', users)
      .replace('6432', String(port));
    await startPooler(join(cluster().folder, 'page.ini'), [here, 'unix_socket_dir =']);
    vi.stubEnv('PGPASSWORD', 'right');
    const { store } = await openPostgres({
      address: `postgres://pooled@127.0.0.1:${port}/${name}`,
    });
    vi.unstubAllEnvs();
    expect(await store.create(1, { title: 'T' })).toMatchObject({ kind: 'created' });
    await store.close();
  });

  it.skipIf(pgbouncer === undefined)(
    'whose mode lets no transaction begin is told at the start, and by what meets it later',
    async () => {
      const address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
      const name = address.slice(address.lastIndexOf('/') + 1);
      const database = `${name} = host=127.0.0.1 port=${cluster().port} user=postgres`;
      const settings = ['auth_type = any', 'pool_mode = statement'];
      const pooled = await givenPooler(cluster(), { name: 'statement', database, settings });
      const refused = {
        code: 'forbidden',
        message: expect.stringContaining('not allowed in statement pooling mode'),
        hint: expect.stringContaining('pool_mode = transaction'),
      };
      const started = () =>
        openPostgres({ address: pooled(address) }).catch((error: unknown) => error);
      // It listens when it is ready.
      await expect.poll(started, { timeout: 20_000 }).toMatchObject(refused);
      const notices: string[] = [];
      const report = (text: string) => void notices.push(text);
      const { store } = await openPostgres({ address, report });
      notices.length = 0;
      const words = 'transaction blocks not allowed in statement pooling mode';
      vi.spyOn(Client.prototype, 'query').mockRejectedValue(
        Object.assign(new Error(words), { code: '08P01', severity: 'FATAL' }),
      );
      await expect(store.create(1, { title: 'T' })).rejects.toMatchObject({ failure: 'refused' });
      vi.restoreAllMocks();
      expect(await store.writesRefused()).toMatchObject({ failure: 'refused' });
      expect(await store.create(1, { title: 'T' })).toMatchObject({ kind: 'created' });
      expect(await store.writesRefused()).toBeUndefined();
      expect(notices).toEqual([
        expect.stringMatching(/statement pooling mode\. Of PgBouncer, set pool_mode = transaction/),
        expect.stringMatching(/^No longer: /),
      ]);
      await store.close();
    },
  );

  it.skipIf(pgbouncer === undefined)(
    'a role and a database are refused as what they are, not as a server that does not answer',
    async () => {
      await cluster().sql('CREATE ROLE pooled_guest LOGIN');
      const users = join(cluster().folder, 'users.txt');
      await writeFile(users, '"pooled_guest" "right"');
      await chmod(users, 0o644);
      const pooled = await givenPooler(cluster(), {
        name: 'scram',
        database: `gone = host=127.0.0.1 port=${cluster().port}`,
        settings: ['auth_type = scram-sha-256', `auth_file = ${users}`],
      });
      const checked = async (user: string, password: string, database: string) => {
        vi.stubEnv('PGPASSWORD', password);
        const store = pooled(`postgres://${user}@127.0.0.1:0/${database}`);
        const { status, err } = await run(['store', 'check', '--store', store]);
        vi.unstubAllEnvs();
        return [status, err];
      };
      const role = expect.stringMatching(
        /refuses the role: SASL auth.*\nhint: Set PGPASSWORD .* the users that the pooler knows\./,
      );
      const database = expect.stringMatching(/is not there: .*\nhint: Make it with createdb, and /);
      // It listens when it is ready.
      await expect.poll(() => checked('pooled_guest', 'wrong', 'gone')).toEqual([3, role]);
      expect(await checked('nobody', 'right', 'gone')).toEqual([3, role]);
      expect(await checked('pooled_guest', 'right', 'unknown')).toEqual([7, database]);
      expect(await checked('pooled_guest', 'right', 'gone')).toEqual([7, database]);
    },
  );
});
