import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startServer } from '../../../../server/index.ts';
import { checkPostgres } from '../../../../server/store/postgres/one-moment.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { freePort } from '../../../support/postgres.ts';
import { run } from '../../../support/run.ts';

describeOnPostgres('a database as a store', (cluster) => {
  let folder: string;
  let address: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-commands-'));
    address = await cluster().database();
  });
  afterAll(() => rm(folder, { recursive: true }));

  const name = () => address.slice(address.lastIndexOf('/') + 1);
  const blogctl = (line: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run(line, { env, folder });
  const inStore = (...line: readonly string[]) => blogctl([...line, '--store', address]);

  it('is made once, with the rights of a serving role as psql reads them', async () => {
    const missing = await inStore('store', 'check');
    expect([missing.status, missing.err]).toEqual([7, expect.stringContaining('has no store of')]);
    expect(missing.err).toContain('blogctl store init postgres://');
    const made = await blogctl(['store', 'init', address, '--title', 'Notes']);
    expect(made.status).toBe(0);
    // Every step to the first import, and nobody serves as the owner.
    expect(made.err).toContain(`by psql), blogctl token create --store ${address}`);
    expect(made.err).toMatch(/blogctl serve --store postgres:\/\/blogctl_serve@\S+\n$/);
    await cluster().sql('CREATE ROLE blogctl_serve LOGIN');
    await cluster().sql(made.out, name());
    const again = await inStore('store', 'init');
    expect([again.status, again.err]).toEqual([7, expect.stringContaining('has a store already')]);
    // What psql could not give, a role that was not made yet for example, is told again.
    for (const grant of made.out.trim().split('\n')) expect(again.err).toContain(grant);
    expect((await inStore('store', 'upgrade')).err).toContain('has the newest schema already');
    expect((await inStore('store', 'check')).out).toMatch(/^postgres:\/\/\S+\tsound\t0\n$/);
  });

  it('that could not hold every text, or counts it otherwise than it is served, is refused', async () => {
    await cluster().sql(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'`);
    const latin = address.slice(0, -name().length) + 'latin';
    const words = expect.stringContaining('is encoded as LATIN1, and not as UTF8.');
    const refused = await blogctl(['store', 'init', latin]);
    expect([refused.status, refused.err]).toEqual([7, words]);
    // What a dump brought there can be copied out of it, and nothing else.
    const file = join(folder, 'dump.sql');
    const on = ['-h', cluster().folder, '-p', String(cluster().port), '-U', 'postgres'];
    const program = (word: string, ...more: readonly string[]) =>
      promisify(execFile)(join(cluster().bin, word), [...on, ...more, '-f', file]);
    await program('pg_dump', name());
    await program('psql', '-q', '-d', 'latin');
    for (const line of ['store check', 'store lock', 'token list']) {
      const { status, err } = await blogctl([...line.split(' '), '--store', latin]);
      expect([line, status, err]).toEqual([line, 7, words]);
    }
    const serving = startServer({ file: latin, port: 0, host: '127.0.0.1' });
    await expect(serving).rejects.toMatchObject({ code: 'foreign', message: words });
    expect(await blogctl(['store', 'copy', latin, 'of-latin.json'])).toMatchObject({ status: 0 });
  });

  it('whose role lacks a right is not served, and no connection is left open', async () => {
    await cluster().sql('CREATE ROLE blogctl_bare LOGIN');
    const bare = address.replace('postgres@', 'blogctl_bare@');
    const serving = startServer({ file: bare, port: 0, host: '127.0.0.1' });
    const hint = expect.stringContaining('GRANT USAGE ON SCHEMA blogctl TO blogctl_bare;');
    await expect(serving).rejects.toMatchObject({ code: 'forbidden', hint });
    const open = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'blogctl_bare'`;
    await expect.poll(() => cluster().sql(open), { timeout: 20_000 }).toBe('0');
  });

  it.each([
    ['INSERT ON blogctl.keys', 'does not let this service do that'],
    ['UPDATE ON blogctl.blogs', 'does not let this service do that'],
    ['SELECT ON blogctl.tokens', 'The tokens of this service cannot be read'],
  ])('is not served without a right that a request would need: %s', async (right, said) => {
    const file = address.replace('postgres@', 'blogctl_serve@');
    const notices: string[] = [];
    const notice = (text: string) => void notices.push(text);
    const served = await startServer({ file, port: 0, host: '127.0.0.1', notice });
    notices.length = 0;
    const { out: token } = await inStore('token', 'create', '--name', 'keyed');
    await cluster().sql(`REVOKE ${right} FROM blogctl_serve`, name());
    const lacking = `lacks a right: permission denied for table ${right.replace(/^.*\./, '')}.`;
    for (let asked = 0; asked < 3; asked += 1) {
      const health = await fetch(`${served.url}/health`);
      expect([health.status, await health.text()]).toEqual([
        503,
        expect.not.stringContaining('Nothing was changed'),
      ]);
    }
    const serving = startServer({ file, port: 0, host: '127.0.0.1' });
    await expect(serving).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(lacking),
      hint: expect.stringContaining('GRANT INSERT ON blogctl.keys TO blogctl_serve;'),
    });
    const posted = await fetch(`${served.blogs[0]?.url}/articles`, {
      method: 'POST',
      headers: {
        'x-access-token': token.trim(),
        'content-type': 'application/json',
        'idempotency-key': '"k"',
      },
      body: '{"title":"T","content":"C"}',
    });
    expect([posted.status, await posted.text()]).toEqual([503, expect.stringContaining(said)]);
    await cluster().sql(`GRANT ${right} TO blogctl_serve`, name());
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    // Once when it begins and once when it is over, whoever met it.
    const told = notices.filter(
      (text) => !text.startsWith('Tokens cannot be read: The role lacks'),
    );
    expect(told).toEqual([
      expect.stringMatching(new RegExp(`${lacking} A role that serves needs what .*GRANT`)),
      expect.stringMatching(new RegExp(`^No longer: .*${lacking}$`)),
    ]);
    await served.stop();
  });

  it('that holds a schema of another program is told as that by every command', async () => {
    const other = await cluster().database();
    await cluster().sql('CREATE SCHEMA blogctl', other.slice(other.lastIndexOf('/') + 1));
    for (const line of ['store init', 'store check', 'store upgrade', 'store lock', 'token list']) {
      const { status, err } = await blogctl([...line.split(' '), '--store', other]);
      expect([line, status, err]).toEqual([
        line,
        7,
        expect.stringMatching(
          /has a schema blogctl that is no store\.\nhint: .*`DROP SCHEMA blogctl`/,
        ),
      ]);
    }
    const foreign = { code: 'foreign', message: expect.stringContaining('that is no store') };
    const serving = startServer({ file: other, port: 0, host: '127.0.0.1' });
    await expect(serving).rejects.toMatchObject(foreign);
    const out = await blogctl(['store', 'copy', other, 'out.json']);
    const into = await blogctl(['store', 'copy', address, other]);
    for (const { err } of [out, into]) expect(err).toContain('that is no store');
  });

  it('is made already, even for who may make no schema', async () => {
    const store = address.replace('postgres@', 'blogctl_serve@');
    const { status, err } = await blogctl(['store', 'init', store]);
    expect([status, err]).toEqual([7, expect.stringContaining('has a store already')]);
  });

  it.each([
    ['token create', 'blogctl_serve'],
    ['token create', 'blogctl_bare'],
    ['token revoke ci -y', 'blogctl_bare'],
    ['store add-blog --title More', 'blogctl_serve'],
    ['store edit-blog --title More', 'blogctl_bare'],
    ['store lock', 'blogctl_bare'],
    ['store upgrade', 'blogctl_serve'],
    ['store check', 'blogctl_bare'],
  ])('sends a role that may not to the owner: %s', async (line, role) => {
    const store = address.replace('postgres@', `${role}@`);
    const { status, err } = await blogctl([...line.split(' '), '--store', store]);
    expect([status, err]).toEqual([7, expect.stringContaining('lacks a right: permission denied')]);
    expect(err).toContain(
      `hint: Name its owner, as ${address.replace('postgres@', '<owner>@')} does: \`psql ${store} -c '\\dn blogctl'\` shows`,
    );
    expect(err).not.toContain('GRANT');
  });

  it('is looked after while instances serve it with the rights of the serving role', async () => {
    const file = address.replace('postgres@', 'blogctl_serve@');
    const options = { file, port: 0, host: '127.0.0.1' };
    const [one, two] = await Promise.all([startServer(options), startServer(options)]);
    const url = one.blogs[0]?.url ?? '';
    const { out: token } = await inStore('token', 'create', '--name', 'ci');
    const send = (method: string, target: string) =>
      fetch(target, {
        method,
        headers: { 'x-access-token': token.trim(), 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'T', content: 'C' }),
      });
    expect((await send('POST', `${url}/articles`)).status).toBe(201);
    expect((await inStore('store', 'lock')).err).toContain('Locked blog 1 of ');
    const none = await inStore('store', 'lock', '--on-blog', '7');
    expect(none.err).toContain(
      `hint: See \`psql ${address} -c "SELECT id, title FROM blogctl.blogs"\` for what is there.`,
    );
    expect((await inStore('store', 'lock', '--article', '9')).err).toContain(
      '-c "SELECT id FROM blogctl.articles WHERE blog_id = 1"`',
    );
    const other = two.blogs[0]?.url ?? '';
    expect((await send('PUT', `${other}/articles/1`)).status).toBe(423);
    expect((await inStore('store', 'unlock')).status).toBe(0);
    expect((await send('PUT', `${other}/articles/1`)).status).toBe(200);
    expect((await inStore('store', 'add-blog', '--title', 'Second')).out).toMatch(/^2\t/);
    expect((await fetch(other.replace(/1$/, '2'))).status).toBe(200);
    expect((await inStore('store', 'edit-blog', '--title', 'Renamed')).status).toBe(0);
    expect(await (await fetch(other)).json()).toMatchObject({ title: 'Renamed' });
    expect((await inStore('token', 'list')).out).toContain('ci');
    expect((await inStore('token', 'revoke', 'ci', '-y')).status).toBe(0);
    expect((await send('PUT', `${url}/articles/1`)).status).toBe(401);
    expect((await fetch(`${two.url}/health`)).status).toBe(200);
    await Promise.all([one.stop(), two.stop()]);
    expect((await inStore('store', 'check')).out).toContain('\tsound\t1\n');
  });

  it('has its address in BLOGCTL_STORE as well, and says a password nowhere', async () => {
    const secret = address.replace('postgres@', 'postgres:hush@');
    const refused = await blogctl(['store', 'check', '--store', secret]);
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('PGPASSFILE')]);
    const checked = await blogctl(['store', 'check'], { BLOGCTL_STORE: secret });
    expect(checked.status).toBe(0);
    for (const { out, err } of [refused, checked]) expect(out + err).not.toContain('hush');
  });

  it.each([
    ['no such database', (text: string) => `${text}_none`, 7, 'is not there'],
    ['no such role', (text: string) => text.replace('postgres@', 'nobody@'), 3, 'refuses the role'],
    [
      'no such option',
      (text: string) => `${text}?sslmod=off`,
      2,
      'No option of an address: sslmod',
    ],
    ['no such mode', (text: string) => `${text}?sslmode=off`, 2, 'No sslmode: off'],
    ['no TLS there', (text: string) => `${text}?sslmode=verify-full`, 9, 'does not encrypt'],
  ])('ends as the table says: %s', async (_, change, status, text) => {
    const ended = await blogctl(['store', 'check', change(address)]);
    expect([ended.status, ended.err]).toEqual([status, expect.stringContaining(text)]);
  });

  it('ends with 9 where nobody listens', async () => {
    const port = await freePort();
    const ended = await blogctl(['store', 'check', `postgres://a@127.0.0.1:${port}/b`]);
    expect([ended.status, ended.err]).toEqual([9, expect.stringContaining('ECONNREFUSED')]);
  });

  it('ends with 3 where the password is missing or wrong, and does not wait for another', async () => {
    const [user, password] = ['guarded', 'right'];
    await cluster().sql(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
    const rules = join(cluster().folder, 'data', 'pg_hba.conf');
    const others = await readFile(rules, 'utf8');
    await writeFile(rules, `host all ${user} all scram-sha-256\n${others}`);
    await cluster().sql('SELECT pg_reload_conf()');
    const line = ['store', 'check', address.replace('postgres@', `${user}@`)];
    const checked = async (given?: string) => {
      vi.stubEnv('PGPASSWORD', given);
      const { status, err } = await blogctl(line);
      vi.unstubAllEnvs();
      return [status, err.split('\n')[0]];
    };
    // The server reads its rules anew when it comes to it.
    while ((await checked())[0] === 7);
    const missing = expect.stringContaining('refuses the role: it wants a password, and none was');
    expect(await checked()).toEqual([3, missing]);
    vi.stubEnv('PGPASSFILE', '/none');
    const lost = expect.stringContaining('(PGPASSFILE names /none, which is not there).');
    expect(await checked()).toEqual([3, lost]);
    const open = join(cluster().folder, 'open.pgpass');
    await writeFile(open, `*:*:*:${user}:${password}\n`, { mode: 0o644 });
    vi.stubEnv('PGPASSFILE', open);
    const seen = expect.stringMatching(/^error: .*none was given; password file .*permissions/);
    expect(await checked()).toEqual([3, seen]);
    const wrong = expect.stringContaining('password authentication failed');
    expect(await checked('wrong')).toEqual([3, wrong]);
    const lacking = expect.stringContaining('permission denied');
    expect(await checked(password)).toEqual([7, lacking]);
  });

  it('names the right that is missing', async () => {
    await cluster().sql('CREATE ROLE stranger LOGIN');
    const ended = await blogctl(['store', 'check', address.replace('postgres@', 'stranger@')]);
    expect([ended.status, ended.err]).toEqual([7, expect.stringContaining('permission denied')]);
    expect(ended.err).toContain('hint: Name its owner');
  });

  it('served for reading alone answers a change with 423, behind all that is told before', async () => {
    const { out: token } = await inStore('token', 'create', '--name', 'reader');
    const served = await startServer({ file: address, port: 0, host: '127.0.0.1', readOnly: true });
    const url = served.blogs[0]?.url ?? '';
    const asked = async (method: string, path: string, more: Record<string, string> = {}) => {
      const answer = await fetch(`${url}/${path}`, {
        method,
        headers: { 'x-access-token': token.trim(), 'content-type': 'application/json', ...more },
        ...(method !== 'DELETE' && { body: '{"title":"T","content":"C"}' }),
      });
      return [answer.status, answer.headers.get('retry-after')];
    };
    const stale = { 'if-match': '"stale"' };
    expect(await asked('POST', 'articles')).toEqual([423, null]);
    expect(await asked('PUT', 'articles/1')).toEqual([423, null]);
    expect(await asked('DELETE', 'articles/1')).toEqual([423, null]);
    for (const line of ['POST articles', 'PUT articles/1', 'DELETE articles/1']) {
      const [method = '', path = ''] = line.split(' ');
      expect(await asked(method, path, stale)).toEqual([412, null]);
    }
    expect(await asked('PUT', 'articles/999')).toEqual([404, null]);
    expect(await asked('POST', '../99/articles')).toEqual([404, null]);
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    await served.stop();
  });

  it('finds a damaged row and a wrong count', async () => {
    await cluster().sql(`UPDATE blogctl.articles SET body = replace(body, '"T"', '"X"')`, name());
    await cluster().sql('UPDATE blogctl.blogs SET total = 7 WHERE id = 1', name());
    const served = await startServer({ file: address, port: 0, host: '127.0.0.1', readOnly: true });
    const listed = await fetch(`${served.blogs[0]?.url}/articles`);
    // Not that all others can be read: they stand on the page that cannot.
    const words = 'Other articles can be read, and pages without it.';
    expect([listed.status, await listed.text()]).toEqual([500, expect.stringContaining(words)]);
    await served.stop();
    const { status, err } = await inStore('store', 'check');
    expect(status).toBe(7);
    expect(err).toContain('article 1 of blog 1: its checksum does not hold');
    expect(err).toContain('blog 1 counts 7 articles and has 1');
    await cluster().sql(
      `UPDATE blogctl.blogs SET title = 'By hand' WHERE id = 1;
      INSERT INTO blogctl.holes VALUES (1, 9, 3, 1), (7, 0, 3, 1);
      INSERT INTO blogctl.never VALUES (1, 1, 1);
      INSERT INTO blogctl.articles SELECT 1, -5, body, tag, updated_at FROM blogctl.articles;
      INSERT INTO blogctl.tokens VALUES ('t', 't', '\\x00', NULL, '{fly}', 0);
      INSERT INTO blogctl.keys VALUES (1, '\\x01', '\\x02', 99)`,
      name(),
    );
    const more = (await inStore('store', 'check')).err;
    for (const found of [
      'blog 1: its tag is not that of its texts',
      'blog 1, ids 2305 to 2560: 3 holes counted, 0 there',
      'blog 7 is not there, and there are holes of it',
      'article 1 of blog 1 is hidden: it is among ids that were never there',
      'blog 1: keys of ids not handed out yet: 1',
      'article -5 of blog 1 has no id that can be asked for',
      'token t has rights or a checksum that no token has',
    ])
      expect(more).toContain(found);
  });

  it('with numbers that went astray is checked in a moment, and nothing is written over', async () => {
    const astray = await cluster().database();
    const nameOfAstray = astray.slice(astray.lastIndexOf('/') + 1);
    const sql = (text: string) => cluster().sql(text, nameOfAstray);
    await initPostgres(astray, { title: 'Astray', description: '' });
    const told: string[] = [];
    const { store } = await openPostgres({ address: astray, report: (text) => told.push(text) });
    for (const title of ['One', 'Two', 'Three', 'Four']) await store.create(1, { title });
    await store.remove(1, 2, () => {});
    told.length = 0;
    const found = async () => (await checkPostgres(astray, undefined)).problems;
    expect(await found()).toEqual([]);
    // As where a table alone came back from a backup.
    await sql('UPDATE blogctl.blogs SET next_id = 3');
    expect(await found()).toEqual(
      [
        'article 3 of blog 1 has an id not handed out yet',
        'article 4 of blog 1 has an id not handed out yet',
      ].map((what) => ({ what })),
    );
    await expect(store.create(1, { title: 'Five' })).rejects.toMatchObject({ failure: 'refused' });
    expect(await store.read(1, 3)).toMatchObject({ article: { id: 3 } });
    expect(told).toEqual([
      expect.stringMatching(/ has the id of the next one\. Run .*store check/),
    ]);
    await sql('UPDATE blogctl.blogs SET next_id = 5000000000000');
    expect(await found()).toEqual(
      [
        'blog 1, ids 1 to 256: 1 holes counted, 253 there',
        'blog 1, ids 257 to 4999999999999: 0 holes counted, 4999999999743 there',
      ].map((what) => ({ what })),
    );
    await sql(`UPDATE blogctl.blogs SET next_id = 5; UPDATE blogctl.articles SET id = 2 WHERE id = 3;
      UPDATE blogctl.articles SET updated_at = 8640000000000001 WHERE id = 4`);
    expect(await found()).toEqual(
      [
        'article 2 of blog 1: its checksum does not hold',
        'article 4 of blog 1: its checksum does not hold',
      ].map((what) => ({ what })),
    );
    for (const id of [2, 4])
      await expect(store.read(1, id)).rejects.toMatchObject({ failure: 'damaged' });
    await store.close();
  });

  it('checks many articles among many ids that were never there in seconds', async () => {
    const large = await cluster().database();
    const nameOfLarge = large.slice(large.lastIndexOf('/') + 1);
    await initPostgres(large, { title: 'Large', description: '' });
    await cluster().sql(
      `INSERT INTO blogctl.articles SELECT 1, 2 * n, '{}', '1-00000000', 0 FROM generate_series(1, 100000) n;
      INSERT INTO blogctl.never SELECT 1, 2 * n - 1, 2 * n - 1 FROM generate_series(1, 100000) n;
      INSERT INTO blogctl.never VALUES (1, 200000, 200000); ANALYZE`,
      nameOfLarge,
    );
    // So a large one is planned for several workers, which look from each article.
    await cluster().sql(`ALTER DATABASE ${nameOfLarge} SET parallel_tuple_cost = 0`);
    const { problems } = await checkPostgres(large, undefined);
    expect(problems.filter(({ what }) => what.includes(' is hidden: '))).toEqual([
      { what: 'article 200000 of blog 1 is hidden: it is among ids that were never there' },
    ]);
  });
});
