import { BlogctlError } from '../../errors.ts';
import { settleChanged, type Means } from './changed-record.ts';
import type { Delivery } from './delivery.ts';
import { isSilence, outcomeOfRefusal } from './refusals.ts';

/**
 * Delivery to a blog that honours Idempotency-Key: sending again is safe at any time, so an answer
 * that was lost is asked for again. A record edited since its import meets its own key.
 */
export function createKeyedDelivery(means: Means): Delivery {
  const { client, patience } = means;
  return async (record, signal) => {
    const { title, content, key } = record;
    try {
      const placed = await patience(
        () => client.place({ title, content }, { idempotencyKey: key }),
        signal,
      );
      const { url, replayed, article = { title, content, url } } = placed;
      return { kind: replayed ? 'replayed' : 'created', article };
    } catch (error) {
      if (isSilence(error)) return { kind: 'inDoubt', failure: error };
      if (!isKeyReused(error)) return outcomeOfRefusal(error);
      return settleChanged(record, error.context.article, means, signal).catch(outcomeOfRefusal);
    }
  };
}

function isKeyReused(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.context.reason === 'idempotency-key-reused';
}
