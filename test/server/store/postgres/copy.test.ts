import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { checkStore, copyStore, withTokens } from '../../../../server/index.ts';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { CopyQuery } from '../../../../server/store/postgres/copy-rows.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import type { Store } from '../../../../server/store/store.ts';
import { startBlogctl } from '../../../support/command.ts';
import { startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { run } from '../../../support/run.ts';
import type { Cluster } from '../../../support/postgres.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

const anyVersion = () => undefined;
const keyOf = (id: number) => ({ key: `${id}`.padStart(64, 'a'), request: 'b'.repeat(64) });

/** All that a client can learn of a store. */
async function seen(store: Store): Promise<unknown> {
  return Promise.all([1, 2, 3].map((blogId) => seenOf(store, blogId)));
}

async function seenOf(store: Store, blogId: number): Promise<readonly unknown[]> {
  const upTo = (last: number, step = 1) =>
    Array.from({ length: Math.ceil(last / step) }, (_, at) => 1 + at * step);
  const all = await Promise.all([
    store.blogs(),
    store.blog(blogId),
    ...upTo(330).map((id) => store.read(blogId, id)),
    ...upTo(330, 10).map((id) => store.readByKey(blogId, keyOf(id).key)),
    ...[0, 7, 140, 295].map((first) => store.page(blogId, first, 9)),
  ]);
  // In bytes or as text, as the store has it; a version is each store's own.
  const inText = (name: string, value: Buffer) => {
    if (name === 'version') return undefined;
    return name === 'json' ? Buffer.from(value).toString() : value;
  };
  return JSON.parse(JSON.stringify(all, inText));
}

describeOnPostgres('store copy', (cluster) => {
  let folder: string;
  let file: string;
  let token: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-copy-'));
    file = join(folder, 'blog.json');
    await createJsonFile(file, { title: 'First', description: 'About' });
    const store = await openJsonFile({ path: file });
    await store.addBlog({ title: 'Second', description: '' });
    await store.create(1, { title: 'é \u0000 "\\', content: '\u2028' }, { idempotency: keyOf(1) });
    for (let id = 2; id <= 320; id += 1) {
      const idempotency = id % 3 === 0 ? undefined : keyOf(id);
      await store.create(id % 5 === 0 ? 2 : 1, { title: `T${id}` }, { idempotency });
    }
    for (let id = 3; id < 290; id += 4) await store.remove(1, id, anyVersion);
    await store.compact();
    for (const id of [1, 31, 301]) await store.replace(1, id, { title: 'Again' }, anyVersion);
    for (let id = 4; id < 290; id += 27) await store.remove(1, id, anyVersion);
    await store.lockArticle(2, 10, true);
    await store.close();
    const text = await readFile(file, 'utf8');
    const theirs = text
      .replace('"deleted":', '"note":{"by":"me"},\n"deleted":')
      .replace('"description":"About"', '"description":"About","theme":"dark"')
      .replace(keyOf(13).key, keyOf(8).key)
      .replace(/("title":"T8","updated":"[^"]*")/, '$1,"mood":"fine"');
    await writeFile(file, theirs);
    const edited = await openJsonFile({ path: file });
    await edited.confirm();
    await edited.close();
    ({ token } = await withTokens(file, (tokens) =>
      tokens.create({ name: 'ci', rights: ['create'], blogs: [2] }),
    ));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('shows in the database all that the file showed, to the byte, and goes on there', async () => {
    const address = await cluster().database();
    expect(await copyStore({ from: file, to: address })).toBeGreaterThan(200);
    expect(await checkStore(address)).toMatchObject({ verdict: 'sound', problems: [] });
    const { store, tokens } = await openPostgres({ address });
    const source = await openJsonFile({ path: file, readOnly: true });
    expect(await seen(store)).toEqual(await seen(source));
    expect(await tokens.lookup(token)).toMatchObject({
      name: 'ci',
      rights: ['create'],
      blogs: [2],
    });
    const replayed = await store.create(1, { title: 'x' }, { idempotency: keyOf(1) });
    expect(replayed).toMatchObject({ kind: 'replayed', article: { id: 1 } });
    const doubled = await store.readByKey(1, keyOf(8).key);
    expect(doubled).toMatchObject({ kind: 'article', article: { id: 8 } });
    const made = await store.create(1, { title: 'New' });
    expect(made).toMatchObject({ kind: 'created', article: { id: 320 } });
    await source.close();
    await store.close();
  });

  it('says what the role that is to serve the copy needs, to the word', async () => {
    const address = await cluster().database();
    const copied = await run(['store', 'copy', file, address], { env: {}, folder });
    expect([copied.status, copied.out]).toEqual([0, expect.stringMatching(/^postgres:.*\t\d+\n$/)]);
    const [, grants = ''] = /by psql: (GRANT .*;)\), blogctl token/.exec(copied.err) ?? [];
    const role = 'blogctl_of_copy';
    await cluster().sql(`CREATE ROLE ${role} LOGIN`);
    const name = address.slice(address.lastIndexOf('/') + 1);
    await cluster().sql(grants.replaceAll('blogctl_serve', role), name);
    const { store } = await openPostgres({ address: address.replace('postgres@', `${role}@`) });
    expect(await store.create(1, { title: 'New' })).toMatchObject({ kind: 'created' });
    await store.close();
  });

  it('refuses a database that is not empty, and one of two copies at once', async () => {
    const address = await cluster().database();
    const name = address.slice(address.lastIndexOf('/') + 1);
    // Who waited must not go by what there was before.
    await cluster().sql(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
    const twin = join(folder, 'twin.json');
    await copyFile(file, twin);
    const both = await Promise.allSettled(
      [file, twin].map((from) => copyStore({ from, to: address })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const loser = both.find((each) => each.status === 'rejected');
    expect(loser?.reason).toMatchObject({ code: 'exists' });
    await expect(copyStore({ from: file, to: address })).rejects.toMatchObject({ code: 'exists' });
  });

  /** A copy that waits in the middle of its articles, until it is let go. */
  async function copyHeldUp(address: string, from = file) {
    const other = new Client({ connectionString: address });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE blogctl.articles IN SHARE MODE');
    const copied = copyStore({ from, to: address });
    copied.catch(() => {});
    const waits = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'relation'
      AND datname = current_database()`;
    const name = address.slice(address.lastIndexOf('/') + 1);
    while ((await cluster().sql(waits, name)) === '0') await pause(10);
    return { copied, letGo: () => other.end() };
  }

  it('lets nobody else fill the store that it fills, of another file or with a token', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'Empty', description: '' });
    const other = join(folder, 'other.json');
    await createJsonFile(other, { title: 'Other', description: '' });
    await withTokens(other, (tokens) => tokens.create({ name: 'theirs', rights: ['create'] }));
    const { copied, letGo } = await copyHeldUp(address);
    const order: string[] = [];
    const noted = async (name: string, work: Promise<unknown>) => {
      await work.catch(() => {});
      order.push(name);
    };
    const notices: string[] = [];
    const report = (text: string) => void notices.push(text);
    const second = copyStore({ from: other, to: address, report });
    const made = withTokens(address, (tokens) =>
      tokens.create({ name: 'own', rights: ['create'] }),
    );
    const all = [noted('copied', copied), noted('second', second), noted('made', made)];
    await expect
      .poll(() => notices, { timeout: 20_000 })
      .toEqual([
        expect.stringMatching(
          /lets this wait: session \d+ of .* makes, fills or changes a store there/,
        ),
      ]);
    expect(order).toEqual([]);
    await letGo();
    await expect(second).rejects.toMatchObject({
      code: 'exists',
      message: expect.stringContaining('is not empty. Nothing was changed.'),
    });
    await Promise.all([made, ...all]);
    const names = await withTokens(address, (tokens) => tokens.list());
    expect(names.map(({ name }) => name).sort()).toEqual(['ci', 'own']);
    expect(await checkStore(address)).toMatchObject({ articles: await copied });
  });

  it('into a store that is served keeps a change waiting, which finds its blog', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'Empty', description: '' });
    const { store } = await openPostgres({ address });
    expect(await store.blog(1)).toMatchObject({ title: 'Empty' });
    const { copied, letGo } = await copyHeldUp(address);
    const made = store.create(1, { title: 'Meanwhile' });
    await pause(100);
    await letGo();
    expect(await copied).toBeGreaterThan(200);
    expect(await made).toMatchObject({ kind: 'created', article: { id: 320 } });
    expect(await store.blog(1)).toMatchObject({ title: 'First' });
    await store.close();
  });

  it('waits for its file, and is not ended by an instance of the same role that waits for it', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'Empty', description: '' });
    const { store } = await openPostgres({ address, writeTimeoutMs: 300 });
    const copier = new Client({ connectionString: address, application_name: 'blogctl' });
    await copier.connect();
    await copier.query('BEGIN; SELECT FROM blogctl.blogs FOR UPDATE');
    let refused: unknown;
    const copied = new Promise<Error | undefined>((done) => {
      class SlowCopy extends CopyQuery {
        override handleCopyInResponse(...[wire]: Parameters<CopyQuery['handleCopyInResponse']>) {
          const data = () => super.handleCopyInResponse(wire);
          const noted = (error: unknown) => (refused = error);
          void store.create(1, { title: 'A' }).catch(noted).then(data);
        }
      }
      copier.query(new SlowCopy('COPY blogctl.keys FROM STDIN', Buffer.of(), done));
    });
    expect(await copied).toBeFalsy();
    expect(refused).toMatchObject({ failure: 'overloaded' });
    await copier.end();
    expect(await store.create(1, { title: 'A' })).toMatchObject({ kind: 'created' });
    await store.close();
  });

  it('from a database that ends idle transactions waits for another copy no less', async () => {
    const [from, to] = [await cluster().database(), await cluster().database()];
    await copyStore({ from: file, to: from });
    const name = from.slice(from.lastIndexOf('/') + 1);
    const limit = `SET idle_in_transaction_session_timeout = '100ms'`;
    await cluster().sql(`ALTER DATABASE ${name} ${limit}`);
    const other = new Client({ connectionString: to });
    await other.connect();
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(x'626c6f6763746c'::bigint)`);
    const copied = copyStore({ from, to });
    await pause(1000);
    await other.end();
    expect(await copied).toBeGreaterThan(200);
  });

  it('refuses a file whose ids are times, before it sends any of it', async () => {
    const high = join(folder, 'high.json');
    const articles = [{ id: 1_764_205_200_000, title: 'Now', content: '' }];
    await writeFile(
      high,
      JSON.stringify({ format: 'blogctl/1', blogs: [{ id: 1, title: 'T' }], articles }),
    );
    const edited = await openJsonFile({ path: high });
    await edited.confirm();
    await edited.close();
    const nowhere = 'postgres://127.0.0.1:1/none';
    await expect(copyStore({ from: high, to: nowhere })).rejects.toMatchObject({
      code: 'foreign',
      message: expect.stringContaining(
        'blog 1 has ids up to 1764205200000; a database counts them',
      ),
      hint: expect.stringContaining(`export --blog 'file:${high}#blog=1'`),
    });
  });

  it('across asks no more where ids of two blogs alternate than where they do not', async () => {
    const [from, to] = [await cluster().database(), await cluster().database()];
    await copyStore({ from: file, to: from });
    const name = from.slice(from.lastIndexOf('/') + 1);
    await cluster().sql(
      `INSERT INTO blogctl.never SELECT 1, n, n FROM generate_series(1000, 3000, 2) AS n;
      UPDATE blogctl.blogs SET next_id = 3001 WHERE id = 1`,
      name,
    );
    const proxy = await startCuttingProxy(cluster().port, 'a pause');
    onTestFinished(() => proxy.stop());
    await copyStore({ from, to: to.replace(/:\d+\//, `:${proxy.port}/`) });
    // An insert for each takes some 100 bytes each to be told that it was done.
    expect(proxy.passed.back).toBeLessThan(20_000);
    const count = 'SELECT count(*) FROM blogctl.never';
    const there = await Promise.all(
      [from, to].map((each) => cluster().sql(count, each.slice(each.lastIndexOf('/') + 1))),
    );
    expect(there[1]).toBe(there[0]);
  });

  it('of several who make a store at once one does, and the others are told that it was made', async () => {
    const address = await cluster().database();
    const blog = { title: 'My blog', description: '' };
    const made = await Promise.allSettled([1, 2, 3].map(() => initPostgres(address, blog)));
    const refused = made.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    expect(refused).toHaveLength(2);
    for (const reason of refused)
      expect(reason).toMatchObject({
        code: 'exists',
        message: expect.stringContaining('has a store already. Nothing was changed.'),
      });
  });

  it('gives back the file it was, to the byte, also through a second database', async () => {
    const [one, two] = [await cluster().database(), await cluster().database()];
    await copyStore({ from: file, to: one });
    await copyStore({ from: one, to: two });
    const [first, second] = [join(folder, 'one.json'), join(folder, 'two.json')];
    const articles = await copyStore({ from: one, to: first });
    expect(await copyStore({ from: two, to: second })).toBe(articles);
    const original = await readFile(file, 'utf8');
    for (const word of ['"note":{', '"theme":', '"mood":', '"deleted":true', '"locked":true']) {
      expect(original).toContain(word);
    }
    expect(await readFile(first, 'utf8')).toBe(original);
    expect(await readFile(second, 'utf8')).toBe(original);
    const tokens = await readFile(join(folder, 'blog.tokens.json'), 'utf8');
    expect(await readFile(join(folder, 'one.tokens.json'), 'utf8')).toBe(tokens);
    await expect(copyStore({ from: one, to: first })).rejects.toMatchObject({ code: 'exists' });
    expect(await readFile(first, 'utf8')).toBe(original);
  });

  it('shows in a file, and in a database, what instances wrote; blogs with one id go one by one', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'Own', description: '' });
    const { store, tokens } = await openPostgres({ address });
    await store.addBlog({ title: 'Other', description: '' });
    for (let id = 1; id <= 60; id += 1) {
      const idempotency = id % 3 === 0 ? undefined : keyOf(id);
      const made = await store.create(id % 5 === 0 ? 2 : 1, { title: `T${id}` }, { idempotency });
      if (made.kind === 'created' && id % 4 === 0)
        await store.remove(made.blog.id, made.article.id, anyVersion);
    }
    const shared = copyStore({ from: address, to: join(folder, 'shared.json') });
    await expect(shared).rejects.toMatchObject({
      code: 'foreign',
      message: expect.stringContaining('blogs 1 and 2 both have an article 1'),
      hint: expect.stringContaining('--on-blog 2'),
    });
    const missing = copyStore({ from: address, to: join(folder, 'none.json'), blogId: 7 });
    await expect(missing).rejects.toThrow('has no blog 7');
    for (const blogs of [[2], [1, 2]])
      await tokens.create({ name: `for ${blogs.join()}`, rights: ['create'], blogs });
    for (const blogId of [1, 2]) {
      const alone = await cluster().database();
      const to = join(folder, `alone-${blogId}.json`);
      await copyStore({ from: address, to, blogId });
      await copyStore({ from: address, to: alone, blogId });
      expect(await checkStore(to)).toMatchObject({ verdict: 'sound', problems: [] });
      expect(await checkStore(alone)).toMatchObject({ verdict: 'sound', problems: [] });
      // Whatever gets the id of a blog that stayed behind is no blog of its tokens.
      const copied = await withTokens(to, (its) => its.list());
      expect(copied.map(({ blogs }) => blogs)).toEqual(blogId === 1 ? [[1]] : [[2], [2]]);
      const own = async (from: Store) => (await seenOf(from, blogId)).slice(1);
      const inFile = await openJsonFile({ path: to });
      const { store: inDatabase } = await openPostgres({ address: alone });
      expect(await own(inFile)).toEqual(await own(store));
      expect(await own(inDatabase)).toEqual(await own(store));
      await inFile.close();
      await inDatabase.close();
    }
    await store.close();
  });

  it.each([
    ['killed', 'SIGKILL', undefined],
    ['interrupted', 'SIGINT', 130],
    ['terminated', 'SIGTERM', 143],
  ] as const)(
    'that is %s in the middle leaves its target as it was',
    async (name, signal, code) => {
      const [from, to] = [await cluster().database(), await cluster().database()];
      await copyStore({ from: file, to: from });
      await initPostgres(to, { title: 'Untouched', description: '' });
      const target = join(folder, `${name}.json`);
      const beside = () => readdirSync(folder).filter((each) => each.startsWith(`${name}.`));
      for (const [line, table, database] of [
        [[from, target], 'tokens', from],
        [[file, to], 'keys', to],
        [[from, to], 'keys', to],
      ] as const) {
        const exitCode = await endedAt(cluster(), { folder, line, table, database, signal });
        expect(exitCode).toBe(code);
        expect(existsSync(target)).toBe(false);
        // What cannot be caught leaves a part of the file, under another name.
        expect(signal === 'SIGKILL' ? [] : beside()).toEqual([]);
        const { store } = await openPostgres({ address: to });
        expect(await store.blogs()).toMatchObject([{ title: 'Untouched', total: 0 }]);
        await store.close();
      }
      const copied = await copyStore({ from, to: target });
      expect(beside()).toEqual([`${name}.json`, `${name}.tokens.json`]);
      expect(await copyStore({ from, to })).toBe(copied);
      expect(await readFile(target, 'utf8')).toBe(await readFile(file, 'utf8'));
    },
  );
});

type Ending = {
  readonly folder: string;
  readonly line: readonly string[];
  readonly table: string;
  readonly database: string;
  readonly signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM';
};

/** Ends `store copy` where it waits for a table of a database. */
async function endedAt(
  cluster: Cluster,
  { folder, line, table, database, signal }: Ending,
): Promise<number | undefined> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE blogctl.${table} IN ACCESS EXCLUSIVE MODE`);
  const copy = startBlogctl(['store', 'copy', ...line], { folder });
  const waiting = `SELECT count(*) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%blogctl.${table}%'`;
  while ((await cluster.sql(waiting)) === '0') expect(copy.exitCode).toBeNull();
  copy.kill(signal);
  // The table is not free before it has ended.
  const { exitCode } = await copy;
  await client.query('ROLLBACK');
  await client.end();
  const left = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'blogctl'`;
  while ((await cluster.sql(left)) !== '0') await pause(20);
  return exitCode;
}
