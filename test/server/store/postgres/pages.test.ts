import { expect, it } from 'vitest';
import { SchemaSeen } from '../../../../server/store/postgres/transaction.ts';
import { readAddress } from '../../../../server/store/postgres/address.ts';
import { Connector, type Statement } from '../../../../server/store/postgres/connections.ts';
import { GatheredReads } from '../../../../server/store/postgres/gathered-reads.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { PagePlaces } from '../../../../server/store/postgres/page-places.ts';
import { reads as ofReads, writes } from '../../../../server/store/postgres/sql.ts';
import type { Store } from '../../../../server/store/store.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

it('a rank among ids of which none is missing is an id', () => {
  const places = new PagePlaces();
  places.take([{ bucket: 1, holes: 6, since: 2 }]);
  expect([7, 255, 256, 300, 505, 506, 1000].map((rank) => places.find(rank))).toEqual([
    { start: 8, skip: 0 },
    { start: 256, skip: 0 },
    { start: 257, skip: 0 },
    { start: 257, skip: 44 },
    { start: 257, skip: 249 },
    { start: 513, skip: 0 },
    { start: 1007, skip: 0 },
  ]);
});

/** Notes what it is asked. */
class NotingConnector extends Connector {
  readonly asked: Statement[] = [];

  override read<Answer>(
    statement: Statement,
    values: readonly unknown[],
    writeTimeoutMs?: number,
  ): Promise<readonly Answer[]> {
    this.asked.push(statement);
    return super.read(statement, values, writeTimeoutMs);
  }
}

