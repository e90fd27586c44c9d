import { join } from 'node:path';

import type { BlogClient } from '../../../src/client/blog-client.ts';
import type { Clock } from '../../../src/importing/sending/pace.ts';
import type { Identity } from '../../../src/importing/sources/identity.ts';
import { importArticles } from '../../../src/importing/import-articles.ts';
import type { ImportReport, ImportRequest } from '../../../src/importing/import-request.ts';
import type { Reject } from '../../../src/importing/results.ts';
import type { Entry, SourcePosition, Source } from '../../../src/importing/sources/source.ts';

/** A clock whose waits take no time but are added up. */
export function createFakeClock(): Clock & { readonly waited: number } {
  let now = 0;
  let waited = 0;
  return {
    get waited() {
      return waited;
    },
    now: () => now,
    async wait(ms) {
      waited += ms;
      now += ms;
      await new Promise(setImmediate);
    },
    random: () => 0.5,
  };
}

/** A source of records given as values; a text alone is a record of that title and content. */
export function givenSource(
  records: readonly (string | { title: string; content: string } | Entry)[],
  name = 'posts',
): Source {
  return {
    name,
    async *batches() {
      for (let from = 0; from < records.length; from += 7) {
        const batch = records.slice(from, from + 7);
        yield batch.map((record, index) => entryOf(record, from + index + 1, name));
      }
    },
  };
}

function entryOf(
  record: string | { title: string; content: string } | Entry,
  position: number,
  namespace: string,
): Entry {
  if (typeof record === 'object' && 'kind' in record) return record;
  const text = typeof record === 'string' ? { title: record, content: record } : record;
  const place = { source: 'posts.ndjson', position };
  return { kind: 'record', identity: numbered(position, namespace), place, ...text };
}

const numbered = (position: number, namespace = 'posts'): Identity => ({
  namespace,
  name: `id:${position}`,
});

export const givenReject = (position: number): Entry => ({
  kind: 'reject',
  place: { source: 'posts.ndjson', position },
  error: { class: 'title', message: 'The title is empty.' },
  identity: numbered(position),
  record: { title: '', content: 'x' },
});

/** A journal in this folder, of an import that is always the same. */
export const givenJournal = (folder: string, id = 'a') => ({
  path: join(folder, 'runs', `${id}.ndjson`),
  run: {
    id,
    command: 'articles import',
    started: '2026-01-01T00:00:00Z',
    blog: 'b',
    folder,
    sources: ['s'],
    options: {},
  },
  resume: true,
  keeps: false,
});

export type ImportRun = ImportReport & {
  readonly rejected: readonly Reject[];
  readonly deleted: readonly SourcePosition[];
  readonly warnings: readonly string[];
};

/** One import with everything at its default that the test does not name. */
export async function givenImport(
  client: BlogClient,
  sources: readonly Source[],
  options: Partial<ImportRequest> & { clock?: Clock; signal?: AbortSignal } = {},
): Promise<ImportRun> {
  const { clock = createFakeClock(), signal = new AbortController().signal, ...request } = options;
  const rejected: Reject[] = [];
  const deleted: SourcePosition[] = [];
  const warnings: string[] = [];
  const listener = {
    looked: () => undefined,
    planned: () => undefined,
    settled: () => undefined,
    waits: () => undefined,
    deleted: (place: SourcePosition) => void deleted.push(place),
    elsewhere: (address: string) => void warnings.push(`elsewhere: ${address}`),
    stillPublic: () => undefined,
    noticed: () => undefined,
    warned: (text: string) => void warnings.push(text),
    rejected: (reject: Reject) => void rejected.push(reject),
  };
  const report = await importArticles(
    {
      sources,
      dryRun: false,
      allowEmpty: false,
      tolerance: { kind: 'none' },
      onChanged: 'fail',
      recreate: false,
      concurrency: 4,
      maxWaitMs: 300_000,
      maxSilenceMs: 57_000,
      maxFirstSilenceMs: 5_000,
      ...request,
    },
    {
      connect: async () => client,
      alone: async () => () => undefined,
      addressOf: ({ url }) => url,
      worded: String,
      clock,
      listener,
      signal,
    },
  );
  return { ...report, rejected, deleted, warnings };
}
