import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { realFileSystem } from '../../server/store/file-system/real-file-system.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import { counting } from './compacting.ts';
import { atMost, CONTENT, givenFile, timed, type Figure, type Setting } from './setting.ts';

/** So many creations wait for the disk at a time. */
const WAITING = 500;

/** A large import at the store's door: time, memory and bytes. */
export async function measureImporting({ folder, articles }: Setting): Promise<Figure[]> {
  const input = givenInput(join(folder, 'input.ndjson'), articles);
  const parse = await timed(() => parseAll(input));
  const written = { bytes: 0 };
  const path = await givenFile(join(folder, 'importing.json'), 0);
  const store = await openJsonFile({ path, fileSystem: counting(realFileSystem, written) });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  const load = await timed(async () => {
    const records = recordsOf(input);
    const importer = async () => {
      for (const record of records) await store.create(1, record);
    };
    await Promise.all(Array.from({ length: WAITING }, importer));
  });
  clearInterval(watch);
  await store.close();
  const bytes = written.bytes / statSync(path).size;
  return [
    atMost('13 import / JSON.parse of its input line by line, time', load / parse, 6),
    atMost('13 import, memory over the empty store, MB', (peak - before) / 1e6, 70),
    atMost('13 import, bytes written / bytes of the file', bytes, 1.01),
  ];
}

/** One record a line. */
function givenInput(path: string, count: number): string {
  const descriptor = openSync(path, 'w');
  const line = `${JSON.stringify({ title: 'Title', content: CONTENT })}\n`;
  for (let at = 0; at < count; at += 1000) {
    writeSync(descriptor, line.repeat(Math.min(1000, count - at)));
  }
  closeSync(descriptor);
  return path;
}

function parseAll(path: string): number {
  let length = 0;
  for (const { title } of recordsOf(path)) length += title.length;
  return length;
}

type InputRecord = { readonly title: string; readonly content: string };

function* recordsOf(path: string): Generator<InputRecord, undefined> {
  const descriptor = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let rest = '';
  for (let count = readSync(descriptor, buffer); count > 0; count = readSync(descriptor, buffer)) {
    const lines = (rest + buffer.toString('latin1', 0, count)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  closeSync(descriptor);
}
