import type { BlogClient } from '../../client/blog-client.ts';
import { createKeyedEntries, type KeyedRecord } from '../identity/keyed-entries.ts';
import type { Source } from '../sources/source.ts';
import type { Change } from './journal-lines.ts';

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
