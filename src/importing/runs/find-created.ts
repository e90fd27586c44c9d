import type { BlogClient } from '../../client/blog-client.ts';
import { createKeyedEntries, type KeyedRecord } from '../identity/keyed-entries.ts';
import type { Source } from '../sources/source.ts';
import { readChanges, type Change, type Run } from './journal-lines.ts';
import { journalPath, listRuns } from './runs.ts';

/**
 * What an import of these sources has created, the last record first, by asking the blog for the keys
 * of the records (decisions 51), on any machine. Throws `broken-contract` where it cannot be asked.
 */
export async function findCreated(
  sources: readonly Source[],
  importId: string | undefined,
  client: BlogClient,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  const entries = createKeyedEntries(sources, importId);
  // What repeats is known after a first reading.
  for await (const portion of entries.read()) void portion;
  for await (const portion of entries.read()) {
    for (const entry of portion) {
      if (entry.kind === 'record') found.push(...(await createdBy(entry, client)));
    }
  }
  return found.toReversed();
}

async function createdBy(record: KeyedRecord, client: BlogClient): Promise<readonly Change[]> {
  for (let generation = 1; ; generation += 1) {
    const known = await client.articleByKey(record.keyOf(generation));
    if (known.kind === 'never-seen') return [];
    if (known.kind === 'article') {
      return [{ created: known.article.url, digest: record.digest.slice(0, 32) }];
    }
  }
}

/**
 * The addresses of what the imports that are meant have created, as their records in the data folder
 * tell; undefined where no record of one is kept.
 */
export async function keptCreations(
  folder: string,
  isMeant: (run: Run) => boolean,
): Promise<readonly string[] | undefined> {
  const runs = (await listRuns(folder)).filter(isMeant);
  if (runs.length === 0) return undefined;
  const changes = await Promise.all(runs.map(({ id }) => readChanges(journalPath(folder, id))));
  return changes.flat().flatMap((change) => ('created' in change ? [change.created] : []));
}
