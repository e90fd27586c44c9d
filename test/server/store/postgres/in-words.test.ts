import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer } from '../../../../server/index.ts';
import { serveFile } from '../../../../src/local.ts';
import { isAnswer, isConnectionLost } from '../../../../server/store/postgres/failures.ts';
import { openPostgres } from '../../../../server/store/postgres/open.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { run } from '../../../support/run.ts';

it('a session that ends is told by its code, whatever the server calls that in its language', () => {
  const met = (code: string, severity: string) =>
    Object.assign(new Error('завершение подключения'), { code, severity });
  for (const code of ['57P01', '57P05', '25P03', '53300'])
    for (const severity of ['FATAL', 'ВАЖНО', '致命错误']) {
      expect(isAnswer(met(code, severity))).toBe(false);
      expect(isConnectionLost(met(code, severity))).toBe(true);
    }
  expect(isAnswer(met('53100', 'ОШИБКА'))).toBe(true);
  expect(isConnectionLost(met('53100', 'ОШИБКА'))).toBe(false);
});

describeOnPostgres('what a database answers, in the words of a command', (cluster) => {
  let folder: string;
  let address: string;
  let name: string;
  let serving: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-words-'));
    const superuser = await cluster().database();
    name = superuser.slice(superuser.lastIndexOf('/') + 1);
    serving = superuser.replace('postgres@', `serving_${name}@`);
    address = superuser.replace('postgres@', `owner_${name}@`);
    await cluster().sql(`CREATE ROLE owner_${name} LOGIN; CREATE ROLE serving_${name} LOGIN;
      ALTER DATABASE ${name} OWNER TO owner_${name}`);
    const { out } = await blogctl('store', 'init', address);
    await sql(out.replaceAll('blogctl_serve', `serving_${name}`));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const sql = (text: string) => cluster().sql(text, name);
  const blogctl = (...line: readonly string[]) => run(line, { folder });
  const serve = (file: string) => serveFile({ file, port: 0, host: '127.0.0.1' });

  async function heldBy(
    statement: string,
    work: (release: () => Promise<unknown>) => Promise<void>,
  ) {
    const other = new Client({ connectionString: address });
    await other.connect();
    await other.query(`BEGIN; ${statement}`);
    try {
      await work(() => other.query('ROLLBACK'));
    } finally {
      await other.end();
    }
  }

  it('too many connections: what can be done, and again later', async () => {
    await sql(`ALTER ROLE serving_${name} CONNECTION LIMIT 1`);
    await expect(serve(serving)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('has no connection left: too many connections for role'),
      hint: expect.stringContaining('--store-connections 1'),
    });
  });

  it('no connection left for changes alone: health says so, and when it is over', async () => {
    const { store } = await openPostgres({ address: serving, connections: 1, writeTimeoutMs: 300 });
    await sql(`ALTER ROLE serving_${name} CONNECTION LIMIT 1;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'serving_${name}'`);
    const blogs = () => store.blogs().catch(() => []);
    await expect.poll(blogs, { timeout: 20_000 }).toHaveLength(1);
    expect(await store.writesRefused()).toBeUndefined();
    await expect(store.create(1, { title: 'A' })).rejects.toMatchObject({ failure: 'overloaded' });
    expect(await store.writesRefused()).toMatchObject({ failure: 'overloaded' });
    await sql(`ALTER ROLE serving_${name} CONNECTION LIMIT -1`);
    expect(await store.create(1, { title: 'A' })).toMatchObject({ kind: 'created' });
    expect(await store.writesRefused()).toBeUndefined();
    await store.close();
  });

  it('another session that holds the blog is a conflict, and where to find it is said', () =>
    heldBy('SELECT FROM blogctl.blogs FOR UPDATE', async () => {
      const { status, err } = await blogctl('store', 'lock', '--store', address);
      expect([status, err]).toEqual([
        6,
        expect.stringMatching(
          /Another session holds .* Nothing was changed\.\nhint: .*pg_stat_activity/,
        ),
      ]);
    }));

  it(
    'a table that another session locks keeps serve from starting, and is no bug',
    () =>
      heldBy('LOCK TABLE blogctl.blogs', async () => {
        await expect(serve(serving)).rejects.toMatchObject({
          code: 'unreachable',
          message: expect.stringContaining('takes too long over a statement'),
          hint: expect.stringContaining('pg_stat_activity'),
        });
        const open = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'serving_${name}'
          AND state <> 'active'`;
        await expect.poll(() => sql(open), { timeout: 20_000 }).toBe('0');
      }),
    60_000,
  );

  /** Of each what a trigger lets the database answer. */
  const answered = [
    ['53100', 7, /The disk of \S+ is full: said\. Nothing was changed\.\nhint: Free some space/],
    ['57014', 9, /ended it: said\. Nothing was changed\.\nhint: .*statement_timeout/],
    [
      '25006',
      7,
      /is read-only: said\. Nothing was changed\.\nhint: .*default_transaction_read_only/,
    ],
    ['53200', 9, /refuses it: said \(SQLSTATE 53200\)\. Nothing was changed\.\nhint: /],
    ['P0009', 7, /refuses it: said \(SQLSTATE P0009\)\. Nothing was changed\.\nhint: /],
  ] as const;
  it.each(answered)(
    '%s of the server ends with %i in every command that changes',
    async (...row) => {
      const [state, status, said] = row;
      await sql(`CREATE FUNCTION said() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'said' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER t BEFORE INSERT ON blogctl.tokens EXECUTE FUNCTION said();
      CREATE TRIGGER t BEFORE INSERT OR UPDATE ON blogctl.blogs EXECUTE FUNCTION said()`);
      for (const line of ['token create', 'store lock', 'store add-blog --title x']) {
        const ended = await blogctl(...line.split(' '), '--store', address);
        expect([line, ended.status, ended.err]).toEqual([
          line,
          status,
          expect.stringMatching(said),
        ]);
      }
    },
  );

  it('an older schema is for its owner to upgrade, whoever serves it', async () => {
    await sql('UPDATE blogctl.format SET version = 0');
    await expect(serve(serving)).rejects.toMatchObject({
      hint: `Run \`blogctl store upgrade ${address.replace(`owner_${name}`, '<owner>')}\`.`,
    });
    const { status, err } = await blogctl('store', 'check', address);
    expect([status, err]).toEqual([7, expect.stringContaining(`store upgrade ${address}\``)]);
  });

  it('what a start needs, and another session holds for good, is not waited for without a word', () =>
    heldBy('LOCK TABLE blogctl.writers', async () => {
      await expect(serve(serving)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('takes too long over a statement'),
        hint: expect.stringContaining('pg_stat_activity'),
      });
    }));

  it('statement_timeout of the role ends no transaction of an owner', async () => {
    await heldBy('LOCK TABLE blogctl.blogs', async (release) => {
      await sql(`ALTER ROLE owner_${name} SET statement_timeout = '600ms'`);
      const checked = blogctl('store', 'check', address);
      const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}'
        AND wait_event_type = 'Lock' AND query_start < now() - interval '700 milliseconds'`;
      await expect.poll(() => cluster().sql(waiting), { timeout: 20_000 }).toBe('1');
      await release();
      expect(await checked).toMatchObject({ status: 0 });
    });
  });

  async function opened() {
    const told: string[] = [];
    const { store } = await openPostgres({ address: serving, report: (text) => told.push(text) });
    await store.create(1, { title: 'First' });
    expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
    told.length = 0;
    return { store, told };
  }

  it('statement_timeout of the role ends a read, and the log says so', async () => {
    await sql(`ALTER ROLE serving_${name} SET statement_timeout = '600ms'`);
    const { store, told } = await opened();
    await heldBy('LOCK TABLE blogctl.articles', async (release) => {
      await expect(store.read(1, 1)).rejects.toMatchObject({ failure: 'overloaded' });
      await release();
      expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
    });
    await store.close();
    expect(told).toEqual([
      expect.stringMatching(/ended it: cancel.*\. Where .* raise statement_timeout .* server\.$/),
      expect.stringMatching(/^No longer: \S+ ended it/),
    ]);
  });

  it('rows that are hidden from a role are no articles that were deleted', async () => {
    const { store, told } = await opened();
    await sql('ALTER TABLE blogctl.articles ENABLE ROW LEVEL SECURITY');
    const hidden = { failure: 'refused' };
    await expect(store.read(1, 1)).rejects.toMatchObject(hidden);
    await expect(store.page(1, 0, 20)).rejects.toMatchObject(hidden);
    await expect(store.create(1, { title: 'x' })).rejects.toMatchObject(hidden);
    expect(await store.writesRefused()).toMatchObject(hidden);
    expect(told[0]).toMatch(/^Rows are hidden in .* "articles"\. .* DISABLE ROW LEVEL SECURITY/);
    await expect(openPostgres({ address: serving })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^Rows are hidden in .* is on for table articles\.$/),
    });
    await sql('ALTER TABLE blogctl.articles DISABLE ROW LEVEL SECURITY');
    expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
    await store.close();
  });

  it.each([
    ['a column', 'ALTER TABLE blogctl.articles DROP COLUMN private', /column "?\S+private"? does/],
    ['a table', 'DROP TABLE blogctl.articles', /relation "blogctl\.articles" does not/],
  ])('where %s is gone no new store is what helps', async (_, gone, words) => {
    const { store, told } = await opened();
    await sql(gone);
    await expect(store.read(1, 1)).rejects.toMatchObject({ failure: 'refused' });
    await store.close();
    expect(told).toEqual([expect.stringMatching(words)]);
    expect(told[0]).toMatch(/ is not as blogctl left it: .* Run `blogctl store check postgres:/);
    const { status, err } = await blogctl('store', 'check', address);
    expect([status, err]).toEqual([7, expect.stringMatching(/ is not as .*hint: Restore a b/s)]);
  });

  it('a database that takes no connections is one that is asked again later', async () => {
    await cluster().sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    const { status, err } = await blogctl('store', 'check', address);
    expect([status, err]).toEqual([
      9,
      expect.stringMatching(/takes no connections: .*ALLOW_CONN/s),
    ]);
  });

  it('a right to connect that was taken is among those that are named', async () => {
    await sql(`REVOKE CONNECT ON DATABASE ${name} FROM public`);
    const starting = startServer({ file: serving, port: 0, host: '127.0.0.1' });
    const connect = `GRANT CONNECT ON DATABASE ${name} TO serving_${name};`;
    const began = performance.now();
    await expect(starting).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining(connect),
    });
    // No wait brings it.
    expect(performance.now() - began).toBeLessThan(2500);
    await sql(connect);
    await (await serve(serving)).stop();
  });

  it('a line of a hint names the store that was asked for, and never a password', async () => {
    const token = await blogctl('token', 'create', '--store', address, '--for-blog', '7');
    expect(token.err).toContain(
      `blogctl store add-blog --title <text> --store ${address} adds one`,
    );
    const empty = `${(await cluster().database()).replace('postgres@', 'postgres:secret-word@')}?sslmode=disable`;
    for (const line of [
      ['store', 'check'],
      ['token', 'list'],
    ]) {
      const { err } = await run(line, { folder, env: { BLOGCTL_STORE: empty } });
      const named = empty.replace(':secret-word', '');
      expect(err).toContain(`\`blogctl store init '${named}'\``);
    }
    await expect(serve(empty)).rejects.toMatchObject({
      hint: expect.stringMatching(/`blogctl store init postgres:\/\/<owner>@\S+\?sslmode=disable`/),
    });
    await blogctl(
      'articles',
      'create',
      '--title',
      'One',
      '--content',
      '1',
      '--blog',
      'file:f.json',
    );
    const file = join(folder, 'f.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"One"', '"Won"'));
    const { status, err } = await blogctl('store', 'copy', 'f.json', address);
    expect([status, err]).toEqual([
      7,
      expect.stringContaining(`\`blogctl store check --accept-edits --store ${file}\``),
    ]);
  });

  it('tokens that a copy left beside its file are no obstacle to the next, and other ones are', async () => {
    await blogctl('token', 'create', '--store', address, '--expires', '1h', '--for-blog', '1');
    const copy = () => blogctl('store', 'copy', address, 'q.json');
    expect(await copy()).toMatchObject({ status: 0 });
    const tokens = join(folder, 'q.tokens.json');
    const before = await readFile(tokens, 'utf8');
    await rm(join(folder, 'q.json'));
    expect(await copy()).toMatchObject({ status: 0 });
    expect(await readFile(tokens, 'utf8')).toBe(before);
    await rm(join(folder, 'q.json'));
    await blogctl('token', 'create', '--store', address);
    const other = expect.stringContaining('q.tokens.json has other tokens. Nothing was changed.');
    expect(await copy()).toMatchObject({ status: 7, err: other });
  });

  it('a server without TLS: which sslmode asks for it, and which does not', async () => {
    const { status, err } = await blogctl('store', 'check', `${address}?sslmode=require`);
    expect([status, err]).toEqual([
      9,
      expect.stringMatching(/sslmode=require asks.*\nhint: .*=disable/),
    ]);
  });
});
