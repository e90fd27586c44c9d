import type { BlogClient } from '../../client/blog-client.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import type { Outcome } from './delivery.ts';
import type { Patience } from './patience.ts';

export type OnChanged = 'fail' | 'skip' | 'update';

export type Means = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly onChanged: OnChanged;
};

/**
 * What becomes of a record that was imported with another text. The article at `url` may have been
 * brought up to date since: then nothing is left to do.
 */
export async function settleChanged(
  { title, content }: KeyedRecord,
  url: string | undefined,
  { client, patience, onChanged }: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  if (url === undefined) return differs(url);
  const { article, validators } = await patience(() => client.article({ url }), signal);
  if (article.title === title && article.content === content) return { kind: 'replayed', article };
  if (onChanged === 'skip') return { kind: 'skipped', reason: 'changed' };
  if (onChanged === 'fail') return differs(url);
  const changed = await patience(
    () => client.replace({ url }, { title, content }, validators),
    signal,
  );
  return { kind: 'updated', article: changed.article };
}

function differs(url: string | undefined): Outcome {
  const where = url === undefined ? 'an article with another text' : `another text at ${url}`;
  const message = `Imported before as ${where}. Choose --on-changed update or skip.`;
  return { kind: 'rejected', class: 'changed', message };
}
