import type { BlogClient } from '../../client/blog-client.ts';
import { readWhole } from '../../client/pages.ts';
import { BlogctlError } from '../../errors.ts';
import {
  settleChanged,
  isUnclear,
  outcomeOfRefusal,
  type Delivery,
  type DeliveryContext,
  type Outcome,
} from './delivery.ts';
import {
  createFingerprintCounts,
  recordFingerprint,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import { placeFingerprint, readChanges, type Answered, type Run } from '../runs/journal-lines.ts';
import { readMemory } from '../runs/memory.ts';
import { leavesDoubt } from './retry-policy.ts';
import { listRuns, type KnownRun } from '../runs/runs.ts';
import type { Journal } from './journal.ts';
import { attribute, noArticle, readListing, type Listing, type Stranger } from './own-articles.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';

/** What delivery without keys needs of a journal. */
export type Notes = Pick<Journal, Told | 'unanswered' | 'sending' | 'refused' | 'found'> & {
  readonly run: Pick<Run, 'newest'>;
};
type Told = 'state' | 'stored' | 'addressOf' | 'failure' | 'accountsFor';

type UnkeyedContext = DeliveryContext & {
  readonly journal: Notes | undefined;
  /** What earlier runs noted of this blog. */
  readonly earlier: AsyncIterable<Answered>;
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
  context: UnkeyedContext,
  signal: AbortSignal,
): Promise<UnkeyedDelivery> {
  const { client, retry, journal } = context;
  const made = createFingerprintCounts();
  const accountsFor = (url: string) =>
    made.of(placeFingerprint(url)) > 0 || journal?.accountsFor(url) === true;
  const doubts = new Map(journal?.unanswered);
  /** Of which nothing was answered; a service that was busy (503) says that it did nothing. */
  const silent = new Set(doubts.keys());
  const first = context.listed ?? (await list(journal?.run.newest ?? Infinity, signal));
  const newest = journal?.run.newest ?? first.newest;
  // How many articles there are, if none was created that nobody knows of.
  let expected = first.total;
  /** Creations in a row that were answered "busy" (503). */
  let busy = 0;
  const known = await whatWasMade(context.earlier, first.texts, made);
  settleBy(first);
  const unclaimed = withoutAnswered(first.texts, journal);

  function list(since: number, running: AbortSignal): Promise<Listing> {
    return readWhole(() => retry(() => readListing(client, since, accountsFor), running));
  }

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
    const isAll = listing.total === expected;
    const missing = new Set(isProven && isAll ? doubts.keys() : []);
    if (missing.size > 0) doubts.clear();
    return { created: found, missing, strangers };
  }

  async function deliver(record: KeyedRecord, running: AbortSignal): Promise<Outcome> {
    if (journal?.state(record) === 'changed') {
      const url = await journal.addressOf(record);
      return settleChanged(record, url === undefined ? undefined : { url }, context, running).catch(
        outcomeOfRefusal,
      );
    }
    const text = textFingerprint(record.digest);
    const before = known.get(recordFingerprint(record.key, record.digest));
    for (const each of before === undefined ? [text] : [before.text, text]) {
      if (unclaimed.of(each) === 0) continue;
      unclaimed.add(each, -1);
      doubts.delete(record.key);
      return { kind: 'replayed', ...(each !== text && { storedOtherwise: true }) };
    }
    if (doubts.has(record.key)) return { kind: 'inDoubt' };
    if (before !== undefined && (await isThere(before, running))) return { kind: 'replayed' };
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
    const answer = await retry(() => client.create({ title, content }).catch(keepDoubt), running);
    if (answer instanceof BlogctlError) throw answer;
    const { article } = answer;
    busy = 0;
    made.add(placeFingerprint(article.url));
    expected += 1;
    return { kind: 'created', article };
  }

  /** A list may leave out an article, or lag behind: its address tells. */
  async function isThere({ url, text }: Made, running: AbortSignal): Promise<boolean> {
    const there = await retry(() => client.article({ url }), running).catch(noArticle);
    return there !== undefined && textFingerprint(there.article) === text;
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

/** What other runs noted that they created on the same blog, by `placeFingerprint`. */
export async function createdByOthers(folder: string, { id, blog }: KnownRun) {
  const others = (await listRuns(folder)).filter((run) => run.id !== id && run.blog === blog);
  const changes = await Promise.all(others.map(({ journal }) => readChanges(journal)));
  const created = changes.flat().filter((change) => 'created' in change);
  return new Set(created.map((change) => placeFingerprint(change.created)));
}

/** Articles that the journal accounts for are not there for other records to claim. */
function withoutAnswered(there: FingerprintCounts, journal: Notes | undefined): FingerprintCounts {
  const unclaimed = createFingerprintCounts();
  for (const [text, count] of there.entries()) {
    unclaimed.add(text, Math.max(0, count - (journal?.stored.of(text) ?? 0)));
  }
  return unclaimed;
}

type Made = { readonly text: bigint; readonly url: string };

/**
 * Articles of records whose texts a list does not show: what the service made of them, or what it leaves
 * out. `places` gets those of all.
 */
async function whatWasMade(
  earlier: AsyncIterable<Answered>,
  listed: FingerprintCounts,
  places: FingerprintCounts,
): Promise<ReadonlyMap<bigint, Made>> {
  const made = new Map<bigint, Made>();
  for await (const { answered, sent, stored, url } of earlier) {
    const text = textFingerprint(stored);
    const record = recordFingerprint(answered, sent);
    places.add(placeFingerprint(url));
    if (!stored.startsWith(sent) || listed.of(text) === 0) made.set(record, { text, url });
  }
  return made;
}

/** Where no key tells a repetition from a second article, what leaves doubt is no reason to send again. */
export function keepDoubt(error: unknown): BlogctlError {
  if (leavesDoubt(error)) return error;
  throw error;
}
