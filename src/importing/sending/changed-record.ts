import type { BlogClient } from '../../client/blog-client.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import type { Outcome } from './delivery.ts';
import type { Patience } from './patience.ts';

export type OnChanged = 'fail' | 'skip';

export type Means = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly onChanged: OnChanged;
};

/**
 * What becomes of a record whose identity is known with another text: nothing is written (decisions
 * 48). The article at `url` may have got the record's text since: then it is there already.
 */
export async function settleChanged(
  record: KeyedRecord,
  url: string | undefined,
  { client, patience, onChanged }: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  if (url === undefined) return changed('an article', record, onChanged);
  const { article } = await patience(() => client.article({ url }), signal);
  const isThere = article.title === record.title && (article.content ?? '') === record.content;
  if (isThere) return { kind: 'replayed', article };
  return changed(`"${article.title}" at ${article.url}`, record, onChanged);
}

function changed(known: string, { title }: KeyedRecord, onChanged: OnChanged): Outcome {
  if (onChanged === 'skip') return { kind: 'skipped', reason: 'changed' };
  const message = `Imported before as ${known}, with another text than "${title}" has here.`;
  return { kind: 'rejected', class: 'changed', message };
}