describeOnPostgres('pages of a database', (cluster) => {
  async function givenReads() {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    const { store } = await openPostgres({ address });
    const link = new NotingConnector(readAddress(address));
    return { store, link, reads: new GatheredReads([link], new SchemaSeen()) };
  }

  it('are one statement that is prepared once, wherever they begin and whatever was deleted', async () => {
    const { store, link, reads } = await givenReads();
    await Promise.all(Array.from({ length: 600 }, () => store.create(1, { title: 'A' })));
    for (const id of [1, 100, 300, 301]) await store.remove(1, id, () => undefined);
    const starts = [];
    for (const first of [0, 1, 98, 200, 299, 400, 590, 596, 9000]) {
      starts.push((await reads.page(1, first, 20))?.articles[0]?.id);
    }
    expect(starts).toEqual([2, 3, 101, 203, 304, 405, 595, undefined, undefined]);
    const pages = link.asked.filter(({ text }) => /OFFSET/.test(text));
    expect(new Set(pages.map(({ name, text }) => `${name}: ${text}`)).size).toBe(1);
    expect(pages[0]?.name).toBe('pages of 20');
    await Promise.all([store.close(), link.close()]);
  });

  it.each([
    ['body', 'Article 2 is damaged'],
    ['private', 'a control character stands in it'],
  ])('are refused where %s was edited so that no seal holds', async (column, message) => {
    const { store, link, reads } = await givenReads();
    for (const title of ['A', 'B']) await store.create(1, { title });
    const edited = String.raw`coalesce(${column}, '') || E'\x01\x02'`;
    await link.read({ text: `UPDATE blogctl.articles SET ${column} = ${edited} WHERE id = 2` }, []);
    const error = { failure: 'damaged', message: expect.stringContaining(message) };
    await expect(reads.page(1, 0, 20)).rejects.toMatchObject(error);
    await expect(reads.article({ blogId: 1, id: 2 })).rejects.toMatchObject(error);
    expect(await reads.article({ blogId: 1, id: 1 })).toMatchObject({ kind: 'article' });
    await Promise.all([store.close(), link.close()]);
  });

  it('hold the texts that are few bytes together, and of others what is known without them', async () => {
    const { store, link, reads } = await givenReads();
    const create = (length: number) => store.create(1, { title: 'A', content: 'x'.repeat(length) });
    for (const length of [80_000, 10, 110_000, 20, 80_000, 30]) await create(length);
    const textsOf = async (count: number) => {
      const page = await reads.page(1, 0, count);
      return page?.articles.map(({ json, length }) => json !== undefined && json.length === length);
    };
    expect(await textsOf(4)).toEqual([true, true, true, true]);
    expect(await textsOf(6)).toEqual([false, true, false, true, false, true]);
    const [long] = (await reads.page(1, 0, 6))?.articles ?? [];
    expect(long?.length).toBeGreaterThan(80_000);
    await Promise.all([store.close(), link.close()]);
  });

  it.each([
    ['read', ofReads.articles],
    ['changed', writes.targets],
  ])(
    'an article is %s beside many ids of other blogs, and they are not looked through',
    async (_, text) => {
      const { store, link } = await givenReads();
      const ranges = 'SELECT 1, 2 * n, 2 * n FROM generate_series(1, 5000) AS n';
      await link.read({ text: `INSERT INTO blogctl.never ${ranges}; ANALYZE blogctl.never` }, []);
      const asked = { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` };
      const plan = JSON.stringify(
        await link.read(asked, [
          [1, 1],
          [9999, 10_000],
        ]),
      );
      const passed = [...plan.matchAll(/"Actual Rows":(\d+)|Removed by Filter":(\d+)/g)];
      expect(Math.max(...passed.map(([, found, left]) => Number(found ?? left)))).toBeLessThan(10);
      await Promise.all([store.close(), link.close()]);
    },
  );

  /** What a standby has that did not receive all, and what it then has others write. */
  async function givenLostEnd(address: string, lose: () => Promise<unknown>) {
    const name = address.slice(address.lastIndexOf('/') + 1);
    const end = () =>
      cluster().sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = '${name}' AND pid <> pg_backend_pid()`);
    await end();
    while (
      !(await cluster()
        .sql(`CREATE DATABASE ${name}_b TEMPLATE ${name}`)
        .then(...isDone))
    );
    await lose();
    return async () => {
      const renamed = `ALTER DATABASE ${name} RENAME TO ${name}_a`;
      do await end();
      while (
        !(await cluster()
          .sql(renamed)
          .then(...isDone))
      );
      await cluster().sql(`ALTER DATABASE ${name}_b RENAME TO ${name}`);
    };
  }

  it('show nothing of changes that were lost with their server, however many others follow', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    const [{ store }, { store: other }] = [
      await openPostgres({ address }),
      await openPostgres({ address }),
    ];
    await Promise.all(Array.from({ length: 600 }, () => store.create(1, { title: 'A' })));
    const change = async (by: Store, ids: readonly number[], title: string) => {
      for (const id of ids) await by.remove(1, id, anyVersion);
      await by.replace(1, 400, { title }, anyVersion);
    };
    const pagesOf = async (its: Store) => {
      const firsts = [0, 120, 252, 260, 500];
      const pages = await Promise.all(firsts.map((first) => its.page(1, first, 20)));
      return pages.map((page) => page?.articles.map(({ id, tag }) => [id, tag]));
    };
    const lostVersions: number[] = [];
    const failOver = await givenLostEnd(address, async () => {
      await change(store, [1, 2, 3, 4, 5], 'Lost');
      await pagesOf(store);
      lostVersions.push(await store.version(), (await store.blog(1))?.version ?? 0);
    });
    await failOver();
    await change(other, [300, 301, 302, 303, 304], 'Kept');
    expect(lostVersions).not.toContain(await store.version());
    expect(await pagesOf(store)).toEqual(await pagesOf(other));
    await Promise.all([store.close(), other.close()]);
  });

  it('are of one host, where reads are answered by two and one is behind', async () => {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    const { store } = await openPostgres({ address });
    await Promise.all(Array.from({ length: 300 }, () => store.create(1, { title: 'A' })));
    await givenLostEnd(address, async () => {
      for (const id of [1, 2, 3, 4, 5]) await store.remove(1, id, anyVersion);
    });
    const links = [address, `${address}_b`].map((host) => new Connector(readAddress(host)));
    const reads = new GatheredReads(links, new SchemaSeen());
    for (let count = 0; count < 12; count += 1) {
      const page = await reads.page(1, 260, 20);
      expect([page?.blog.total, page?.articles[0]?.id]).toEqual(
        page?.blog.total === 300 ? [300, 261] : [295, 266],
      );
      if (count % 3 === 0) await reads.article({ blogId: 1, id: 9 });
    }
    await Promise.all([store, ...links].map((each) => each.close()));
  });
});

const anyVersion = () => undefined;
const isDone = [() => true, () => false] as const;
