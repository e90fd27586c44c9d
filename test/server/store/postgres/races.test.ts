import { expect, it } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import type { PostgresStore } from '../../../../server/store/postgres/postgres-store.ts';
import { type Page, StoreError, type Version } from '../../../../server/store/store.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

const rounds = Number(process.env['BLOGCTL_PG_RACES'] ?? 20);
const writersAtOnce = 12;

class Refused extends Error {}

describeOnPostgres('races over three instances', (cluster) => {
  const opened = async (): Promise<readonly PostgresStore[]> => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    const all = await Promise.all([0, 1, 2].map(() => openPostgres({ address })));
    return all.map(({ store }) => store);
  };
  const writers = (stores: readonly PostgresStore[]) =>
    Array.from({ length: writersAtOnce }, (_, at) => stores[at % stores.length] ?? fail());

  it('one entity tag lets one writer pass', async () => {
    const stores = await opened();
    const [first] = writers(stores);
    await first?.create(1, { title: 'A' });
    for (let round = 1; round <= rounds; round += 1) {
      const guard = ({ tag }: Version) => {
        if (!tag.startsWith(`${round}-`)) throw new Refused();
      };
      const ended = await Promise.allSettled(
        writers(stores).map((store, at) => store.replace(1, 1, { title: `${at}` }, guard)),
      );
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    for (const store of stores) await store.close();
  });

  it('one page of the collection lets one new article pass, one key makes one', async () => {
    const stores = await opened();
    for (let round = 0; round < rounds; round += 1) {
      const holds = ({ blog }: Page) => {
        if (blog.total !== round * 2) throw new Refused();
      };
      const guarded = await Promise.allSettled(
        writers(stores).map((store) =>
          store.create(1, { title: 'G' }, { guard: { count: 20, holds } }),
        ),
      );
      expect(guarded.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const idempotency = { key: `${round}`.padStart(64, '0'), request: 'b'.repeat(64) };
      const keyed = await Promise.all(
        writers(stores).map((store) => store.create(1, { title: 'K' }, { idempotency })),
      );
      expect(keyed.filter(({ kind }) => kind === 'created')).toHaveLength(1);
      expect(keyed.filter(({ kind }) => kind === 'replayed')).toHaveLength(writersAtOnce - 1);
    }
    for (const store of stores) await store.close();
  });

  it('pages beside deletions by others are of one moment: ids ascend, and the rank is right', async () => {
    const stores = await opened();
    const [one = fail(), two = fail(), three = fail()] = stores;
    await Promise.all(Array.from({ length: 800 }, (_, at) => one.create(1, { title: `${at}` })));
    const gone = new Set<number>();
    const load = { isOver: false };
    const deleting = (async () => {
      for (let id = 5; id < 700; id += 3) {
        await three.remove(1, id, () => undefined);
        gone.add(id);
      }
      load.isOver = true;
    })();
    let read = 0;
    while (!load.isOver) {
      const before = gone.size;
      const [page] = await Promise.all([two.page(1, 300, 10), one.page(1, 20, 10)]);
      const first = page?.articles[0]?.id ?? 0;
      // So many were gone below it at the moment of reading as its rank says.
      const missing = first - 1 - 300;
      const goneBelow = (count: number) =>
        [...gone].slice(0, count).filter((id) => id < first).length;
      expect(missing).toBeGreaterThanOrEqual(goneBelow(before));
      expect(missing).toBeLessThanOrEqual(goneBelow(gone.size) + 1);
      expect(page?.blog.total).toBeGreaterThanOrEqual(800 - gone.size - 1);
      read += 1;
    }
    await deleting;
    expect(read).toBeGreaterThan(3);
    for (const store of stores) await store.close();
  });
});

function fail(): never {
  throw new StoreError('degraded', 'no store was opened');
}
