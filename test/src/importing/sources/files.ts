import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';

import { openSources } from '../../../../src/importing/sources/open-sources.ts';
import type { Entry, ReadingOptions } from '../../../../src/importing/sources/source.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

/** Runs `work` with a folder of these files, and removes it. */
export async function withFiles<T>(files: Files, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-test-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export type Read = { readonly name: string; readonly entries: readonly Entry[] };

/** Everything that an import of these arguments reads, source by source. */
export async function readSources(
  named: readonly string[],
  options: Partial<ReadingOptions> = {},
  stdin: readonly (string | Buffer)[] = [],
): Promise<readonly Read[]> {
  const now = Date.UTC(2026, 4, 10);
  const reading = { drafts: false, now, map: { title: 'title', content: 'content' }, ...options };
  const opened = await openSources(named, reading, Readable.from(stdin));
  try {
    const read: Read[] = [];
    for (const source of opened.sources) {
      const entries = await all(source.batches());
      expectSame(entries, await all(source.batches()));
      read.push({ name: source.name, entries });
    }
    return read;
  } finally {
    await opened.close();
  }
}

async function all<T>(batches: AsyncIterable<Iterable<T>>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
}

/** Every source is read twice: what the second reading finds must be what was planned. */
function expectSame(first: readonly Entry[], second: readonly Entry[]): void {
  if (JSON.stringify(first) !== JSON.stringify(second)) {
    throw new Error('The second reading differs from the first.');
  }
}

/** Entries in one line each: what a table of expectations can be compared with. */
export function briefly(reads: readonly Read[]): readonly string[] {
  return reads.flatMap(({ name, entries }) => entries.map((entry) => `${name}: ${brief(entry)}`));
}

/** What a record is known by: its path in the source, the value of a member, else its place. */
function nameOf({ identity: { name }, place }: Entry & { kind: 'record' }): string {
  if (name === undefined) return String(place.position);
  return name.startsWith('path:') ? place.source : name.slice(name.indexOf(':') + 1);
}

function brief(entry: Entry): string {
  const { source, position } = entry.place;
  if (entry.kind === 'record') return `${nameOf(entry)} "${entry.title}"`;
  if (entry.kind === 'skip') return `${source} skipped, ${entry.reason}`;
  if (entry.kind === 'notice') return `${source} ${entry.notice.kind}`;
  return `${source}:${position} rejected, ${entry.error.class}: ${entry.error.message}`;
}
