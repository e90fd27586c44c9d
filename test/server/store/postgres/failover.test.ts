import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { StoreError } from '../../../../server/store/store.ts';
import { postgresFolder } from '../../../support/postgres.ts';
import { givenPair } from '../../../support/replicated.ts';

const failovers = Number(process.env['BLOGCTL_PG_FAILOVERS'] ?? 0);

it.skipIf(postgresFolder() === undefined || failovers === 0)(
  'a primary that is killed, and its synchronous standby promoted, costs a wait and no article',
  async () => {
    const pair = await givenPair();
    onTestFinished(() => pair.stop());
    const { address } = pair;
    await initPostgres(address, { title: 'My blog', description: '' });
    const instances = await Promise.all([0, 1].map(() => openPostgres({ address })));
    /** What was acknowledged, by id. */
    const ledger = new Map<number, string>();
    const load = { isOver: false };
    const clients = instances.flatMap(({ store }, at) =>
      [0, 1, 2, 3].map(async (client) => {
        for (let count = 0; !load.isOver; count += 1) {
          const title = `${at}-${client}-${count}`;
          const idempotency = { key: keyOf(title), request: 'ab'.repeat(32) };
          const made = await again(() => store.create(1, { title }, { idempotency }));
          if (made.kind !== 'created' && made.kind !== 'replayed') throw new TypeError(made.kind);
          const { id } = made.article;
          expect(ledger.get(id)).toBeUndefined();
          ledger.set(id, title);
          if (count % 3 > 0) continue;
          await again(() => store.replace(1, id, { title: `${title}+` }, () => {}));
          ledger.set(id, `${title}+`);
        }
      }),
    );
    for (let count = 0; count < failovers; count += 1) {
      await pause(500);
      const before = ledger.size;
      await pair.failOver();
      while (ledger.size === before) await pause(20);
    }
    load.isOver = true;
    await Promise.all(clients);
    const found = new Map<number, string>();
    const [one] = instances;
    for (let last = 0; last < ledger.size; last += 500) {
      const page = await one?.store.page(1, last, 500);
      for (const { id, json } of page?.articles ?? [])
        found.set(id, JSON.parse(String(json)).title);
    }
    expect(found).toEqual(new Map([...ledger].sort(([a], [b]) => a - b)));
    expect([...found.keys()]).toEqual(Array.from({ length: found.size }, (_, at) => at + 1));
    expect((await one?.store.blog(1))?.total).toBe(found.size);
    process.stdout.write(
      `${failovers} failovers, ${ledger.size} articles: none lost, doubled or left out; ${refusals} refusals\n`,
    );
    for (const { store } of instances) await store.close();
  },
);

function keyOf(title: string): string {
  return Buffer.from(title).toString('hex').padEnd(64, '0');
}

const passing = ['overloaded', 'unreachable', 'outcome-unknown'];
let refusals = 0;

/** As a client repeats what was answered 503, or 500 outcome-unknown. */
async function again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreError) || !passing.includes(error.failure)) throw error;
      refusals += 1;
      await pause(100);
    }
  }
}
