import { isOtherText, sameForm } from '../../client/articles.ts';
import type {
  BlogClient,
  ArticleReference,
  CreatedArticle,
  PlacedArticle,
  Article,
  NewArticle,
  CreateOptions,
} from '../../client/blog-client.ts';
import { requestFingerprint } from '../../client/idempotency.ts';
import { BlogctlError, type Hint } from '../../errors.ts';
import { inShell } from '../../terminal/text.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import { failures, leavesDoubt, type RetryPolicy } from './retry-policy.ts';
import type { Journal } from './journal.ts';

/** What becomes of a record that is known with another text (decisions 48). */
export type OnChanged = 'fail' | 'skip';

/** What a delivery works with. */
export type DeliveryOptions = {
  readonly client: BlogClient;
  readonly retry: RetryPolicy;
  readonly onChanged: OnChanged;
  /** Create again what was deleted on the blog (decisions 49). */
  readonly recreate: boolean;
  /** The blog says how to find an article by its key (decisions 51). */
  readonly findsByKey: boolean;
  /** Somebody wants to know the ids of what was created. */
  readonly wantsIds: boolean;
};

type Stored = {
  readonly id?: number;
  readonly title: string;
  readonly content?: string;
  readonly url: string;
};

/** What became of one record. */
export type Outcome =
  | { readonly kind: 'created'; readonly article: Stored }
  /** The blog had it already, from this import. */
  | { readonly kind: 'replayed'; readonly article?: Stored; readonly storedOtherwise?: true }
  | {
      readonly kind: 'skipped';
      readonly reason: 'changed' | 'deleted';
      readonly article?: Stored | undefined;
    }
  | {
      readonly kind: 'rejected';
      readonly class: 'refused' | 'changed' | 'failed';
      readonly status?: number | undefined;
      readonly message: string;
      /** Of a refusal that has a cure of its own. */
      readonly hint?: Hint | undefined;
      /** That it is known as, with another text. */
      readonly article?: Stored | undefined;
    }
  /**
   * No answer came, or a failure, and nobody can say yet whether it was created. `failure` ends the run: the
   * service is still silent, unless it failed on this one record (`isOfOne`) and others may be sent.
   */
  | { readonly kind: 'inDoubt'; readonly failure?: BlogctlError; readonly isOfOne?: boolean };

/** Brings one record to the blog. Throws what ends the whole run: 401, 403, 404, no service. */
export type Delivery = (record: KeyedRecord, signal: AbortSignal) => Promise<Outcome>;

/**
 * What becomes of a record whose identity is known with another text: nothing is written (decisions
 * 48). Its article may have got the record's text since, or a checkout other line ends: then it is there already.
 */
export async function settleChanged(
  record: KeyedRecord,
  reference: ArticleReference | undefined,
  { client, retry, onChanged }: DeliveryOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  if (reference === undefined) return changed(undefined, record, onChanged);
  const { article } = await retry(() => client.article(reference), signal);
  if (!isOtherText(sameForm(record), sameForm(article))) return { kind: 'replayed', article };
  return changed(article, record, onChanged);
}

function changed(article: Stored | undefined, record: KeyedRecord, how: OnChanged): Outcome {
  if (how === 'skip') return { kind: 'skipped', reason: 'changed', article };
  const known = article === undefined ? 'an article' : `"${article.title}" at ${article.url}`;
  const than = article?.title === record.title ? 'content than it' : `text than "${record.title}"`;
  const message = `Known there as ${known}, with another ${than} has here.`;
  const hint: Hint = record.name?.startsWith('path:')
    ? 'Where posts of a folder were edited, blogctl sync plan <folder> shows what blogctl sync apply brings to the blog, and what somebody changed there; blogctl articles update changes any article.'
    : `Where a record was edited, \`blogctl articles update ${article === undefined ? '<article>' : inShell(article.url)} --title <text> --content-file <file>\` writes its article, one at a time.`;
  return { kind: 'rejected', class: 'changed', message, hint, article };
}

/** Statuses that say something about the record sent, not about the blog or the service. */
const aboutTheRecord = new Set([400, 409, 412, 413, 415, 422]);

/**
 * The outcome of a record whose creation failed; throws the error again where every other record
 * would meet it too (interface, Errors).
 */
export function outcomeOfRefusal(error: unknown): Outcome {
  if (!(error instanceof BlogctlError)) throw error;
  const { status, locked, reason } = error.context;
  // Only a key can be gone: its article was deleted after the import (decisions 38).
  if (status === 410) return { kind: 'skipped', reason: 'deleted' };
  const refused = locked?.startsWith('article') === true || aboutTheRecord.has(status ?? 0);
  const failed = failures.has(status ?? 0);
  if (!refused && !failed) throw error;
  return {
    kind: 'rejected',
    class: refused ? 'refused' : 'failed',
    status,
    message: error.message,
    hint: reason === 'payload-too-large' ? error.hint : undefined,
  };
}

