import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { startServer } from '../../../../server/index.ts';
import { newTokenText } from '../../../../server/store/tokens.ts';
import { startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { givenFolder, givenService } from '../../../support/command.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { type Answer, Clients, givenInstance } from './instances.ts';
import { Ledger } from './ledger.ts';

const kills = Number(process.env['BLOGCTL_PG_KILLS'] ?? 2);
/** What is frozen goes on when clients were told of it, and not while they wait. */
const isLong = process.env['BLOGCTL_PG_KILLS'] !== undefined;
const blog = { title: 'My blog', description: '' };

describeOnPostgres(
  'what stops',
  (cluster) => {
    const nameOf = (address: string) => address.slice(address.lastIndexOf('/') + 1);
    const through = (address: string, port: number) => address.replace(/:\d+\//, `:${port}/`);

    async function givenDatabase(): Promise<string> {
      const address = await cluster().database();
      await initPostgres(address, blog);
      return address;
    }

    it('a server that is killed costs its clients a wait and no article', async () => {
      const address = await givenDatabase();
      // The machine may be busy: a slow start must not be taken for none.
      const options = { address, writeTimeoutMs: 40_000 };
      const [one, two] = await Promise.all([openPostgres(options), openPostgres(options)]);
      const ledger = new Ledger(one.store);
      const load = { isOver: false };
      const clients = [ledger, ledger.beside(two.store)].flatMap((each) =>
        [0, 1, 2, 3].map(async () => {
          for (let count = 0; !load.isOver; count += 1) {
            const id = await each.create();
            if (count % 3 === 0) await each.replace(id);
          }
        }),
      );
      for (let kill = 0; kill < kills; kill += 1) {
        const before = ledger.size;
        while (ledger.size === before) await pause(20);
        await pause(100);
        await cluster().kill();
        await cluster().start();
      }
      load.isOver = true;
      await Promise.all(clients);
      expect(await ledger.broken(one.store)).toEqual([]);
      expect(ledger.size).toBeGreaterThan(kills);
      if (isLong) process.stdout.write(`${kills} kills: ${ledger.told()}\n`);
      for (const { store } of [one, two]) await store.close();
    });

    it('a database that is away is told to whoever asks, as often as they ask', async () => {
      const address = await givenDatabase();
      const proxy = await startCuttingProxy(cluster().port, 'a pause');
      const words = ['--store', through(address, proxy.port), '--port', '0'];
      const one = await givenService(await givenFolder(), words);
      const clients = new Clients(one.token);
      await clients.make(one.blogUrl, 'Before');
      const targets = [`${one.blogUrl}/articles/1`, `${new URL(one.blogUrl).origin}/health`];
      const statuses = async () => {
        const all: number[] = [];
        for (const target of [...targets, ...targets])
          all.push((await clients.send(target)).status);
        return all;
      };
      expect(await statuses()).toEqual([200, 200, 200, 200]);
      await proxy.stop();
      expect(await statuses()).toEqual([503, 503, 503, 503]);
      // A token of the database cannot be read either: it is back in seconds.
      const answer = await new Clients(newTokenText()).post(one.blogUrl, 'Meanwhile');
      expect([answer.status, answer.retryAfter]).toEqual([503, '2']);
    });

    it('a database that is away, and is back, is said once each by every instance', async () => {
      const notices: string[] = [];
      const report = (text: string) => void notices.push(text);
      const { store } = await openPostgres({ address: await givenDatabase(), report });
      notices.length = 0;
      await cluster().kill();
      const asked = () => [store.read(1, 1), store.blogs(), store.writesRefused()];
      for (let times = 0; times < 2; times += 1) await Promise.allSettled(asked());
      expect(notices).toEqual([
        expect.stringMatching(
          /^\S+ does not answer: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check /,
        ),
      ]);
      await cluster().start();
      await expect
        .poll(() => store.read(1, 1), { timeout: 20_000 })
        .toMatchObject({ kind: 'absent' });
      await Promise.all(asked());
      expect(notices.slice(1)).toEqual([expect.stringMatching(/^\S+ answers again\.$/)]);
      await store.close();
    });

    it('an instance that is frozen while it holds the lock loses it, and repeats when it goes on', async () => {
      const address = await givenDatabase();
      const proxy = await startCuttingProxy(cluster().port, 'a pause');
      onTestFinished(() => proxy.stop());
      const [one, two] = await Promise.all([
        givenInstance(through(address, proxy.port)),
        givenInstance(address),
      ]);
      const clients = new Clients(one.token);
      // The first batch of an instance alone sends the text of its statements.
      await clients.make(two.blogUrl, 'Before');
      proxy.cutBehind = 'FOR UPDATE';
      const frozen = clients.post(one.blogUrl, 'Frozen');
      const holding = `SELECT count(*) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND datname = '${nameOf(address)}'`;
      while ((await cluster().sql(holding)) === '0');
      process.kill(one.pid, 'SIGSTOP');
      proxy.goOn();
      const beside = clients.post(two.blogUrl, 'Beside');
      expect((await clients.send(`${two.blogUrl}/articles/1`)).status).toBe(200);
      expect((await beside).status).toBe(201);
      process.kill(one.pid, 'SIGCONT');
      expect((await frozen).status).toBe(201);
      expect(await clients.broken(two.blogUrl)).toEqual([]);
    });

    it('a backend that is frozen while it holds the lock holds writers up, and no reader', async () => {
      const address = await givenDatabase();
      const sql = (text: string) => cluster().sql(text, nameOf(address));
      await sql(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
        CREATE TRIGGER slow AFTER INSERT ON blogctl.articles FOR EACH ROW
          WHEN (NEW.body LIKE '%Frozen%') EXECUTE FUNCTION slow()`);
      const [one, two] = await Promise.all([givenInstance(address), givenInstance(address)]);
      const clients = new Clients(one.token);
      await clients.make(one.blogUrl, 'Before');
      const frozen = clients.post(one.blogUrl, 'Frozen');
      const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
      let pid = 0;
      while (pid === 0) pid = Number(await sql(sleeping));
      process.kill(pid, 'SIGSTOP');
      const beside = clients.post(two.blogUrl, 'Beside');
      for (const { blogUrl } of [one, two]) {
        expect((await clients.send(`${blogUrl}/articles/1`)).status).toBe(200);
        expect((await clients.send(`${blogUrl}/articles`)).status).toBe(200);
      }
      if (!isLong) process.kill(pid, 'SIGCONT');
      expect(told(await frozen)).toEqual(isLong ? [500, null] : [201, null]);
      expect(told(await beside)).toEqual(isLong ? [503, '1'] : [201, null]);
      if (isLong) process.kill(pid, 'SIGCONT');
      await clients.make(one.blogUrl, 'Frozen');
      await clients.make(two.blogUrl, 'Beside');
      expect(await clients.broken(two.blogUrl)).toEqual([]);
    });

    it('a server that is frozen holds everything up, and takes nothing with it', async () => {
      const address = await givenDatabase();
      const served = await Promise.all([givenInstance(address), givenInstance(address)]);
      const clients = new Clients(served[0].token);
      await clients.make(served[0].blogUrl, 'Before');
      await cluster().signal('SIGSTOP');
      const titles = [1, 2, 3, 4, 5, 6].map((count) => `Frozen ${count}`);
      const urlOf = (at: number) => served[at % 2 === 0 ? 0 : 1].blogUrl;
      const posts = titles.map((title, at) => clients.post(urlOf(at), title));
      const reads = served.map(({ blogUrl }) => clients.send(`${blogUrl}/articles/1`));
      const health = await clients.send(new URL('/health', served[0].blogUrl).href);
      expect(told(health)).toEqual([503, '2']);
      if (!isLong) await cluster().signal('SIGCONT');
      for (const post of posts) expect(told(await post)).toEqual(isLong ? [503, '2'] : [201, null]);
      for (const read of reads) expect(told(await read)).toEqual(isLong ? [503, '2'] : [200, null]);
      await cluster().signal('SIGCONT');
      for (const [at, title] of titles.entries()) await clients.make(urlOf(at), title);
      expect(await clients.broken(served[1].blogUrl)).toEqual([]);
    });

    it('a server that is frozen costs the first read of an instance one wait, and not one for each thing it asks', async () => {
      const served = await startServer({ file: await givenDatabase(), port: 0, host: '127.0.0.1' });
      await cluster().signal('SIGSTOP');
      const began = performance.now();
      const { status } = await fetch(`${served.blogs[0]?.url}/articles/1`);
      const took = performance.now() - began;
      await cluster().signal('SIGCONT');
      expect(status).toBe(503);
      // Ten seconds for the answer, and what it takes to find that nobody else answers either.
      expect(took).toBeLessThan(16_000);
      await served.stop();
    });

    it('a read that waits for a lock is not begun anew for as long again', async () => {
      const address = await givenDatabase();
      const notices: string[] = [];
      const report = (text: string) => void notices.push(text);
      const { store } = await openPostgres({ address, report });
      notices.length = 0;
      const other = new Client({ connectionString: address });
      await other.connect();
      await other.query('BEGIN; LOCK TABLE blogctl.articles');
      const began = performance.now();
      await expect(store.read(1, 1)).rejects.toMatchObject({ failure: 'unreachable' });
      expect(performance.now() - began).toBeLessThan(16_000);
      await other.end();
      const kind = async () => (await store.read(1, 1).catch(() => undefined))?.kind;
      await expect.poll(kind).toBe('absent');
      expect(notices).toEqual([
        expect.stringMatching(/takes too long over a statement.*pg_stat_activity/),
        expect.stringMatching(/^No longer: \S+ takes too long over a statement/),
      ]);
      await store.close();
    });

    it('a connection on which nothing passes any more is given up, and the batch settled', async () => {
      const places = isLong ? Array.from({ length: 20 }, (_, at) => at / 20) : [0.5];
      // The last ones: in the middle of a statement, and where the answer to COMMIT is lost.
      for (const at of [...places, 0.98]) {
        const [forth, back] = await Promise.all([swallowed('forth', at), swallowed('back', at)]);
        expect([forth.cuts, back.cuts]).toEqual([1, 1]);
      }
    });

    it('an answer to COMMIT that never comes is asked about once more, however long it was waited for', async () => {
      expect(await swallowed('back', 0.99)).toEqual({ cuts: 1, refusals: 0 });
    });

    /** Where that part of a batch has passed, nothing passes any more. */
    async function swallowed(way: 'forth' | 'back', at: number) {
      const address = await givenDatabase();
      const proxy = await startCuttingProxy(cluster().port, 'a black hole');
      const [{ store: direct }, { store }] = await Promise.all([
        openPostgres({ address }),
        openPostgres({ address: through(address, proxy.port), writeTimeoutMs: 300 }),
      ]);
      const ledger = new Ledger(direct);
      const own = ledger.beside(store);
      const first = await own.create();
      proxy.passed = { forth: 0, back: 0 };
      await own.create();
      const bytes = Math.floor(proxy.passed[way] * at);
      proxy.cutAfter = { forth: Infinity, back: Infinity, [way]: bytes };
      const made = own.create();
      while (proxy.cuts() === 0) await pause(5);
      expect(await direct.read(1, first)).toMatchObject({ kind: 'article' });
      await made;
      expect(await ledger.broken(direct)).toEqual([]);
      await Promise.all([store.close(), direct.close()]);
      await proxy.stop();
      return { cuts: proxy.cuts(), refusals: own.refusals };
    }

    function told({ status, retryAfter }: Answer) {
      return [status, retryAfter];
    }
  },
  { own: true, fsync: true },
);
