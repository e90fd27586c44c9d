import type { BlogClient } from '../../client/blog-client.ts';
import { readWhole } from '../../client/pages.ts';
import { BlogctlError } from '../../errors.ts';
import {
  settleChanged,
  isUnclear,
  outcomeOfRefusal,
  type Delivery,
  type DeliveryOptions,
  type Outcome,
} from './delivery.ts';
import {
  createFingerprintCounts,
  textDigest,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import type { Answered, Run } from '../runs/journal-lines.ts';
import { idOf, placeFingerprint, readEarlier } from '../runs/journal-lines.ts';
import { fitsBlog, readMemory } from '../runs/memory.ts';
import { leavesDoubt } from './retry-policy.ts';
import type { Journal } from './journal.ts';
import { attribute, noArticle, readListing, type Listing, type Stranger } from './own-articles.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';

/** What delivery without keys needs of a journal. */
export type Notes = Pick<Journal, Query | 'unanswered' | 'sending' | 'refused' | 'found'> & {
  readonly run: Pick<Run, 'newest'>;
};
type Query = 'state' | 'stored' | 'addressOf' | 'failure' | 'accountsFor';

type UnkeyedOptions = DeliveryOptions & {
  readonly journal: Notes | undefined;
  /** What earlier runs noted of this blog. */
  readonly earlier: () => AsyncIterable<Answered>;
  /** What the listing showed when the journal was begun. */
  readonly listed: Listing | undefined;
};

export type Settlement = {
  /** Articles of records in doubt that turned out to be on the blog, by the keys of the records. */
  readonly created: ReadonlyMap<string, Stranger>;
  /** Keys of those that are not, to be sent again. */
  readonly missing: ReadonlySet<string>;
  /** Articles that nobody accounts for, where others stay in doubt. */
  readonly strangers: readonly Stranger[];
};

export type UnkeyedDelivery = {
  readonly deliver: Delivery;
  /** Whether the blog shows the text of a record, for it to claim. */
  readonly shows: (record: KeyedRecord) => boolean;
  /** Looks up on the blog what became of the records in doubt. */
  settle(signal: AbortSignal): Promise<Settlement>;
};

/** A service that answers reads alone is not sent record after record. */
const mostBusy = 20;

/**
 * Delivery to a blog that knows no Idempotency-Key, where nothing may be sent twice on suspicion.
 * What is there already is taken from the blog's listing, as often as it stands there: equal texts
 * are counted, not merged. What was sent and not clearly answered, in this run or before it was
 * interrupted, is in doubt. It is sent again only where the listing proves that it is not there.
 */
export async function createUnkeyedDelivery(
  options: UnkeyedOptions,
  signal: AbortSignal,
): Promise<UnkeyedDelivery> {
  const { client, retry, journal } = options;
  const made = createFingerprintCounts();
  const accountsFor = (url: string) =>
    made.of(placeFingerprint(url)) > 0 || journal?.accountsFor(url) === true;
  const doubts = new Map(journal?.unanswered);
  const list = (since: number, running: AbortSignal) =>
    readWhole(() => retry(() => readListing(client, since, accountsFor), running));
  /** Of which nothing was answered; a service that was busy (503) says that it did nothing. */
  const silent = new Set(doubts.keys());
  const first = options.listed ?? (await list(journal?.run.newest ?? Infinity, signal));
  const newest = journal?.run.newest ?? first.newest;
  // How many articles there are, if none was created that nobody knows of.
  let expected = first.total;
  /** Creations in a row that were answered "busy" (503). */
  let busy = 0;
  let fit: Promise<unknown> | undefined;
  const earlier = await readEarlier(options.earlier, (text) => first.texts.of(text), made);
  settleBy(first);
  const unclaimed = withoutAnswered(first.texts, journal);
  /** Claimed by records that no run knows: where it turns out to be that of one, that one is sent. */
  const borrowed = createFingerprintCounts();

  function settleBy(listing: Listing): Settlement {
    const unaccounted = listing.strangers.filter(({ url }) => !accountsFor(url));
    const { found, strangers } = attribute(doubts, unaccounted);
    for (const [key, article] of found) {
      journal?.found(key, doubts.get(key) ?? '', article);
      made.add(placeFingerprint(article.url));
      doubts.delete(key);
    }
    // A list that shows nothing of this run may lag behind, or never show it.
    const isSilent = [...doubts.keys()].some((key) => silent.has(key));
    const isProven = strangers.length === 0 && (!isSilent || listing.shown + found.size > 0);
    if (listing !== first) expected += found.size;
    const missing = new Set(isProven && listing.total === expected ? doubts.keys() : []);
    if (missing.size > 0) doubts.clear();
    return { created: found, missing, strangers };
  }

  async function deliver(record: KeyedRecord, running: AbortSignal): Promise<Outcome> {
    if (journal?.state(record) === 'changed') {
      const url = await journal.addressOf(record);
      return settleChanged(record, url === undefined ? undefined : { url }, options, running).catch(
        outcomeOfRefusal,
      );
    }
    const text = textFingerprint(record.digest);
    for (const each of earlier.textsOf(record)) {
      if (unclaimed.of(each) === 0) continue;
      unclaimed.add(each, -1);
      if (!earlier.knows(record)) borrowed.add(each);
      doubts.delete(record.key);
      return { kind: 'replayed', ...(each !== text && { storedOtherwise: true }) };
    }
    if (doubts.has(record.key)) return { kind: 'inDoubt' };
    const known = await settleEarlier(record, running);
    if (known !== undefined) return known;
    journal?.sending(record);
    // What it lacks, only the listing would tell the next run.
    if (journal?.failure !== undefined) throw journal.failure;
    try {
      return await post(record, running);
    } catch (error) {
      if (!leavesDoubt(error)) {
        journal?.refused(record);
        return outcomeOfRefusal(error);
      }
      doubts.set(record.key, record.digest);
      const { status, reason: why } = error.context;
      if (status === 503) busy += 1;
      else silent.add(record.key);
      const isLast = status === 503 ? busy > mostBusy : isUnclear(error) && why !== 'without-place';
      return isLast ? { kind: 'inDoubt', failure: error } : untilAnswered(running, error);
    }
  }

  async function post({ title, content }: KeyedRecord, running: AbortSignal): Promise<Outcome> {
    // A timeout must not be answered with a second POST, so the retry policy never sees it.
    const answer = await retry(() => client.create({ title, content }).catch(orUnclear), running);
    if (answer instanceof BlogctlError) throw answer;
    busy = 0;
    made.add(placeFingerprint(answer.article.url));
    expected += 1;
    return { kind: 'created', article: answer.article };
  }

  const isSameBlog = async (running: AbortSignal) =>
    (await (fit ??= retry(() => fitsBlog(earlier.known, client, false), running))) === 'whole';

  /**
   * What became of the article that an earlier run noted of a record whose text no list shows: the list may
   * leave it out, somebody may have edited either. Undefined where the record has to be sent.
   */
  async function settleEarlier(record: KeyedRecord, running: AbortSignal) {
    const last = await earlier.of(record);
    if (last === undefined) return undefined;
    const { url, sent, stored } = last;
    const isAsSent = record.digest.startsWith(sent);
    try {
      const known = await settleChanged(record, { url }, options, running);
      const there = 'article' in known ? known.article : undefined;
      if (there === undefined) return known;
      if (known.kind === 'replayed') {
        const text = textFingerprint(there);
        const counts = [unclaimed, borrowed].find((each) => each.of(text) > 0);
        counts?.add(text, -1);
        return counts === borrowed ? undefined : known;
      }
      const replayed: Outcome = { kind: 'replayed' };
      if (isAsSent && textDigest(there).startsWith(stored)) return replayed;
      // Of a blog that was made anew this run may have made it.
      if (idOf(url) > newest) return undefined;
      const isAlike = there.title === record.title || there.content === record.content;
      return isAsSent && (isAlike || (await isSameBlog(running))) ? replayed : known;
    } catch (error) {
      noArticle(error);
      const isGone = error instanceof BlogctlError && error.code === 'gone';
      const isDeleted = isGone || (idOf(url) < newest && (await isSameBlog(running)));
      const deleted: Outcome = { kind: 'skipped', reason: 'deleted' };
      return isDeleted && !options.recreate ? deleted : undefined;
    }
  }

  /** Sends nothing more before the service answers again, and as long as it asked to be left alone. */
  async function untilAnswered(running: AbortSignal, after: BlogctlError): Promise<Outcome> {
    const refused = after.context.status === 503 ? [() => Promise.reject(after)] : [];
    const look = () => client.pages({ pageIndex: 1, pageSize: 1 }).next();
    try {
      await retry(() => (refused.pop() ?? look)(), running);
      return { kind: 'inDoubt' };
    } catch (error) {
      if (error instanceof BlogctlError) return { kind: 'inDoubt', failure: error };
      if (running.aborted) return { kind: 'inDoubt' };
      throw error;
    }
  }

  return {
    deliver,
    shows: (record) => earlier.textsOf(record).some((text) => unclaimed.of(text) > 0),
    async settle(running) {
      if (doubts.size === 0) return { created: new Map(), missing: new Set(), strangers: [] };
      return settleBy(await list(newest, running));
    },
  };
}

/**
 * What an interrupted import had sent to a service without keys and heard nothing of: articles that are it,
 * by the listing, how many records are `left`, and articles that may be those.
 */
export async function findUnanswered(
  run: Pick<Run, 'newest'> & { readonly journal: string },
  client: Pick<BlogClient, 'article' | 'pages'>,
) {
  const { unanswered, places } = await readMemory(run.journal);
  if (unanswered.size === 0) return { changes: [], left: 0, strangers: [] };
  const accountsFor = (url: string) => places.of(placeFingerprint(url)) > 0;
  const listing = await readWhole(() => readListing(client, run.newest ?? Infinity, accountsFor));
  const { found, strangers } = attribute(unanswered, listing.strangers);
  const changes = [...found.values()].map(({ url, digest }) => ({
    created: url,
    digest: digest.slice(0, 32),
  }));
  return { changes, left: unanswered.size - found.size, strangers };
}

/** Articles that the journal accounts for are not there for other records to claim. */
function withoutAnswered(there: FingerprintCounts, journal: Notes | undefined): FingerprintCounts {
  const unclaimed = createFingerprintCounts();
  for (const [text, count] of there.entries()) {
    unclaimed.add(text, Math.max(0, count - (journal?.stored.of(text) ?? 0)));
  }
  return unclaimed;
}

/** Where no key tells a repetition from a second article, what leaves doubt is no reason to send again. */
export function orUnclear(error: unknown): BlogctlError {
  if (leavesDoubt(error)) return error;
  throw error;
}