/** No answer: the service may have done what it was asked for. */
export function isSilence(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.code === 'unreachable';
}

/** An answer that tells nothing of what was sent, as it would not of any other record: it ends the run. */
export function isUnclear(error: unknown): error is BlogctlError {
  if (!(error instanceof BlogctlError) || error.code === 'unreachable') return false;
  const { maybeDone, status = 0 } = error.context;
  return maybeDone === true && !failures.has(status);
}

/**
 * Delivery to a blog that honours Idempotency-Key: sending again is safe at any time, so an answer
 * that was lost is asked for again. A record known with another text meets its own key. One whose
 * article was deleted is looked for under the next generations of its key, and created under the
 * first that is free with `recreate` (decisions 49). Where the blog cannot be asked by key, what is sent
 * is noted before, for an undo that goes by its text. What is refused before its key was looked at, as a
 * body that is too long, may be there all the same: then the key alone is asked.
 */
export function createKeyedDelivery(options: DeliveryOptions, journal?: Journal): Delivery {
  const { client, retry, recreate, findsByKey, wantsIds } = options;
  const noted = findsByKey ? undefined : journal;

  async function deliver(
    record: KeyedRecord,
    key: string,
    signal: AbortSignal,
    by = client,
  ): Promise<Outcome> {
    const { title, content } = record;
    noted?.sending(record);
    try {
      const keyed = { idempotencyKey: key };
      const send = (): Promise<PlacedArticle> =>
        wantsIds
          ? by.create({ title, content }, keyed).then(placedAt)
          : by.place({ title, content }, keyed);
      const { url, replayed, article = { title, content, url } } = await retry(send, signal);
      return { kind: replayed ? 'replayed' : 'created', article };
    } catch (error) {
      if (isSilence(error) || leavesDoubt(error)) {
        const isOfOne = failures.has(error.context.status ?? 0);
        return { kind: 'inDoubt', failure: error, isOfOne };
      }
      noted?.refused(record);
      if (!isKeyReused(error)) {
        const outcome = outcomeOfRefusal(error);
        const isOpen = outcome.kind === 'rejected' && outcome.class === 'refused' && findsByKey;
        if (!isOpen || by !== client) return outcome;
        const known = await deliver(record, key, signal, withoutWriting(client));
        return known.kind === 'created' ? outcome : known;
      }
      const { article: url } = error.context;
      const known = url === undefined ? undefined : { url };
      return settleChanged(record, known, options, signal).catch(outcomeOfRefusal);
    }
  }

  async function isUsed(key: string, signal: AbortSignal): Promise<boolean> {
    if (!findsByKey) return false;
    return (await retry(() => client.articleByKey(key), signal)).kind !== 'never-seen';
  }

  return async (record, signal) => {
    let outcome = await deliver(record, record.key, signal);
    for (let generation = 2; isSkippedAs(outcome, 'deleted'); generation += 1) {
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

export function isSkippedAs(outcome: Outcome, reason: 'changed' | 'deleted'): boolean {
  return outcome.kind === 'skipped' && outcome.reason === reason;
}

export function isKeyReused(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.context.reason === 'idempotency-key-reused';
}

/**
 * The client of a dry run: it reads, and answers a creation as the blog would, without sending it. A
 * key is asked for where the blog can be asked (decisions 51).
 */
export function withoutWriting(client: BlogClient): BlogClient {
  const create = async (
    draft: NewArticle,
    { idempotencyKey }: CreateOptions = {},
  ): Promise<CreatedArticle> => {
    if (idempotencyKey === undefined) return notSent(draft);
    const found = await client.articleByKey(idempotencyKey);
    if (found.kind === 'never-seen') return notSent(draft);
    if (found.kind === 'deleted') throw gone();
    const { article, validators, fingerprint } = found;
    const isSame =
      fingerprint === undefined
        ? !isOtherText(draft, article)
        : fingerprint === requestFingerprint(draft);
    if (!isSame) throw keyReused(article);
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

function notSent({ title, content }: NewArticle): CreatedArticle {
  return { article: { id: 0, title, content, url: '' }, validators: {}, replayed: false };
}

function gone(): BlogctlError {
  return new BlogctlError('gone', 'The article of this key was deleted.', { status: 410 });
}

export function keyReused({ url }: Article): BlogctlError {
  const context = { status: 422, reason: 'idempotency-key-reused', article: url };
  return new BlogctlError('unprocessable', 'This key was used for another text.', context);
}
