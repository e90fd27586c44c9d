import { isOtherText, storedOtherwise } from '../client/articles.ts';
import type { BlogctlError, ErrorDetail } from '../errors.ts';
import {
  earlierAnswers,
  grown,
  interrupted,
  tolerates,
  type ImportDependencies,
  type ImportRequest,
} from './import-request.ts';
import type { ImportPlan, Tally } from './plan.ts';
import type { Run } from './runs/journal-lines.ts';
import type { Doubles } from './runs/memory.ts';
import { rejectOfRecord, resultOf, type Reject, type Results, type Withheld } from './results.ts';
import {
  createKeyedDelivery,
  type Delivery,
  type DeliveryOptions,
  type Outcome,
} from './sending/delivery.ts';
import type { Journal } from './sending/journal.ts';
import { createFindOwn, withOwnArticles, type Listing } from './sending/own-articles.ts';
import { sendAll } from './sending/pace.ts';
import { createUnkeyedDelivery, type UnkeyedDelivery } from './sending/unkeyed-delivery.ts';
import type { KeyedEntries, KeyedEntry, KeyedRecord } from './sources/keyed-entries.ts';
import type { Batch, Notice, SourcePosition } from './sources/source.ts';

/** What a run has found and done so far. */
export type RunState = {
  readonly entries: KeyedEntries;
  readonly plan: ImportPlan;
  readonly tally: Tally;
  reject(rejected: Reject): Promise<void>;
  readonly results: Results | undefined;
  readonly withheld: Withheld;
  readonly doubles: Doubles;
  /** What the journal is about, where one is kept. */
  run?: Run | undefined;
  /** What is known of records that stay in doubt. */
  unknown?: readonly ErrorDetail[];
};

export type ImportRun = {
  readonly request: ImportRequest;
  readonly dependencies: ImportDependencies;
  readonly state: RunState;
  readonly options: DeliveryOptions;
  /** The blog honours Idempotency-Key, and a dry run can ask it by key. */
  readonly usesKeys: boolean;
  /** Told what was answered. */
  readonly journal: Journal | undefined;
  /** The highest id before the first creation. */
  readonly since: number | undefined;
  /** What a service without keys showed when the journal was begun. */
  readonly listed: Listing | undefined;
};

/** A service that loses every answer is not asked for ever. */
const mostPasses = 8;

/**
 * All records first, then those in doubt that turned out not to be on the blog. Answers what ended it
 * before its time.
 */
export async function sendRecords(run: ImportRun): Promise<BlogctlError | undefined> {
  const strategy = await strategyOf(run);
  let only: ReadonlySet<string> | undefined;
  const doubtful = new Map<string, SourcePosition>();
  try {
    for (let pass = 0; pass < mostPasses && only?.size !== 0; pass += 1) {
      const ended = await sendPass(strategy.deliver, run, { only, doubtful });
      if (ended !== undefined) return ended;
      only = await settleDoubts(strategy, run, doubtful);
    }
    await tellWithheld(run);
    return undefined;
  } finally {
    for (const place of doubtful.values())
      await run.state.results?.add(place, { outcome: 'inDoubt' });
  }
}

/** Nothing is deleted by itself, so who keeps a record from the public is told where its article stays. */
async function tellWithheld({ state, options, dependencies }: ImportRun): Promise<void> {
  for await (const { entry, article } of state.withheld.find(options, dependencies.signal)) {
    const { place, reason } = entry;
    dependencies.listener.stillPublic(place, reason, article);
    state.tally.notice('still-public');
    const { id, url } = article;
    const told = { outcome: 'skipped', reason, notice: 'still-public', id, url } as const;
    await state.results?.add(place, told);
  }
}

/** Takes out of `doubtful` what the blog told of; answers the keys of records to be sent again. */
async function settleDoubts(
  strategy: UnkeyedDelivery,
  { state, dependencies }: ImportRun,
  doubtful: Map<string, SourcePosition>,
): Promise<ReadonlySet<string>> {
  const { created, missing, strangers } = await strategy.settle(dependencies.signal);
  const again = new Set<string>();
  let found = 0;
  for (const [key, place] of doubtful) {
    const article = created.get(key);
    if (article !== undefined) {
      found += 1;
      await state.results?.add(place, { outcome: 'created', id: article.id, url: article.url });
    } else if (missing.has(key)) again.add(key);
    else continue;
    doubtful.delete(key);
  }
  state.tally.settleDoubt(found, again.size);
  const records = [...doubtful.values()].map(({ source, position }) => `${source}:${position}`);
  const candidates = records.length === 0 ? [] : strangers.map(({ url }) => url);
  state.unknown = [
    ...named(records, (one) => `${one} was sent, and not clearly answered.`),
    ...named(candidates, (one) => `${one} may be one of them: no answer accounts for it.`),
  ];
  return again;
}

const mostNamed = 9;

function named(all: readonly string[], say: (one: string) => string): ErrorDetail[] {
  const more = all.length - mostNamed;
  const said = all.slice(0, mostNamed).map(say);
  return [...said, ...(more > 0 ? [`And so ${more} more.`] : [])].map((detail) => ({ detail }));
}

