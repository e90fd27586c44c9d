import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import type { PostgresStore } from '../../../../server/store/postgres/postgres-store.ts';
import { startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { seededRandom } from '../support/random.ts';

/** Titles of what was acknowledged, by id. */
type Ledger = Map<number, string>;

const blog = { title: 'My blog', description: '' };

/** What is in the store is what was acknowledged: nothing lost, nothing twice, no id left out. */
async function holds(store: PostgresStore, ledger: Ledger): Promise<void> {
  const found = new Map<number, string>();
  for (let first = 0; ; first += 500) {
    const page = await store.page(1, first, 500);
    for (const { id, json } of page?.articles ?? []) found.set(id, JSON.parse(String(json)).title);
    if ((page?.articles.length ?? 0) < 500) break;
  }
  expect(found).toEqual(new Map([...ledger].sort(([a], [b]) => a - b)));
  expect([...found.keys()]).toEqual(Array.from({ length: found.size }, (_, at) => at + 1));
  expect((await store.blog(1))?.total).toBe(found.size);
}

async function create(store: PostgresStore, title: string, ledger: Ledger): Promise<void> {
  const creation = await store.create(1, { title });
  if (creation.kind !== 'created') throw new TypeError(creation.kind);
  ledger.set(creation.article.id, title);
}

describeOnPostgres('lost answers', (cluster) => {
  const through = (address: string, port: number) => address.replace(/:\d+\//, `:${port}/`);

  it('are settled where connections are cut at any byte of a batch', async () => {
    const address = await cluster().database();
    await initPostgres(address, blog);
    const proxy = await startCuttingProxy(cluster().port);
    const { store } = await openPostgres({ address: through(address, proxy.port) });
    const ledger: Ledger = new Map();
    const random = seededRandom(1);
    const rounds = Number(process.env['BLOGCTL_PG_CUTS'] ?? 40);
    for (let round = 0; round < rounds; round += 1) {
      const way = round % 2 === 0 ? 'forth' : 'back';
      proxy.cutAfter = { forth: Infinity, back: Infinity, [way]: random.below(5000) };
      const all = [0, 1, 2, 3].map((at) => create(store, `${round}-${at}`, ledger));
      const more = all.map((one) => one.then(() => create(store, `${round}+`, ledger)));
      await Promise.all(more);
    }
    proxy.cutAfter = { forth: Infinity, back: Infinity };
    await store.close();
    const { store: again } = await openPostgres({ address });
    await holds(again, ledger);
    expect(ledger.size).toBe(rounds * 8);
    expect(proxy.cuts()).toBeGreaterThan(rounds / 2);
    await again.close();
    await proxy.stop();
  });

  it('are settled while a slow server still works for the lost connection', async () => {
    const address = await cluster().database();
    await initPostgres(address, blog);
    const name = address.slice(address.lastIndexOf('/') + 1);
    await cluster().sql(
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE TRIGGER slow AFTER INSERT ON blogctl.writers
        FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
      name,
    );
    const proxy = await startCuttingProxy(cluster().port);
    proxy.keepsServer = true;
    const ledger: Ledger = new Map();
    for (let round = 0; round < 6; round += 1) {
      const { store } = await openPostgres({ address: through(address, proxy.port) });
      const creating = create(store, `Slow ${round}`, ledger);
      await pause(150);
      proxy.dropClients();
      await creating;
      await store.close();
    }
    const { store } = await openPostgres({ address });
    await holds(store, ledger);
    expect(ledger.size).toBe(6);
    await store.close();
    await proxy.stop();
  });
});

describeOnPostgres(
  'a killed server',
  (cluster) => {
    it('costs its clients a wait and no article', async () => {
      const address = await cluster().database();
      await initPostgres(address, blog);
      const ledger: Ledger = new Map();
      const instances = await Promise.all(
        // The machine may be busy: a slow start must not be taken for none.
        [0, 1].map(() => openPostgres({ address, patienceMs: 40_000 })),
      );
      const load = { isOver: false };
      const clients = instances.flatMap(({ store }, at) =>
        [0, 1, 2, 3].map(async (client) => {
          for (let count = 0; !load.isOver; count += 1) {
            await create(store, `${at}-${client}-${count}`, ledger);
          }
        }),
      );
      const kills = Number(process.env['BLOGCTL_PG_KILLS'] ?? 2);
      for (let kill = 0; kill < kills; kill += 1) {
        await pause(250);
        await cluster().kill();
        await cluster().start();
      }
      load.isOver = true;
      await Promise.all(clients);
      const [one] = instances;
      if (one !== undefined) await holds(one.store, ledger);
      expect(ledger.size).toBeGreaterThan(kills);
      for (const { store } of instances) await store.close();
    });
  },
  { fsync: true },
);
