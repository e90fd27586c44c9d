import type { BlogClient } from '../../client/blog-client.ts';
import { createConsistencyCheck, readWhole, wholePages } from '../../client/pages.ts';
import { BlogctlError } from '../../errors.ts';
import {
  settleChanged,
  failures,
  isSilence,
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
import type { Answered } from '../runs/journal-lines.ts';
import type { Journal } from './journal.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';

type UnkeyedContext = DeliveryContext & {
  readonly journal: Journal | undefined;
  /** What earlier runs noted of this blog. */
  readonly earlier: AsyncIterable<Answered>;
};

export type Settlement = {
  /** How many records in doubt turned out to be on the blog. */
  readonly created: number;
  /** Keys of those that are not, to be sent again. */
  readonly missing: ReadonlySet<string>;
};

export type UnkeyedDelivery = {
  readonly deliver: Delivery;
  /** Looks up on the blog what became of the records in doubt. */
  settle(signal: AbortSignal): Promise<Settlement>;
};

/**
 * Delivery to a blog that knows no Idempotency-Key, where nothing may be sent twice on suspicion.
 * What is there already is taken from the blog's listing, as often as it stands there: equal texts
 * are counted, not merged. A lost answer is left in doubt until the listing tells.
 */
export async function createUnkeyedDelivery(
  context: UnkeyedContext,
  signal: AbortSignal,
): Promise<UnkeyedDelivery> {
  const { client, retry, journal } = context;
  const there = await listedTexts(signal);
  const unclaimed = withoutAnswered(there, journal);
  const known = await storedOtherwise(context.earlier);
  const doubts = new Map<string, bigint>();
  let alters = false;

  async function listedTexts(running: AbortSignal): Promise<FingerprintCounts> {
    return readWhole(() => retry(() => readTexts(client), running));
  }

  async function deliver(record: KeyedRecord, running: AbortSignal): Promise<Outcome> {
    if (journal?.state(record) === 'changed') {
      const url = await journal.addressOf(record);
      return settleChanged(record, url === undefined ? undefined : { url }, context, running).catch(
        outcomeOfRefusal,
      );
    }
    const text = textFingerprint(record.digest);
    const sent = journal?.unanswered(record);
    const before = sent === undefined ? text : textFingerprint(sent);
    // It was edited since it was sent: what is there by its text of then is this record.
    if (before !== text && unclaimed.of(before) > 0) {
      unclaimed.add(before, -1);
      return settleChanged(record, undefined, context, running);
    }
    const made = known.get(recordFingerprint(record.key, record.digest));
    for (const each of made === undefined ? [text] : [made, text]) {
      if (unclaimed.of(each) === 0) continue;
      unclaimed.add(each, -1);
      return { kind: 'replayed', ...(each === made && { storedOtherwise: true }) };
    }
    journal?.sending(record);
    // What it lacks, only the listing would tell the next run.
    if (journal?.failure !== undefined) throw journal.failure;
    try {
      return await post(record, text, running);
    } catch (error) {
      if (!leavesDoubt(error)) return outcomeOfRefusal(error);
      doubts.set(record.key, text);
      const isLast = isUnclear(error) && error.context.reason !== 'without-place';
      return isLast ? { kind: 'inDoubt', failure: error } : untilAnswered(running);
    }
  }

  async function post(
    { title, content }: KeyedRecord,
    text: bigint,
    running: AbortSignal,
  ): Promise<Outcome> {
    // A timeout must not be answered with a second POST, so the retry policy never sees it.
    const answer = await retry(() => client.create({ title, content }).catch(keepDoubt), running);
    if (answer instanceof BlogctlError) throw answer;
    const { article } = answer;
    there.add(textFingerprint(article));
    alters ||= textFingerprint(article) !== text;
    return { kind: 'created', article };
  }

  /** Sends nothing more before the service answers again. */
  async function untilAnswered(running: AbortSignal): Promise<Outcome> {
    try {
      await retry(() => client.pages({ pageIndex: 1, pageSize: 1 }).next(), running);
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
      // A service that stores other texts than it was sent cannot be asked by text.
      if (doubts.size === 0 || alters) return { created: 0, missing: new Set() };
      const now = await listedTexts(running);
      const missing = new Set<string>();
      for (const [key, text] of doubts) {
        if (now.of(text) > there.of(text)) there.add(text);
        else missing.add(key);
      }
      const created = doubts.size - missing.size;
      doubts.clear();
      return { created, missing };
    },
  };
}

async function readTexts(client: BlogClient) {
  const value = createFingerprintCounts();
  const consistency = createConsistencyCheck();
  for await (const { articles } of consistency.over(wholePages(client, { pageSize: 100 }))) {
    for (const article of articles) value.add(textFingerprint(article));
  }
  return { value, doubt: consistency.inconsistency(true) };
}

/** Articles that the journal accounts for are not there for other records to claim. */
function withoutAnswered(
  there: FingerprintCounts,
  journal: Journal | undefined,
): FingerprintCounts {
  const unclaimed = createFingerprintCounts();
  for (const [text, count] of there.entries()) {
    unclaimed.add(text, Math.max(0, count - (journal?.stored.of(text) ?? 0)));
  }
  return unclaimed;
}

/** What a service has made of the texts of records, by these: its list shows that, and not what was sent. */
async function storedOtherwise(
  earlier: AsyncIterable<Answered>,
): Promise<ReadonlyMap<bigint, bigint>> {
  const made = new Map<bigint, bigint>();
  for await (const { answered, sent, stored } of earlier) {
    if (!stored.startsWith(sent))
      made.set(recordFingerprint(answered, sent), textFingerprint(stored));
  }
  return made;
}

/** Where no key tells a repetition from a second article, what leaves doubt is no reason to send again. */
export function keepDoubt(error: unknown): BlogctlError {
  if (leavesDoubt(error)) return error;
  throw error;
}

/** After these the article may be there: no answer, a failure while answering, none that says where. */
function leavesDoubt(error: unknown): error is BlogctlError {
  if (isSilence(error) || isUnclear(error)) return true;
  return error instanceof BlogctlError && failures.has(error.context.status ?? 0);
}
