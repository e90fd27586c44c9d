import { expect, it, onTestFinished } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { type Cut, startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { Ledger } from './ledger.ts';

/**
 * All bytes of a batch, or so many of them, spread evenly, and more of those at its end, where it is
 * saved; the last one always among them.
 */
const everyByte = process.env['BLOGCTL_PG_CUTS'] === 'every';
const someBytes = 10;
const shortStep = 16;
const end = 12 * shortStep;

/** Slows what a lost connection has still to do, so that the repeated batch comes too early. */
const slowly = `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.06); RETURN NULL; END $$;
  CREATE TRIGGER slow AFTER INSERT ON blogctl.writers FOR EACH STATEMENT EXECUTE FUNCTION slow()`;

describeOnPostgres('a connection that is cut at any byte of a batch', (cluster) => {
  async function given(how: Cut) {
    const address = await cluster().database();
    await initPostgres(address, { title: 'My blog', description: '' });
    if (how === 'the client alone') {
      await cluster().sql(slowly, address.slice(address.lastIndexOf('/') + 1));
    }
    const proxy = await startCuttingProxy(cluster().port, how);
    onTestFinished(() => proxy.stop());
    const through = address.replace(/:\d+\//, `:${proxy.port}/`);
    const { store } = await openPostgres({ address: through, writeTimeoutMs: 40_000 });
    onTestFinished(() => store.close());
    const ledger = new Ledger(store);
    /** Every kind of change in one transaction, about what the batch before has left. */
    const batch = async () => {
      const [older, old] = ledger.ids().slice(-2);
      await Promise.all([
        ledger.create(),
        ledger.create(),
        older && ledger.replace(older),
        old && ledger.remove(old),
      ]);
    };
    // The second prepares what the first had nothing for; later ones are as long as each other.
    await batch();
    await batch();
    return { address, proxy, ledger, batch };
  }

  it.each(['both sides', 'the client alone'] as const)(
    '%s: its changes are saved once, and answered as what they are',
    async (how) => {
      const { address, proxy, ledger, batch } = await given(how);
      const met = { forth: 0, back: 0 };
      for (const way of ['forth', 'back'] as const) {
        proxy.passed = { forth: 0, back: 0 };
        await batch();
        const bytes = proxy.passed[way];
        const longStep = Math.ceil(bytes / someBytes);
        const next = (at: number) =>
          at < bytes - end - 1 ? Math.min(at + longStep, bytes - end - 1) : at + shortStep;
        for (let at = 0; ; at = everyByte ? at + 1 : next(at)) {
          const before = proxy.cuts();
          proxy.cutAfter = { forth: Infinity, back: Infinity, [way]: at };
          await batch();
          if (proxy.cuts() === before) break;
          met[way] += 1;
        }
        // Nothing left out: the batch that passed whole ended the round.
        expect(met[way]).toBeGreaterThanOrEqual(everyByte ? bytes - 20 : someBytes - 2);
        proxy.cutAfter = { forth: Infinity, back: Infinity };
      }
      const { store: again } = await openPostgres({ address });
      expect(await ledger.broken(again)).toEqual([]);
      await again.close();
      if (everyByte) {
        process.stdout.write(
          `${how}: cut after each of ${met.forth} bytes forth and ${met.back} back: ${ledger.told()}\n`,
        );
      }
    },
  );
});
