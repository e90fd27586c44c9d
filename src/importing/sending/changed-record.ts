import type { ArticleReference } from '../../client/blog-client.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import type { Means, OnChanged, Outcome } from './delivery.ts';

/**
 * What becomes of a record whose identity is known with another text: nothing is written (decisions
 * 48). Its article may have got the record's text since: then it is there already.
 */
export async function settleChanged(
  record: KeyedRecord,
  reference: ArticleReference | undefined,
  { client, patience, onChanged }: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  if (reference === undefined) return changed('an article', record, onChanged);
  const { article } = await patience(() => client.article(reference), signal);
  const isThere = article.title === record.title && (article.content ?? '') === record.content;
  if (isThere) return { kind: 'replayed', article };
  return changed(`"${article.title}" at ${article.url}`, record, onChanged);
}

function changed(known: string, { title }: KeyedRecord, onChanged: OnChanged): Outcome {
  if (onChanged === 'skip') return { kind: 'skipped', reason: 'changed' };
  const message = `Known there as ${known}, with another text than "${title}" has here.`;
  return { kind: 'rejected', class: 'changed', message };
}
