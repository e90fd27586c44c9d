import { expect, it } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { Clients, givenInstance, type Sent } from './instances.ts';

const rounds = Number(process.env['BLOGCTL_PG_RACES'] ?? 15);
const writersAtOnce = 12;

describeOnPostgres('races', (cluster) => {
  async function givenDatabase(): Promise<string> {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    return address;
  }

  it(`over three processes, ${rounds} rounds each: one passes of those with one tag, one key makes one`, async () => {
    const address = await givenDatabase();
    const served = await Promise.all([1, 2, 3].map(() => givenInstance(address)));
    const clients = new Clients(served[0]?.token ?? '');
    const urls = served.map(({ blogUrl }) => blogUrl);
    const everywhere = (path: string, sent: Sent) =>
      Promise.all(
        Array.from({ length: writersAtOnce }, (_, at) =>
          clients.send(`${urls[at % urls.length]}${path}`, sent),
        ),
      );
    const tagOf = async (path: string) =>
      (await clients.send(`${urls[1]}${path}`)).headers.get('etag') ?? '';
    const counted = (all: readonly { readonly status: number }[]) =>
      all.map(({ status }) => status).toSorted((a, b) => a - b);
    const oneOf = (status: number) => [status, ...Array(writersAtOnce - 1).fill(412)];
    await clients.make(urls[0] ?? '', 'The first');
    for (let round = 1; round <= rounds; round += 1) {
      const body = JSON.stringify({ title: `T${round}`, content: '' });
      const one = { 'if-match': await tagOf('/articles/1') };
      const replaced = await everywhere('/articles/1', { method: 'PUT', headers: one, body });
      expect(counted(replaced)).toEqual(oneOf(200));
      const all = { 'if-match': await tagOf('/articles') };
      const added = await everywhere('/articles', { method: 'POST', headers: all, body });
      expect(counted(added)).toEqual(oneOf(201));
      const keyed = { 'idempotency-key': `key-${round}` };
      const made = await everywhere('/articles', { method: 'POST', headers: keyed, body });
      expect(counted(made)).toEqual(Array(writersAtOnce).fill(201));
      const replays = made.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replays).toHaveLength(writersAtOnce - 1);
      expect(new Set(made.map(({ headers }) => headers.get('location'))).size).toBe(1);
    }
    const { text } = await clients.send(`${urls[2]}/articles`);
    expect(JSON.parse(text).totalArticles).toBe(1 + 2 * rounds);
  });

  it('pages beside deletions by others are of one moment: ids ascend, and the rank is right', async () => {
    const address = await givenDatabase();
    const opened = [1, 2, 3].map(async () => (await openPostgres({ address })).store);
    const [one, two, three] = await Promise.all([opened[0], opened[1], opened[2]]);
    if (!one || !two || !three) throw new TypeError('three stores');
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
    for (const store of [one, two, three]) await store.close();
  });
});
