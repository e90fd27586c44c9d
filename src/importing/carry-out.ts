import { BlogctlError } from '../errors.ts';
import type { Delivery, Outcome } from './sending/delivery.ts';
import type { ImportRequest, ImportWorld } from './import-request.ts';
import { interrupted } from './interrupted.ts';
import { openJournal } from './sending/journal.ts';
import { keyedEntries, type KeyedEntry, type KeyedRecord } from './identity/keyed-entries.ts';
import { createKeyedDelivery } from './sending/keyed-delivery.ts';
import { createPatience, type Patience } from './sending/patience.ts';
import type { Plan } from './plan.ts';
import { rejectOfRecord, type Reject } from './rejects.ts';
import { sendAll } from './sending/send-all.ts';
import type { Tally } from './tally.ts';
import { tolerates } from './tolerance.ts';
import { createUnkeyedDelivery, type Settlement } from './sending/unkeyed-delivery.ts';

export type Books = {
  readonly plan: Plan;
  readonly tally: Tally;
  reject(rejected: Reject): Promise<void>;
};

type Run = {
  readonly request: ImportRequest;
  readonly world: ImportWorld;
  readonly books: Books;
  readonly patience: Patience;
};

type Way = { readonly deliver: Delivery; settle(signal: AbortSignal): Promise<Settlement> };

/** A service that loses every answer is not asked for ever. */
const mostRounds = 8;
/** A service that does not answer at all is given up within a minute. */
const longestSilenceMs = 50_000;
const attemptsAtOne = 5;

/** Sends what was planned and keeps the books; answers what ended it before its time. */
export async function carryOut(
  request: ImportRequest,
  world: ImportWorld,
  books: Books,
): Promise<BlogctlError | undefined> {
  try {
    const patience = patienceFor(request, world);
    const blog = await patience(() => world.client.blog(), world.signal);
    if (request.dryRun) return undefined;
    const run = { request, world, books, patience };
    return await (blog.honoursIdempotencyKey ? withKeys(run) : withoutKeys(run));
  } catch (error) {
    if (world.signal.aborted) return interrupted(stateOf(books.tally));
    if (error instanceof BlogctlError) return error;
    throw error;
  }
}

async function withKeys(run: Run): Promise<BlogctlError | undefined> {
  const { client } = run.world;
  const { onChanged } = run.request;
  const deliver = createKeyedDelivery({ client, patience: run.patience, onChanged });
  const settle = async () => ({ created: 0, missing: new Set<string>() });
  return sendRounds({ deliver, settle }, run);
}

async function withoutKeys(run: Run): Promise<BlogctlError | undefined> {
  const { request, world, books, patience } = run;
  const journal = request.journal === undefined ? undefined : await openJournal(request.journal);
  try {
    const means = { client: world.client, patience, journal };
    const way = await createUnkeyedDelivery(means, world.signal);
    const failure = await sendRounds(way, run);
    const { rejected, inDoubt, unsent } = books.tally.summary();
    if (rejected + inDoubt + unsent === 0) await journal?.remove();
    return failure;
  } finally {
    await journal?.close();
  }
}

function patienceFor({ maxWaitMs }: ImportRequest, { clock }: ImportWorld): Patience {
  const maxSilenceMs = Math.min(maxWaitMs, longestSilenceMs);
  return createPatience(clock, { maxWaitMs, maxSilenceMs, attempts: attemptsAtOne });
}

/** All records first, then those in doubt that turned out not to be on the blog. */
async function sendRounds(way: Way, run: Run): Promise<BlogctlError | undefined> {
  let only: ReadonlySet<string> | undefined;
  for (let round = 0; round < mostRounds; round += 1) {
    const ended = await sendRound(way.deliver, run, only);
    if (ended !== undefined) return ended;
    const { created, missing } = await way.settle(run.world.signal);
    run.books.tally.settleDoubt(created, missing.size);
    if (missing.size === 0) return undefined;
    only = missing;
  }
  return undefined;
}

async function sendRound(
  deliver: Delivery,
  { request, world, books }: Run,
  only: ReadonlySet<string> | undefined,
): Promise<BlogctlError | undefined> {
  let ended: BlogctlError | undefined;
  const settled = async (record: KeyedRecord, outcome: Outcome): Promise<boolean> => {
    books.tally.count(outcome);
    world.listener.settled(books.tally.settled, books.tally.refused);
    if (outcome.kind === 'inDoubt') ended ??= outcome.failure;
    if (outcome.kind === 'rejected') await books.reject(rejectOfRecord(record, outcome));
    return ended === undefined && goesOn(outcome, request, books);
  };
  const entries = chosen(keyedEntries(request.sources, request.importId), only);
  const sending = { deliver, settled, concurrency: request.concurrency, ready: books.plan.ready };
  await sendAll(entries, sending, world.signal);
  if (world.signal.aborted) return interrupted(stateOf(books.tally));
  return ended;
}

/** A changed record harms no other: all of them are looked at before the import fails. */
function goesOn(outcome: Outcome, { tolerance }: ImportRequest, { plan, tally }: Books): boolean {
  if (outcome.kind !== 'rejected' || outcome.class === 'changed') return true;
  return tolerates(tolerance, plan.rejected + tally.refused, plan.records);
}

async function* chosen(
  entries: AsyncGenerator<KeyedEntry, void, void>,
  only: ReadonlySet<string> | undefined,
): AsyncGenerator<KeyedEntry, void, void> {
  for await (const entry of entries) {
    if (entry.kind === 'record' && (only === undefined || only.has(entry.key))) yield entry;
  }
}

function stateOf(tally: Tally): string {
  const { records, unsent } = tally.summary();
  return `${records - unsent} of ${records} records are done.`;
}
