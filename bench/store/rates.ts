import { fdatasync, open, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { realFileSystem } from '../../server/store/file-system/real-file-system.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import type { Store } from '../../server/store/store.ts';
import { lowdbRate } from './lowdb-rate.ts';
import {
  atLeast,
  atMost,
  CONTENT,
  givenFile,
  median,
  timed,
  withoutSync,
  type Figure,
  type Setting,
} from './setting.ts';

const CLIENTS = 64;
const ROUNDS = 5;

/** Durable creations: against the disk's own speed, against no durability, against file size. */
export async function measureRates({ folder, articles }: Setting): Promise<Figure[]> {
  const path = (name: string) => join(folder, `${name}.json`);
  const small = await openJsonFile({ path: await givenFile(path('1k'), 1000) });
  const unsynced = await openJsonFile({
    path: await givenFile(path('unsynced'), 1000),
    fileSystem: withoutSync(realFileSystem),
  });
  const hundred = await openJsonFile({ path: await givenFile(path('100k'), 100_000) });
  const large = await openJsonFile({ path: await givenFile(path('large'), articles) });
  const rates = { serial: [0], small: [0], unsynced: [0], hundred: [0], large: [0] };
  await rate(small, CLIENTS, 4000);
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.serial.push(await rate(small, 1, 300));
    rates.small.push(await rate(small, CLIENTS, 6000));
    rates.unsynced.push(await rate(unsynced, CLIENTS, 6000));
    rates.hundred.push(await rate(hundred, CLIENTS, 6000));
    rates.large.push(await rate(large, CLIENTS, 6000));
  }
  const [f, c64, n] = [
    median(rates.serial.slice(1)),
    median(rates.small.slice(1)),
    median(rates.unsynced.slice(1)),
  ];
  const latency = await latencyRatio(small, join(folder, 'raw'));
  const lowdb1k = await lowdbRate(path('lowdb-1k'), { articles: 1000, clients: CLIENTS });
  const lowdb100k = await lowdbRate(path('lowdb-100k'), { articles: 100_000, clients: CLIENTS });
  const figures = [
    atLeast(
      '1  creates/s, 64 clients / the lesser of 0.8·64·serial and 0.6·unsynced',
      c64 / Math.min(0.8 * CLIENTS * f, 0.6 * n),
      1,
    ),
    atLeast('1  creates/s, 64 clients / the same without sync', c64 / n, 0.6),
    atLeast('2  creates/s, 64 clients / serial', c64 / f, 12),
    atLeast(
      '3  creates/s in 100,000 articles / in 1,000',
      median(rates.hundred.slice(1)) / c64,
      1 / 1.2,
    ),
    atLeast(
      `3  creates/s in ${articles} articles / in 1,000`,
      median(rates.large.slice(1)) / c64,
      1 / 1.3,
    ),
    atLeast('4  creates/s / those of lowdb, 1,000 articles, 64 clients', c64 / lowdb1k, 200),
    atLeast(
      '4  creates/s / those of lowdb, 100,000 articles, 64 clients',
      median(rates.hundred.slice(1)) / lowdb100k,
      10_000,
    ),
    atMost('5  create, one client, median / raw append and fdatasync', latency, 1.5),
  ];
  for (const store of [small, unsynced, hundred, large]) await store.close();
  return figures;
}

/** Creations a second by so many clients that each wait for their answer. */
async function rate(store: Store, clients: number, count: number): Promise<number> {
  let left = count;
  const client = async () => {
    while (left-- > 0) await store.create(1, { title: 'Title', content: CONTENT });
  };
  const ms = await timed(() => Promise.all(Array.from({ length: clients }, client)));
  return (count / ms) * 1000;
}

/** Alternated with the same bytes appended and synced through plain callbacks. */
async function latencyRatio(store: Store, rawPath: string): Promise<number> {
  const [writeRaw, syncRaw] = [promisify(write), promisify(fdatasync)];
  const descriptor = await promisify(open)(rawPath, 'w');
  const bytes = Buffer.alloc(1700, 'x');
  const [ours, raw]: [number[], number[]] = [[], []];
  for (let i = 0; i < 300; i += 1) {
    ours.push(await timed(() => store.create(1, { title: 'Title', content: CONTENT })));
    raw.push(
      await timed(async () => {
        await writeRaw(descriptor, bytes, 0, bytes.length, i * bytes.length);
        await syncRaw(descriptor);
      }),
    );
  }
  return median(ours) / median(raw);
}
