import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { postgresFolder } from '../../../support/postgres.ts';
import { givenPair } from '../../../support/replicated.ts';
import { Ledger } from './ledger.ts';

const failovers = Number(process.env['BLOGCTL_PG_FAILOVERS'] ?? 0);

it.skipIf(postgresFolder() === undefined || failovers === 0)(
  'a primary that is killed, and its synchronous standby promoted, costs a wait and no article',
  async () => {
    const pair = await givenPair();
    onTestFinished(() => pair.stop());
    const { address } = pair;
    await initPostgres(address, { title: 'My blog', description: '' });
    const instances = await Promise.all([openPostgres({ address }), openPostgres({ address })]);
    const [one, two] = instances;
    const ledger = new Ledger(one.store);
    const ledgers = [ledger, ledger.beside(two.store)];
    const load = { isOver: false };
    const clients = ledgers.flatMap((each) =>
      [0, 1, 2, 3].map(async () => {
        for (let count = 0; !load.isOver; count += 1) {
          const id = await each.create();
          if (count % 3 === 0) await each.replace(id);
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
    expect(await ledger.broken(two.store)).toEqual([]);
    const refusals = ledgers.reduce((sum, each) => sum + each.refusals, 0);
    process.stdout.write(`${failovers} failovers: ${ledger.told()}; ${refusals} refusals\n`);
    for (const { store } of instances) await store.close();
  },
);
