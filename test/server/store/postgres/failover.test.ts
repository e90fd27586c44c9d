import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { givenFolder } from '../../../support/command.ts';
import { freePort, postgresFolder } from '../../../support/postgres.ts';
import { givenPair } from '../../../support/replicated.ts';
import { run } from '../../../support/run.ts';
import { Ledger } from './ledger.ts';

it.skipIf(postgresFolder() === undefined)(
  'what only reads takes a standby where no primary answers, and says so',
  async () => {
    const pair = await givenPair();
    onTestFinished(() => pair.stop());
    await initPostgres(pair.address, { title: 'My blog', description: '' });
    const folder = await givenFolder();
    const standby = pair.address.replace(/@[^,]*,/, '@');
    const primary = pair.address.replace(/,[^/]*/, '');
    const places = [standby, primary].map((each) => each.replace(/^.*@|\/.*$/g, ''));
    const blogctl = (line: string, store: string) =>
      run([...line.split(' '), '--store', store], { env: {}, folder });
    // A standby confirms what is on its disk, and shows it a little later.
    await vi.waitFor(async () => expect((await blogctl('store check', standby)).status).toBe(0), {
      timeout: 30_000,
      interval: 100,
    });
    const remark = `warning: ${places[0]} is a standby: what is read is as old as it is.\n`;
    for (const line of ['store check', 'token list']) {
      const ended = await blogctl(line, standby);
      expect([line, ended.status, ended.err]).toEqual([line, 0, expect.stringContaining(remark)]);
    }
    expect((await run(['store', 'copy', standby, 'out.json'], { env: {}, folder })).status).toBe(0);
    const both = pair.address.replace(/@[^/]*/, `@${places.join(',')}`);
    expect(await blogctl('store check', both)).toMatchObject({ status: 0, err: '' });
    const locked = await blogctl('store lock', standby);
    expect([locked.status, locked.err]).toEqual([
      7,
      expect.stringMatching(/is read-only: .* is a standby\.\nhint: Name the primary\.\n$/),
    ]);
    // The host that does not answer may be the primary, wherever it stands among them.
    const nobody = `127.0.0.1:${await freePort()}`;
    for (const hosts of [`${nobody},${places[0]}`, `${places[0]},${nobody}`]) {
      const { status, err } = await blogctl('store lock', both.replace(/@[^/]*/, `@${hosts}`));
      expect([hosts, status, err]).toEqual([
        hosts,
        9,
        expect.stringMatching(
          /: no primary answers: .*\.\n(?:.*\n)?hint: Start the primary, or promote a standby\.\n$/,
        ),
      ]);
      expect(err).not.toMatch(/\.[;.]/);
    }
  },
);

it('names every host of an address where none answers', async () => {
  const ports = [await freePort(), await freePort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const opening = openPostgres({ address: `postgres://a@${hosts}/b`, writeTimeoutMs: 100 });
  await expect(opening).rejects.toThrow(
    `does not answer: ${ports.map((port) => `connect ECONNREFUSED 127.0.0.1:${port}`).join('; ')}.`,
  );
});

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
