import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readAnyLayout } from '../../server/store/json-file/any-layout/read-any-layout.ts';
import { realFileSystem } from '../../server/store/file-system/real-file-system.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import { atLeast, atMost, givenFile, median, timed, type Figure, type Setting } from './setting.ts';

/** Opening a file as the store wrote it, and what it then takes of memory. */
export async function measureOpening({ folder, articles }: Setting): Promise<Figure[]> {
  const path = await givenFile(join(folder, 'opening.json'), articles);
  const times = { crc: [0], parse: [0], open: [0] };
  for (let round = 0; round < 5; round += 1) {
    times.crc.push(await timed(() => eachChunk(path, (chunk, sum) => crc32(chunk, sum))));
    times.open.push(await timed(async () => (await openJsonFile({ path })).close()));
  }
  times.parse.push(await timed(() => parseLines(path)));
  const [crc, open] = [median(times.crc.slice(1)), median(times.open.slice(1))];
  const before = memory();
  const store = await openJsonFile({ path });
  const bytes = (memory() - before) / articles;
  await store.close();
  return [
    atMost('6  trusted opening / a crc32 pass over the file', open / crc, 1.3),
    atMost(
      '6  trusted opening / JSON.parse line by line',
      open / median(times.parse.slice(1)),
      0.4,
    ),
    atMost('8  memory for an article, bytes', bytes, 24),
  ];
}

/** Reading a file in a layout that is not the store's own. */
export async function measureUntrusted({ folder, articles }: Setting): Promise<Figure[]> {
  const path = await givenFile(join(folder, 'untrusted.json'), articles);
  truncateSync(path, statSync(path).size - 1);
  const parse = await timed(() => parseLines(path));
  const before = rss();
  const file = realFileSystem.open(path, 'read');
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, rss())), 5);
  const read = await timed(() => readAnyLayout(file, path, 0));
  clearInterval(watch);
  return [
    atLeast('7  any-layout reading / JSON.parse line by line, speed', parse / read, 0.55),
    atMost(
      '7  any-layout reading, memory over the empty process, MB',
      (Math.max(peak, rss()) - before) / 1e6,
      50,
    ),
  ];
}

function rss(): number {
  return process.memoryUsage().rss;
}

/** What is held, garbage collected. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function eachChunk(path: string, visit: (chunk: Buffer, sum: number) => number): number {
  const descriptor = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let sum = 0;
  for (let at = 0, count = 1; count > 0; at += count) {
    count = readSync(descriptor, buffer, 0, buffer.length, at);
    sum = visit(buffer.subarray(0, count), sum);
  }
  closeSync(descriptor);
  return sum;
}

/** In pieces that fit a Buffer and a string. */
function parseLines(path: string): number {
  let rest = '';
  let parsed = 0;
  eachChunk(path, (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith(',{')) continue;
      JSON.parse(line.slice(1));
      parsed += 1;
    }
    return 0;
  });
  return parsed;
}
