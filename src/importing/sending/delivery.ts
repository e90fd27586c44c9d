import type { BlogClient, ArticleReference } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import type { Patience } from './patience.ts';
import type { Journal } from '../runs/journal.ts';

/** What becomes of a record that is known with another text (decisions 48). */
export type OnChanged = 'fail' | 'skip';

/** What a delivery works with. */
export type Means = {
  readonly client: BlogClient;
  readonly patience: Patience;
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
  | { readonly kind: 'replayed'; readonly article?: Stored }
  | { readonly kind: 'skipped'; readonly reason: 'changed' | 'deleted' }
  | {
      readonly kind: 'rejected';
      readonly class: 'refused' | 'changed' | 'failed';
      readonly status?: number | undefined;
      readonly message: string;
    }
  /**
   * No answer came, and nobody can say yet whether it was created. `failure` ends the run: the
   * service is still silent.
   */
  | { readonly kind: 'inDoubt'; readonly failure?: BlogctlError };

/** Brings one record to the blog. Throws what ends the whole run: 401, 403, 404, no service. */
export type Delivery = (record: KeyedRecord, signal: AbortSignal) => Promise<Outcome>;

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

/** Statuses that say something about the record sent, not about the blog or the service. */
const aboutTheRecord = new Set([400, 409, 412, 413, 415, 422]);

/**
 * The outcome of a record whose creation failed; throws the error again where every other record
 * would meet it too (interface, Errors).
 */
export function outcomeOfRefusal(error: unknown): Outcome {
  if (!(error instanceof BlogctlError)) throw error;
  const { status } = error.context;
  // Only a key can be gone: its article was deleted after the import (decisions 38).
  if (status === 410) return { kind: 'skipped', reason: 'deleted' };
  const refused = status !== undefined && aboutTheRecord.has(status);
  const failed = status === 500 || status === 502 || status === 504;
  if (!refused && !failed) throw error;
  return {
    kind: 'rejected',
    class: refused ? 'refused' : 'failed',
    status,
    message: error.message,
  };
}

/** No answer: the service may have done what it was asked for. */
export function isSilence(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.code === 'unreachable';
}

/** Asks nothing twice: what the journal says was answered stands. */
export function withJournal(deliver: Delivery, journal: Journal | undefined): Delivery {
  if (journal === undefined) return deliver;
  return (record, signal) =>
    journal.state(record) === 'answered'
      ? Promise.resolve({ kind: 'replayed' })
      : deliver(record, signal);
}
