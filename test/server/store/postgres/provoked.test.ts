import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from 'pg';
import { checkStore, copyStore, upgradeStore, withTokens } from '../../../../server/index.ts';
import { withMaintenance } from '../../../../server/running/maintenance.ts';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { givenSmallDisk, mayMount } from '../../../support/mounts.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

/** Takes a mount. */
const isLong = process.env['BLOGCTL_PG_FAILOVERS'] !== undefined;

describeOnPostgres(
  'what a database refuses',
  (cluster) => {
    afterEach(async () => {
      vi.useRealTimers();
      await standbysAgain();
    });

    async function given() {
      const address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
      const { store } = await openPostgres({ address });
      await store.create(1, { title: 'First' });
      const name = address.slice(address.lastIndexOf('/') + 1);
      const close = () => store.close();
      return { address, store, name, sql: (text: string) => cluster().sql(text, name), close };
    }

    /** From here on every commit waits: each process hears of a setting when it comes to it. */
    async function noStandbyConfirms() {
      await cluster().sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
      await cluster().sql('SELECT pg_reload_conf()');
      while (!(await commitWaits()));
    }

    async function commitWaits() {
      const commit = cluster().sql("SELECT pg_logical_emit_message(true, '', '')");
      const passed = commit.then(() => true);
      while (!(await cancelled('postgres')))
        if (await Promise.race([passed, pause(10).then(() => false)])) return false;
      return passed;
    }

    /** Whether a commit waited for a standby; it waits no longer. */
    async function cancelled(database: string) {
      const waiting = `wait_event = 'SyncRep' AND datname = '${database}'`;
      const ofClient = `backend_type = 'client backend' AND ${waiting}`;
      const cancel = 'SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity';
      return (await cluster().sql(`${cancel} WHERE ${ofClient}`)) !== '0';
    }

    async function standbysAgain() {
      await cluster().sql('ALTER SYSTEM RESET synchronous_standby_names');
      await cluster().sql('SELECT pg_reload_conf()');
    }

    it('a schema of a newer program is noticed by reads within ten seconds, and at once by changes', async () => {
      const { address, store: first, sql, close } = await given();
      await close();
      const told: string[] = [];
      const { store } = await openPostgres({ address, report: (text) => void told.push(text) });
      told.length = 0;
      await first.close();
      await store.read(1, 1);
      await sql('UPDATE blogctl.format SET version = 9, readable_from = 9');
      // What an older program may still work on says nothing of that kind.
      const words = 'was upgraded by a newer blogctl: it has schema 9, this one knows 1.';
      const newer = { failure: 'other-schema', message: `The database ${words}` };
      await expect(store.create(1, { title: 'x' })).rejects.toMatchObject(newer);
      expect(await store.writesRefused()).toMatchObject(newer);
      await expect(store.read(1, 1)).rejects.toMatchObject(newer);
      await expect(store.page(1, 0, 20)).rejects.toMatchObject(newer);
      expect(told).toEqual([
        expect.stringMatching(/^postgres@\S+ was upgraded by .* Use the blogctl that upgraded it/),
      ]);
      await sql('UPDATE blogctl.format SET version = 1, readable_from = 1');
      expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
      expect(told.slice(1)).toEqual([expect.stringMatching(/^No longer: .* was upgraded by /)]);
      await sql('UPDATE blogctl.format SET version = 9, readable_from = 9');
      const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_001);
      await expect(store.read(1, 1)).rejects.toMatchObject(newer);
      later.mockRestore();
      await sql('UPDATE blogctl.format SET version = 9, readable_from = 1');
      expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
      expect(await store.create(1, { title: 'x' })).toMatchObject({ kind: 'created' });
      await store.close();
    });

    it('a schema of a newer program is told in one voice by whatever is asked of it', async () => {
      const { address, sql, close } = await given();
      await close();
      const [folder, other] = [await mkdtemp(join(tmpdir(), 'newer-')), await cluster().database()];
      onTestFinished(() => rm(folder, { recursive: true }));
      const file = join(folder, 'blog.json');
      await createJsonFile(file, { title: 'My blog', description: '' });
      await sql('UPDATE blogctl.format SET version = 9, readable_from = 9');
      await sql('DELETE FROM blogctl.articles; UPDATE blogctl.blogs SET next_id = 1');
      const works = {
        serve: () => openPostgres({ address }),
        token: () => withTokens(address, (tokens) => tokens.list()),
        check: () => checkStore(address),
        upgrade: () => upgradeStore(address, false),
        'upgrade --dry-run': () => upgradeStore(address, true),
        'copy into it': () => copyStore({ from: file, to: address }),
        'copy out of it': () => copyStore({ from: address, to: join(folder, 'out.json') }),
        'copy across': () => copyStore({ from: address, to: other }),
      };
      const told = expect.stringMatching(
        /^postgres@\S+ was upgraded by a newer blogctl: it has schema 9, /,
      );
      for (const [name, work] of Object.entries(works)) {
        const error: unknown = await work().catch((met: unknown) => met);
        expect({ name, error }).toMatchObject({ name, error: { code: 'foreign', message: told } });
      }
    });

    it('an operator who makes it read-only lets reads pass', async () => {
      const { store, name, sql, close } = await given();
      await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${name}' AND pid <> pg_backend_pid()`);
      expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
      const refused = { failure: 'refused', message: 'The database is read-only.' };
      await expect(store.create(1, { title: 'x' })).rejects.toMatchObject(refused);
      expect(await store.writesRefused()).toMatchObject(refused);
      await close();
    });

    it.runIf(isLong)('another who holds the blog for more than eight seconds', async () => {
      const { address, store, close } = await given();
      const other = new Client({ connectionString: address });
      await other.connect();
      await other.query('BEGIN; SELECT FROM blogctl.blogs FOR UPDATE');
      await expect(store.create(1, { title: 'x' })).rejects.toMatchObject({
        failure: 'overloaded',
        message: 'Another writer holds the blog.',
        retryAfterSeconds: 1,
      });
      await other.query('ROLLBACK');
      await other.end();
      expect(await store.create(1, { title: 'y' })).toMatchObject({ article: { id: 2 } });
      await close();
    });

    it('another who holds the blog is told by all who wait alike, in the log too', async () => {
      const { address, store: first, close } = await given();
      await close();
      const opened = await Promise.all(
        [1, 2].map(async () => {
          const told: string[] = [];
          const report = (text: string) => void told.push(text);
          const { store } = await openPostgres({ address, report, writeTimeoutMs: 2500 });
          told.length = 0;
          return { store, told };
        }),
      );
      const other = new Client({ connectionString: address });
      await other.connect();
      await other.query('BEGIN; SELECT FROM blogctl.blogs FOR UPDATE');
      const held = { failure: 'overloaded', message: 'Another writer holds the blog.' };
      await Promise.all(
        opened.map(({ store }) =>
          expect(store.create(1, { title: 'x' })).rejects.toMatchObject(held),
        ),
      );
      await other.query('ROLLBACK');
      await other.end();
      for (const { store, told } of opened) {
        expect(await store.create(1, { title: 'y' })).toMatchObject({ kind: 'created' });
        expect(told).toEqual([
          expect.stringMatching(
            /^Another session holds what is to .* pg_stat_activity.*have it end\.$/,
          ),
          expect.stringMatching(/^No longer: Another session holds/),
        ]);
        await store.close();
      }
      await first.close();
    });

    it('a standby that confirms nothing is what the log names', async () => {
      const { address, store, close } = await given();
      await close();
      const opened = await openPostgres({ address, writeTimeoutMs: 300 });
      await noStandbyConfirms();
      await expect(opened.store.create(1, { title: 'x' })).rejects.toMatchObject({
        failure: 'outcome-unknown',
        cause: { message: expect.stringContaining('no synchronous standby confirms it') },
      });
      await standbysAgain();
      await expect
        .poll(() => opened.store.read(1, 2), { timeout: 20_000 })
        .toMatchObject({ kind: 'article' });
      await opened.store.close();
      expect(await store.close()).toBeUndefined();
    });

    it('a command says what its commit waits for, and what may have been done', async () => {
      const { address, sql, close } = await given();
      await close();
      const folder = await mkdtemp(join(tmpdir(), 'unconfirmed-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const file = join(folder, 'blog.json');
      await createJsonFile(file, { title: 'My blog', description: '' });
      await withTokens(address, (tokens) => tokens.create({ name: 'old', rights: ['create'] }));
      const into = await cluster().database();
      const [added, made] = [await cluster().database(), await cluster().database()];
      await initPostgres(added, { title: 'My blog', description: '' });
      // What an opening tidies must not wait, either.
      await sql(`UPDATE blogctl.writers SET at = now() - interval '2 days'`);
      await noStandbyConfirms();
      const told: string[] = [];
      const report = (text: string) => void told.push(text);
      const copied = copyStore({ from: file, to: into, report });
      const add = (title: string) =>
        withMaintenance({ file: added, notice: report }, (store) =>
          store.addBlog({ title, description: '' }),
        );
      const works = [
        withTokens(address, (tokens) => tokens.create({ name: 'new', rights: ['create'] })),
        withTokens(address, (tokens) => tokens.revoke('old')),
        add('Second'),
        initPostgres(made, { title: 'My blog', description: '' }),
      ];
      for (const work of works) work.catch(() => {});
      await expect.poll(() => told, { timeout: 20_000 }).toHaveLength(2);
      // Until that is settled nobody is to make a second one.
      await expect(add('Third')).rejects.toMatchObject({
        code: 'held',
        message: expect.stringMatching(
          /no synchronous standby confirms it.*Nothing was changed\.$/,
        ),
        // Whoever ends the session that waits has its change on one machine alone.
        hint: expect.stringMatching(/^Bring a standby back, or take it out of synchronous_standby/),
      });
      for (const text of told)
        expect(text).toMatch(/lets this wait: no synchronous standby confirms it: see synchr/);
      const why = 'did not say whether it was saved: no synchronous standby confirms it: see ';
      const doubts = await Promise.all(works.map((work) => work.catch((error: unknown) => error)));
      const expected = [
        [
          /Token (\w+) may have been made, and nobody has it\.$/,
          /`blogctl token revoke \w+ --store /,
        ],
        [/The token may have been revoked\.$/, /`blogctl token list --store postgres:/],
        [/The blog may have been added\.$/, /`psql postgres:\S+ -c "SELECT id, title/],
        [/The store may have been made\.$/, /`blogctl store check postgres:/],
      ].map(([message, hint]) => ({
        code: 'unreachable',
        message: expect.stringMatching(message ?? ''),
        hint: expect.stringMatching(hint ?? ''),
      }));
      expect(doubts).toMatchObject(expected);
      for (const doubt of doubts)
        expect(doubt).toMatchObject({ message: expect.stringContaining(why) });
      await standbysAgain();
      expect(await copied).toBe(0);
    });

    it('a wait for a standby that somebody cancels leaves the outcome unknown', async () => {
      const { store, name, sql, close } = await given();
      // Nor does it matter whether the role wants to hear of that.
      await sql(`ALTER DATABASE ${name} SET synchronous_commit = on;
        ALTER DATABASE ${name} SET client_min_messages = error;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'blogctl'
          AND datname = '${name}'`);
      await noStandbyConfirms();
      const creating = store.create(1, { title: 'x' });
      creating.catch(() => {});
      while (!(await cancelled(name)));
      await expect(creating).rejects.toMatchObject({
        failure: 'outcome-unknown',
        message: 'The database did not say whether the change was saved.',
      });
      await close();
    });

    it('a transaction in which a statement failed is rolled back, whatever COMMIT is answered', async () => {
      const { store, sql, close } = await given();
      await sql(`CREATE FUNCTION filled() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER filled BEFORE UPDATE ON blogctl.blogs FOR EACH ROW EXECUTE FUNCTION filled()`);
      const full = { failure: 'no-room', message: 'The disk of the database is full.' };
      await expect(store.create(1, { title: 'x' })).rejects.toMatchObject(full);
      await sql('DROP TRIGGER filled ON blogctl.blogs');
      expect(await store.create(1, { title: 'y' })).toMatchObject({ article: { id: 2 } });
      await close();
    });

    it('a full disk is what health says for half a minute, and the log once', async () => {
      const { address, sql, close } = await given();
      await sql(`CREATE FUNCTION filled() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'file % is full', clock_timestamp() USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER filled BEFORE INSERT ON blogctl.articles FOR EACH ROW EXECUTE FUNCTION filled()`);
      const told: string[] = [];
      const opened = await openPostgres({ address, report: (text) => void told.push(text) });
      told.length = 0;
      const full = { failure: 'no-room' };
      for (const title of ['x', 'y'])
        await expect(opened.store.create(1, { title })).rejects.toMatchObject(full);
      expect(await opened.store.writesRefused()).toMatchObject(full);
      const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 30_001);
      expect(await opened.store.writesRefused()).toBeUndefined();
      later.mockRestore();
      await expect(opened.store.create(1, { title: 'z' })).rejects.toMatchObject(full);
      // What changes nothing found no room.
      await opened.store.remove(1, 99, () => {});
      expect(await opened.store.writesRefused()).toMatchObject(full);
      await sql('DROP TRIGGER filled ON blogctl.articles');
      await opened.store.create(1, { title: 'a' });
      expect(await opened.store.writesRefused()).toBeUndefined();
      // Short ones go on finding room where others do not.
      expect(told).toHaveLength(1);
      const calm = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 30_001);
      await opened.store.create(1, { title: 'b' });
      calm.mockRestore();
      expect(told).toEqual([
        expect.stringMatching(
          /^The disk of \S+ is full: file .* is full\. Free some space .*database\.$/,
        ),
        expect.stringMatching(/^No longer: The disk of /),
      ]);
      await opened.store.close();
      await close();
    });

    it('a role that may open no more connections', async () => {
      const { address, sql, close } = await given();
      await sql('CREATE ROLE crowded LOGIN SUPERUSER CONNECTION LIMIT 0');
      await sql('ALTER ROLE crowded NOSUPERUSER');
      const crowded = address.replace('postgres@', 'crowded@');
      const many = openPostgres({ address: crowded, writeTimeoutMs: 200 });
      await expect(many).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringMatching(/too many connections/),
      });
      await close();
    });

    it.runIf(isLong && mayMount())('a disk that is full, until there is room again', async () => {
      const disk = givenSmallDisk(24_000);
      const { uid, gid } = await stat(cluster().folder);
      await chown(disk, uid, gid);
      const { store, sql, close } = await given();
      await sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
      await sql('ALTER TABLE blogctl.articles SET TABLESPACE small');
      const filler = join(disk, 'filler');
      await writeFile(filler, Buffer.alloc(25_000_000)).catch(() => {});
      const content = randomBytes(600_000).toString('hex');
      const full = { failure: 'no-room', message: 'The disk of the database is full.' };
      await expect(store.create(1, { title: 'x', content })).rejects.toMatchObject(full);
      expect(await store.read(1, 1)).toMatchObject({ kind: 'article' });
      await rm(filler);
      expect(await store.create(1, { title: 'y', content })).toMatchObject({ article: { id: 2 } });
      await close();
      await sql('DROP SCHEMA blogctl CASCADE');
      await sql('DROP TABLESPACE small');
    });
  },
  { own: true },
);
