import { statSync } from 'node:fs';
import { join } from 'node:path';
import { realFileSystem } from '../../server/store/json-file/files/real-file-system.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import { counting } from './compacting.ts';
import { atMost, CONTENT, givenFile, timed, type Figure, type Setting } from './setting.ts';

const WAITING = 2000;

/** A large import at the store's door: time, memory and bytes. */
export async function measureImporting({ folder, articles }: Setting): Promise<Figure[]> {
  const written = { bytes: 0 };
  const path = await givenFile(join(folder, 'importing.json'), 0);
  const input = JSON.stringify({ title: 'Title', content: CONTENT });
  const parse = await timed(() => parseAll(input, articles));
  const store = await openJsonFile({ path, fileSystem: counting(realFileSystem, written) });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const load = await timed(async () => {
    for (let at = 0; at < articles; at += WAITING) {
      await Promise.all(Array.from({ length: WAITING }, () => store.create(1, JSON.parse(input))));
      peak = Math.max(peak, process.memoryUsage().rss);
    }
  });
  await store.close();
  return [
    atMost('13 import / JSON.parse of its lines, time', load / parse, 6),
    atMost('13 import, memory over the empty store, MB', (peak - before) / 1e6, 70 + 32),
    atMost(
      '13 import, bytes written / bytes of the file',
      written.bytes / statSync(path).size,
      1.01,
    ),
  ];
}

function parseAll(text: string, count: number): number {
  let length = 0;
  for (let at = 0; at < count; at += 1) length += JSON.parse(text).title.length;
  return length;
}
