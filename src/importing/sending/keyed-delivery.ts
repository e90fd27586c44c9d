import type {
  ArticleReference,
  CreatedArticle,
  PlacedArticle,
  Article,
  ArticleDraft,
  BlogClient,
  CreateOptions,
} from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import {
  settleChanged,
  isSilence,
  outcomeOfRefusal,
  type Delivery,
  type Means,
  type Outcome,
} from './delivery.ts';
import { fingerprintOf } from '../../client/keyed-articles.ts';

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

/**
 * The client of a dry run: it reads, and answers a creation as the blog would, without sending it. A
 * key is asked for where the blog can be asked (decisions 51).
 */
export function withoutWriting(client: BlogClient): BlogClient {
  const create = async (
    draft: ArticleDraft,
    { idempotencyKey }: CreateOptions = {},
  ): Promise<CreatedArticle> => {
    if (idempotencyKey === undefined) return notSent(draft);
    const found = await client.articleByKey(idempotencyKey);
    if (found.kind === 'never-seen') return notSent(draft);
    if (found.kind === 'deleted') throw gone();
    const { article, validators, fingerprint } = found;
    const isSame =
      fingerprint === undefined ? isText(draft, article) : fingerprint === fingerprintOf(draft);
    if (!isSame) throw reused(article);
    return { article, validators, replayed: true };
  };
  return {
    ...client,
    create,
    async place(draft, options) {
      const { article, replayed } = await create(draft, options);
      return { url: article.url, article, replayed };
    },
  };
}

function notSent({ title, content = '' }: ArticleDraft): CreatedArticle {
  return { article: { id: 0, title, content, url: '' }, validators: {}, replayed: false };
}

function isText({ title, content = '' }: ArticleDraft, article: Article): boolean {
  return title === article.title && content === (article.content ?? '');
}

function gone(): BlogctlError {
  return new BlogctlError('gone', 'The article of this key was deleted.', { status: 410 });
}

function reused({ url }: Article): BlogctlError {
  const context = { status: 422, reason: 'idempotency-key-reused', article: url };
  return new BlogctlError('unprocessable', 'This key was used for another text.', context);
}
