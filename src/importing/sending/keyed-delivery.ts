import type { ArticleReference, CreatedArticle, PlacedArticle } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import { settleChanged } from './changed-record.ts';
import type { Delivery, Means, Outcome } from './delivery.ts';
import { isSilence, outcomeOfRefusal } from './refusals.ts';

/**
 * Delivery to a blog that honours Idempotency-Key: sending again is safe at any time, so an answer
 * that was lost is asked for again. A record known with another text meets its own key. One whose
 * article was deleted is looked for under the next generations of its key, and created under the
 * first that is free with `recreate` (decisions 49).
 */
export function createKeyedDelivery(means: Means): Delivery {
  const { client, patience, recreate, findsByKey, wantsIds } = means;

  async function deliver(record: KeyedRecord, key: string, signal: AbortSignal): Promise<Outcome> {
    const { title, content, json } = record;
    try {
      const options = { idempotencyKey: key };
      const send = (): Promise<PlacedArticle> =>
        wantsIds
          ? client.create({ title, content }, options).then(placedAt)
          : client.place({ title, content, json }, options);
      const { url, replayed, article = { title, content, url } } = await patience(send, signal);
      return { kind: replayed ? 'replayed' : 'created', article };
    } catch (error) {
      if (isSilence(error)) return { kind: 'inDoubt', failure: error };
      if (!isKeyReused(error)) return outcomeOfRefusal(error);
      return settleChanged(record, articleOf(error), means, signal).catch(outcomeOfRefusal);
    }
  }

  async function isUsed(key: string, signal: AbortSignal): Promise<boolean> {
    if (!findsByKey) return false;
    return (await patience(() => client.articleByKey(key), signal)).kind !== 'never-seen';
  }

  return async (record, signal) => {
    let outcome = await deliver(record, record.key, signal);
    for (let generation = 2; isDeleted(outcome); generation += 1) {
      const key = record.keyOf(generation);
      if (!recreate && !(await isUsed(key, signal))) return outcome;
      outcome = await deliver(record, key, signal);
    }
    return outcome;
  };
}

function placedAt({ article, replayed }: CreatedArticle): PlacedArticle {
  return { url: article.url, article, replayed };
}

function isDeleted(outcome: Outcome): boolean {
  return outcome.kind === 'skipped' && outcome.reason === 'deleted';
}

function articleOf({ context: { article: url } }: BlogctlError): ArticleReference | undefined {
  return url === undefined ? undefined : { url };
}

function isKeyReused(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.context.reason === 'idempotency-key-reused';
}
