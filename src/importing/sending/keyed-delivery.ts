import type { BlogClient } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { Delivery, Outcome } from './delivery.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import type { Patience } from './patience.ts';
import { isSilence, outcomeOfRefusal } from './refusals.ts';

export type OnChanged = 'fail' | 'skip' | 'update';

type Means = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly onChanged: OnChanged;
};

/**
 * Delivery to a blog that honours Idempotency-Key: sending again is safe at any time, so an answer
 * that was lost is asked for again. A record edited since its import meets its own key.
 */
export function createKeyedDelivery({ client, patience, onChanged }: Means): Delivery {
  return async (record, signal) => {
    const { title, content, key } = record;
    try {
      const created = await patience(
        () => client.create({ title, content }, { idempotencyKey: key }),
        signal,
      );
      const { url } = created.article;
      return created.replayed ? { kind: 'replayed', url } : { kind: 'created', url };
    } catch (error) {
      if (isKeyReused(error)) return changed(record, error, signal).catch(outcomeOfRefusal);
      if (isSilence(error)) return { kind: 'inDoubt', failure: error };
      return outcomeOfRefusal(error);
    }
  };

  /** The blog's article may have been brought up to date since: then nothing is left to do. */
  async function changed(
    { title, content }: KeyedRecord,
    error: BlogctlError,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const url = error.context.article;
    if (url === undefined) return differs(url, error.context.status);
    const { article, validators } = await patience(() => client.article({ url }), signal);
    if (article.title === title && article.content === content) return { kind: 'replayed', url };
    if (onChanged === 'skip') return { kind: 'skipped', reason: 'changed' };
    if (onChanged === 'fail') return differs(url, error.context.status);
    await patience(() => client.replace({ url }, { title, content }, validators), signal);
    return { kind: 'updated', url };
  }
}

function isKeyReused(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.context.reason === 'idempotency-key-reused';
}

function differs(url: string | undefined, status: number | undefined): Outcome {
  const where = url === undefined ? 'an article with another text' : `another text at ${url}`;
  const message = `Imported before as ${where}. Choose --on-changed update or skip.`;
  return { kind: 'rejected', class: 'changed', status, message };
}