async function strategyOf(run: ImportRun): Promise<UnkeyedDelivery> {
  const { request, options, journal, listed, usesKeys } = run;
  if (usesKeys) {
    const settle = async () => ({ created: new Map(), missing: new Set<string>(), strangers: [] });
    const deliver = createKeyedDelivery(options, journal);
    return withKnown({ deliver, settle, shows: () => false }, run);
  }
  const earlier = () => earlierAnswers(request, 'sync apply');
  const unkeyed = { ...options, journal, earlier, listed };
  return withKnown(await createUnkeyedDelivery(unkeyed, run.dependencies.signal), run);
}

/** What needs no creation: answered in an earlier run, or an article of this very blog. */
function withKnown(strategy: UnkeyedDelivery, run: ImportRun): UnkeyedDelivery {
  const { request, options, since, journal, dependencies } = run;
  const deliver = withOwnArticles(strategy.deliver, {
    ...options,
    // What the journal knows has no id; asked again, the blog tells it.
    journal: options.wantsIds && options.findsByKey ? undefined : journal,
    findOwn: createFindOwn(options.client, dependencies.store),
    since,
    shows: strategy.shows,
    isNoted: (id) => journal?.accountsFor(`/${id}`) === true,
    isOtherSource: request.importId !== undefined,
    elsewhere: (address) => dependencies.listener.elsewhere(address),
  });
  return { ...strategy, deliver };
}

async function sendPass(
  deliver: Delivery,
  { request, dependencies: { listener, signal }, state, journal }: ImportRun,
  { only, doubtful }: Pick<Choice, 'only'> & { readonly doubtful: Map<string, SourcePosition> },
): Promise<BlogctlError | undefined> {
  let ended: BlogctlError | undefined;
  const settled = (record: KeyedRecord, outcome: Outcome): boolean | Promise<boolean> => {
    state.tally.count(outcome);
    const notice = noticeOf(record, outcome);
    if (notice !== undefined) {
      state.tally.notice(notice.kind);
      listener.noticed(record.place, notice);
    }
    state.withheld.isPublic(record);
    listener.settled(state.tally.settled, state.tally.refused);
    const { kind } = outcome;
    if ((kind === 'created' || kind === 'replayed') && outcome.article !== undefined) {
      journal?.answered(record, outcome.article, kind);
    }
    if (outcome.kind === 'skipped' && outcome.reason === 'deleted') listener.deleted(record.place);
    if (outcome.kind === 'inDoubt') {
      ended ??= outcome.failure;
      doubtful.set(record.key, record.place);
    }
    const goesOn = isBearable(outcome, request, state);
    // What a record in doubt came to is noted when that is known.
    const isNoted = state.results !== undefined && outcome.kind !== 'inDoubt';
    if (outcome.kind !== 'rejected' && !isNoted) return goesOn;
    return note(record, { outcome, notice }, state).then(() => goesOn);
  };
  const records = chosen(state.entries.read(), { only, ready: state.plan.ready });
  await sendAll(records, { deliver, settled, concurrency: request.concurrency }, signal);
  if (signal.aborted) return interrupted(signal, state.tally.summary());
  return ended;
}

/** Where a record is on the blog with what the service has made of its text. */
function noticeOf(record: KeyedRecord, outcome: Outcome): Notice | undefined {
  const isOther =
    outcome.kind === 'created'
      ? isOtherText(record, outcome.article)
      : outcome.kind === 'replayed' && outcome.storedOtherwise === true;
  return isOther ? { kind: 'stored-otherwise', message: storedOtherwise } : undefined;
}

async function note(
  record: KeyedRecord,
  { outcome, notice }: { readonly outcome: Outcome; readonly notice: Notice | undefined },
  state: RunState,
): Promise<void> {
  if (outcome.kind === 'rejected') await state.reject(rejectOfRecord(record, outcome));
  const said = notice && { notice: notice.kind };
  await state.results?.add(record.place, { ...resultOf(outcome), ...said });
}

/** A changed record harms no other: all of them are looked at before the import fails. */
function isBearable(
  outcome: Outcome,
  { tolerance }: ImportRequest,
  { plan, tally }: RunState,
): boolean {
  const isOpen = outcome.kind === 'inDoubt' && outcome.failure !== undefined;
  if (isOpen && outcome.isOfOne !== true) return false;
  if (!isOpen && (outcome.kind !== 'rejected' || outcome.class === 'changed')) return true;
  const lost = plan.rejected + tally.refused + (isOpen ? tally.summary().inDoubt : 0);
  return tolerates(tolerance, lost, plan.records);
}

type Choice = {
  readonly only: ReadonlySet<string> | undefined;
  /** How many records the first reading found to send; more is a source that grew meanwhile. */
  readonly ready: number;
};

async function* chosen(
  batches: AsyncIterable<Batch<KeyedEntry>>,
  { only, ready }: Choice,
): AsyncGenerator<Batch<KeyedRecord>, void, void> {
  let found = 0;

  function* chosenOf(batch: Batch<KeyedEntry>): Batch<KeyedRecord> {
    for (const entry of batch) {
      if (entry.kind !== 'record') continue;
      found += 1;
      if (found > ready) throw grown(entry.place);
      if (only === undefined || only.has(entry.key)) yield entry;
    }
  }

  for await (const batch of batches) yield chosenOf(batch);
}
