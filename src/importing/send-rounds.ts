import { BlogctlError } from '../errors.ts';
import type { KeyedEntries, KeyedEntry, KeyedRecord } from './sources/keyed-entries.ts';
import { interrupted, tolerates, type ImportRequest, type ImportWorld } from './import-request.ts';
import type { Plan, Tally } from './plan.ts';
import { rejectOfRecord, resultOf, type Reject, type Results } from './results.ts';
import type { Place, Portion } from './sources/source.ts';
import type { Journal } from './runs/journal.ts';
import type { Delivery, Outcome } from './sending/delivery.ts';
import { sendAll } from './sending/send-all.ts';
import type { Settlement } from './sending/unkeyed-delivery.ts';

export type Books = {
  readonly entries: KeyedEntries;
  readonly plan: Plan;
  readonly tally: Tally;
  reject(rejected: Reject): Promise<void>;
  readonly results: Results | undefined;
};

export type Rounds = {
  readonly request: ImportRequest;
  readonly world: ImportWorld;
  readonly books: Books;
  /** Told what was answered. */
  readonly journal: Journal | undefined;
};

export type Way = { readonly deliver: Delivery; settle(signal: AbortSignal): Promise<Settlement> };

/** A service that loses every answer is not asked for ever. */
const mostRounds = 8;

/** All records first, then those in doubt that turned out not to be on the blog. */
export async function sendRounds(way: Way, run: Rounds): Promise<BlogctlError | undefined> {
  let only: ReadonlySet<string> | undefined;
  for (let round = 0; round < mostRounds; round += 1) {
    const doubtful = new Map<string, Place>();
    const ended = await sendRound(way.deliver, run, { only, doubtful });
    if (ended !== undefined) return ended;
    const { created, missing } = await way.settle(run.world.signal);
    run.books.tally.settleDoubt(created, missing.size);
    for (const [key, place] of created > 0 ? doubtful : []) {
      if (!missing.has(key)) await run.books.results?.add(place, { outcome: 'created' });
    }
    if (missing.size === 0) return undefined;
    only = missing;
  }
  return undefined;
}

async function sendRound(
  deliver: Delivery,
  { request, world, books, journal }: Rounds,
  { only, doubtful }: Pick<Choice, 'only'> & { readonly doubtful: Map<string, Place> },
): Promise<BlogctlError | undefined> {
  let ended: BlogctlError | undefined;
  const settled = (record: KeyedRecord, outcome: Outcome): boolean | Promise<boolean> => {
    books.tally.count(outcome);
    world.listener.settled(books.tally.settled, books.tally.refused);
    if ('article' in outcome && outcome.article !== undefined) {
      journal?.answered(record, outcome.article, outcome.kind);
    }
    if (outcome.kind === 'skipped' && outcome.reason === 'deleted') {
      world.listener.deleted(record.place);
    }
    if (outcome.kind === 'inDoubt') {
      ended ??= outcome.failure;
      doubtful.set(record.key, record.place);
    }
    const goesOn = ended === undefined && isBearable(outcome, request, books);
    if (outcome.kind !== 'rejected' && books.results === undefined) return goesOn;
    return note(record, outcome, books).then(() => goesOn);
  };
  const records = chosen(books.entries.read(), { only, ready: books.plan.ready });
  await sendAll(records, { deliver, settled, concurrency: request.concurrency }, world.signal);
  if (world.signal.aborted) return interrupted(world.signal, books.tally.summary());
  return ended;
}

async function note(record: KeyedRecord, outcome: Outcome, books: Books): Promise<void> {
  if (outcome.kind === 'rejected') await books.reject(rejectOfRecord(record, outcome));
  await books.results?.add(record.place, resultOf(outcome));
}

/** A changed record harms no other: all of them are looked at before the import fails. */
function isBearable(
  outcome: Outcome,
  { tolerance }: ImportRequest,
  { plan, tally }: Books,
): boolean {
  if (outcome.kind !== 'rejected' || outcome.class === 'changed') return true;
  return tolerates(tolerance, plan.rejected + tally.refused, plan.records);
}

type Choice = {
  readonly only: ReadonlySet<string> | undefined;
  /** How many records the first reading found to send; more is a source that grew meanwhile. */
  readonly ready: number;
};

async function* chosen(
  portions: AsyncIterable<Portion<KeyedEntry>>,
  { only, ready }: Choice,
): AsyncGenerator<Portion<KeyedRecord>, void, void> {
  let found = 0;

  function* chosenOf(portion: Portion<KeyedEntry>): Portion<KeyedRecord> {
    for (const entry of portion) {
      if (entry.kind !== 'record') continue;
      found += 1;
      if (found > ready) throw grown(entry);
      if (only === undefined || only.has(entry.key)) yield madeReady(entry);
    }
  }

  for await (const portion of portions) yield chosenOf(portion);
}

/** What goes into its request is made here, ahead of the answer that makes room for it. */
function madeReady(record: KeyedRecord): KeyedRecord {
  const { key: _key, json: _json } = record;
  return record;
}

function grown({ place }: KeyedRecord): BlogctlError {
  const where = `${place.source}, position ${place.position}`;
  return new BlogctlError('unusable-input', `The source grew while it was imported (${where}).`, {
    hint: 'Run the same import again: what is on the blog already is not created twice.',
  });
}
