import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FileSystem } from '../../server/store/file-system/file-system.ts';
import { realFileSystem } from '../../server/store/file-system/real-file-system.ts';
import type { JsonFileStore } from '../../server/store/json-file/json-file-store.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import {
  atLeast,
  atMost,
  CONTENT,
  givenFile,
  median,
  percentile,
  timed,
  type Figure,
  type Setting,
} from './setting.ts';

/** What compaction costs, and what it costs those who write meanwhile. */
export async function measureCompacting({ folder, articles }: Setting): Promise<Figure[]> {
  const path = await givenFile(join(folder, 'compacting.json'), Math.min(articles, 300_000));
  const store = await openJsonFile({ path, idleMs: 2 ** 30 });
  const times = { alone: [0], copy: [0] };
  for (let round = 0; round < 5; round += 1) {
    times.alone.push(await timed(() => store.compact()));
    times.copy.push(await timed(() => copyFile(path)));
  }
  const [alone, copy] = [median(times.alone.slice(1)), median(times.copy.slice(1))];
  const quiet = await latencies(store, 3000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const compaction = { running: true };
  const running = store.compact().finally(() => (compaction.running = false));
  const busy = await latencies(store, () => !compaction.running);
  await running;
  delay.disable();
  await store.close();
  return [
    atLeast('12 compaction / dd conv=fdatasync, speed', copy / alone, 0.6),
    atMost(
      '12 commit p99 during compaction / without',
      percentile(busy, 0.99) / percentile(quiet, 0.99),
      3,
    ),
    atMost('12 event loop p99 during compaction, ms', delay.percentile(99) / 1e6, 10),
    ...(await amplification(folder)),
  ];
}

function copyFile(path: string): void {
  const args = [`if=${path}`, `of=${path}.copy`, 'bs=1M', 'conv=fdatasync'];
  execFileSync('dd', args, { stdio: 'ignore' });
}

/** Milliseconds of each creation by eight clients. */
async function latencies(store: JsonFileStore, until: number | (() => boolean)): Promise<number[]> {
  const times: number[] = [];
  const done = () => (typeof until === 'number' ? times.length >= until : until());
  const client = async () => {
    while (!done())
      times.push(await timed(() => store.create(1, { title: 'T', content: CONTENT })));
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return times;
}

async function amplification(folder: string): Promise<Figure[]> {
  const written = { bytes: 0 };
  const fileSystem = counting(realFileSystem, written);
  const path = await givenFile(join(folder, 'amplified.json'), 0);
  const store = await openJsonFile({ path, fileSystem, idleMs: 2 ** 30 });
  await inBatches(4000, () => store.create(1, { title: 'T', content: CONTENT }));
  const created = written.bytes / statSync(path).size;
  written.bytes = 0;
  await inBatches(40_000, (at) =>
    store.replace(1, 1 + (at % 4000), { title: `${at}`, content: CONTENT }, () => undefined),
  );
  const lines = 40_000 * (JSON.stringify(CONTENT).length + 110);
  await store.close();
  return [
    atMost('14 bytes written / bytes of the file, creations only', created, 1.05),
    atMost('14 bytes written / bytes of the lines, replacements only', written.bytes / lines, 3),
  ];
}

async function inBatches(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 64) {
    await Promise.all(Array.from({ length: 64 }, (_, one) => work(at + one)));
  }
}

/**
 * Counts what the disk gets: what is written twice before a sync, as the room for a batch is, goes
 * there once.
 */
export function counting(inner: FileSystem, written: { bytes: number }): FileSystem {
  return {
    ...inner,
    open: (path, mode) => {
      const file = inner.open(path, mode);
      const unsynced = { from: Number.POSITIVE_INFINITY, to: 0 };
      const note = (count: number, position: number) => {
        const before = Math.max(0, unsynced.to - unsynced.from);
        unsynced.from = Math.min(unsynced.from, position);
        unsynced.to = Math.max(unsynced.to, position + count);
        written.bytes += unsynced.to - unsynced.from - before;
        return count;
      };
      const synced = () => {
        unsynced.from = Number.POSITIVE_INFINITY;
        unsynced.to = 0;
      };
      return {
        ...file,
        write: (bytes, position) => note(file.write(bytes, position), position),
        writeLater: async (bytes, position) =>
          note(await file.writeLater(bytes, position), position),
        sync: () => (synced(), file.sync()),
        syncData: () => (synced(), file.syncData()),
      };
    },
  };
}
