import { expect, it, onTestFinished, vi } from 'vitest';
import { createAuthenticator } from '../../../../server/policy/authentication.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { PagePlaces } from '../../../../server/store/postgres/page-places.ts';
import { startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

it('a count of holes is not replaced by an older one, which came late', () => {
  const places = new PagePlaces();
  places.take([{ bucket: 0, holes: 2, since: 9 }]);
  places.take([{ bucket: 0, holes: 1, since: 5 }]);
  expect([places.version, places.find(254)]).toEqual([9, { start: 257, skip: 0 }]);
});

describeOnPostgres('what is seen of other instances', (cluster) => {
  async function givenDatabase(): Promise<string> {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    return address;
  }

  it('an answer under way is none for who asks after it was given', async () => {
    const address = await givenDatabase();
    const proxy = await startCuttingProxy(cluster().port, 'a pause');
    onTestFinished(() => proxy.stop());
    const through = address.replace(/:\d+\//, `:${proxy.port}/`);
    const [one, two] = await Promise.all([
      openPostgres({ address: through }),
      openPostgres({ address }),
    ]);
    const before = await one.store.version();
    await one.store.version();
    proxy.cutAfter = { forth: Infinity, back: 0 };
    const early = one.store.version();
    while (proxy.cuts() === 0) await new Promise((next) => setTimeout(next, 5));
    await two.store.create(1, { title: 'Meanwhile' });
    const late = one.store.version();
    await new Promise((next) => setImmediate(next));
    proxy.goOn();
    expect(await early).toBe(before);
    expect(await late).toBeGreaterThan(before);
    await Promise.all([one.store.close(), two.store.close()]);
  });

  it('what is asked of a store that closes is refused, and opens no connection for good', async () => {
    const { store } = await openPostgres({ address: await givenDatabase() });
    await store.version();
    const late = store.read(1, 1);
    const closing = store.close();
    await expect(late).rejects.toMatchObject({ failure: 'closing' });
    await closing;
    await expect(store.page(1, 0, 20)).rejects.toMatchObject({ failure: 'closing' });
  });

  it('an article is what its writer was answered, whatever role and database are set to', async () => {
    const address = await givenDatabase();
    const name = address.slice(address.lastIndexOf('/') + 1);
    const { store } = await openPostgres({ address });
    await cluster().sql(
      `CREATE TABLE waits (of text);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE TRIGGER note AFTER INSERT ON blogctl.articles FOR EACH ROW EXECUTE FUNCTION note();
      CREATE TRIGGER note AFTER INSERT ON blogctl.blogs FOR EACH ROW EXECUTE FUNCTION note();
      ALTER DATABASE ${name} SET array_nulls = off;
      ALTER DATABASE ${name} SET synchronous_commit = off;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
      name,
    );
    const made = await store.create(1, { title: 'A' });
    const { article } = made.kind === 'created' ? made : {};
    expect(await store.read(1, 1)).toMatchObject({ kind: 'article', article });
    await store.addBlog({ title: 'Second', description: '' });
    expect(await cluster().sql('SELECT of FROM waits', name)).toBe('on\non');
    await store.close();
  });

  it('dates go on from the last one, where the clock of the database went back', async () => {
    const address = await givenDatabase();
    // At the beginning of a second, whose last tenth no date of what is new has.
    const ahead = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
    const name = address.slice(address.lastIndexOf('/') + 1);
    await cluster().sql(`UPDATE blogctl.blogs SET changed_at = ${ahead}`, name);
    const { store } = await openPostgres({ address });
    const made = await store.create(1, { title: 'Later' });
    expect(made).toMatchObject({ kind: 'created', article: { updatedAt: ahead } });
    expect((await store.blog(1))?.changedAt).toBeGreaterThanOrEqual(ahead);
    await store.close();
  });

  it('dates, and the end of a token, are told by the clock of the database, whatever that of an instance', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2099, 0) });
    const address = await givenDatabase();
    const { store, tokens } = await openPostgres({ address });
    await store.addBlog({ title: 'Second', description: '' });
    const later = Date.UTC(2098, 0);
    const { token } = await tokens.create({ name: 'x', rights: ['create'], expiresAt: later });
    const authenticate = createAuthenticator(tokens.lookup);
    const presented = { token, address: '', now: Date.now() };
    expect(await authenticate(presented)).toMatchObject({ name: 'x', expiresAt: later });
    await cluster().sql(
      'UPDATE blogctl.tokens SET expires_at = 1',
      address.slice(address.lastIndexOf('/') + 1),
    );
    await expect(authenticate({ ...presented, now: 0 })).rejects.toThrow('expired on 1970-01-01');
    vi.useRealTimers();
    const made = (await store.blogs()).map(({ changedAt }) => changedAt);
    expect(Math.max(...made)).toBeLessThan(Date.now() + 60_000);
    expect(await store.create(2, { title: 'A' })).toMatchObject({ kind: 'created' });
    await store.close();
  });
});
