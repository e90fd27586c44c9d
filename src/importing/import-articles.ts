import { existsSync } from 'node:fs';

import type { BlogClient } from '../client/blog-client.ts';
import { readWhole } from '../client/pages.ts';
import { BlogctlError } from '../errors.ts';
import {
  earlierAnswers,
  folderOf,
  incomplete,
  interrupted,
  reasonToRefuse,
  type ImportDependencies,
  type ImportListener,
  type ImportReport,
  type ImportRequest,
  type JournalPlace,
  withBroughtBack,
} from './import-request.ts';
import { idOf, readHead, type Run } from './runs/journal-lines.ts';
import {
  createDoubles,
  doublesSentence,
  fitsBlog,
  newestId,
  type Doubles,
  type Fit,
} from './runs/memory.ts';
import { importedArticles } from './runs/runs.ts';
import type { ImportPlan, ImportSummary, Tally } from './plan.ts';
import { createTally, planImport } from './plan.ts';
import { createLineFile, createResults, createWithheld, type Reject } from './results.ts';
import { sendRecords, type RunState } from './send-records.ts';
import { withoutWriting } from './sending/delivery.ts';
import { openJournal, type Journal } from './sending/journal.ts';
import { noArticle, readListing, type Listing } from './sending/own-articles.ts';
import { createdByOthers } from './sending/undo.ts';
import { createRetryPolicy, type RetryPolicy } from './sending/retry-policy.ts';
import { textDigest } from './sources/identity.ts';
import { createKeyedEntries, type KeyedEntries, type KeyedSkip } from './sources/keyed-entries.ts';

/**
 * Imports articles in two passes: the first reads every record and writes nothing, the second sends
 * them. Whatever ends it, the report's summary accounts for every record.
 */
export async function importArticles(
  request: ImportRequest,
  dependencies: ImportDependencies,
): Promise<ImportReport> {
  const { listener } = dependencies;
  const rejects = createLineFile<Reject>(request.rejects);
  const results = createResults(request.results, dependencies.addressOf);
  const withheld = createWithheld(() => earlierAnswers(request));
  const reject = async (found: Reject) => {
    const rejected = { ...found, message: dependencies.worded(found.message) };
    listener.rejected(rejected);
    await rejects.add(rejected);
  };
  try {
    const entries = createKeyedEntries(request.sources, request.importId);
    const anywhere = () => importedArticles(folderOf(request));
    const doubles = await createDoubles(earlierAnswers(request), anywhere);
    const found = { reject, results, withheld, doubles };
    const plan = await readAll(entries, dependencies, found);
    listener.planned(plan);
    const tally = createTally(plan);
    const state: RunState = { entries, plan, tally, ...found };
    const failure =
      reasonToRefuse(plan, request) ??
      (await send(request, { ...dependencies, client: await dependencies.connect() }, state)) ??
      incomplete(tally.summary(), { ...request, ...state, cure: tally.cure });
    const summary = tally.summary();
    return {
      summary,
      ...(!request.dryRun && isUnfinished(summary) && { interrupted: state.run }),
      ...(failure && { failure }),
      ...(rejects.count > 0 && request.rejects !== undefined && { rejects: request.rejects }),
    };
  } finally {
    for (const { place, reason } of withheld.left())
      await results?.add(place, { outcome: 'skipped', reason });
    await rejects.close();
    await results?.close();
  }
}

/** Something was sent, and something is left that could be. */
function isUnfinished({ created, replayed, inDoubt, unsent }: ImportSummary): boolean {
  return inDoubt + unsent > 0 && created + replayed + inDoubt > 0;
}

async function readAll(
  entries: KeyedEntries,
  { listener, signal }: ImportDependencies,
  { reject, results, withheld, doubles }: Omit<RunState, 'entries' | 'plan' | 'tally'>,
): Promise<ImportPlan> {
  try {
    const rejected = async (each: Reject) => {
      await reject(each);
      await results?.add(each, { outcome: 'rejected', reason: each.class });
    };
    const skipped = async (entry: KeyedSkip) => {
      const { place, reason } = entry;
      if (!(await withheld.holds(entry))) await results?.add(place, { outcome: 'skipped', reason });
    };
    return await planImport(
      entries.read(),
      { ...listener, rejected, skipped, ready: doubles.see },
      signal,
    );
  } catch (error) {
    if (signal.aborted && error === signal.reason)
      throw interrupted(signal, { records: 0, unsent: 0 });
    throw error;
  }
}

const otherBlog =
  'What an earlier run of this import left does not fit this blog: every record is asked for again.';

/** Sends what was planned; answers what ended it before its time. */
async function send(
  request: ImportRequest,
  dependencies: ImportDependencies & { readonly client: BlogClient },
  state: RunState,
): Promise<BlogctlError | undefined> {
  const { client, listener, signal } = dependencies;
  let letGo: (() => void) | undefined;
  try {
    const retry = retryPolicyFor(request, dependencies, request.maxSilenceMs);
    const first = retryPolicyFor(request, dependencies, request.maxFirstSilenceMs);
    const { findsByKey, honoursIdempotencyKey } = await first(() => client.blog(), signal);
    const { dryRun, onChanged, recreate } = request;
    // Two at once would not see what the other sends.
    const path = honoursIdempotencyKey || dryRun ? undefined : request.journal?.path;
    if (path !== undefined) letGo = await dependencies.alone(path);
    const fits = (journal: Journal) =>
      retry(() => fitsBlog(journal, client, honoursIdempotencyKey), signal);
    const usesKeys = honoursIdempotencyKey && (findsByKey || !dryRun);
    let listed: Listing | undefined;
    const list = () =>
      readWhole(() => retry(() => readListing(client, Infinity, () => false), signal));
    const newestThere = async () => {
      if (findsByKey) return retry(() => newestId(client), signal);
      listed = await list().catch(usesKeys ? () => undefined : undefined);
      return listed?.newest;
    };
    const begin = async (place: JournalPlace) => {
      const newest = await newestThere();
      return { ...place.run, ...(newest !== undefined && { newest }) };
    };
    const journal = await startJournal(request, listener, { fits, begin });
    const { newest, since = newest } = journal?.run ?? {};
    state.run = journal?.run;
    const look: Parameters<Doubles['find']>[0] = async ({ key }, { url, stored }) => {
      const known = findsByKey && (await retry(() => client.articleByKey(key), signal));
      if (known && known.kind !== 'never-seen') return undefined;
      const reference = Number.isNaN(idOf(url)) ? { url } : { id: idOf(url) };
      const found = await retry(() => client.article(reference), signal).catch(noArticle);
      return found && textDigest(found.article).startsWith(stored) ? found.article.url : undefined;
    };
    const double = usesKeys ? await state.doubles.find(look) : undefined;
    const run = dryRun ? undefined : state.run;
    if (double !== undefined) listener.warned(doublesSentence(double, run?.id));
    const options = {
      client: withBroughtBack(dryRun ? withoutWriting(client) : client, request),
      retry,
      onChanged,
      recreate,
      findsByKey,
      wantsIds: request.results !== undefined,
    };
    try {
      return await sendRecords({
        request,
        dependencies,
        state,
        options,
        usesKeys,
        since: journal === undefined && !dryRun ? await newestThere() : since,
        journal,
        listed,
      });
    } finally {
      endJournal(journal, state.tally, listener);
    }
  } catch (error) {
    if (signal.aborted) return interrupted(signal, state.tally.summary());
    if (error instanceof BlogctlError) return error;
    throw error;
  } finally {
    letGo?.();
  }
}

type Journalling = {
  readonly fits: (journal: Journal) => Promise<Fit>;
  readonly begin: (place: JournalPlace) => Promise<Run>;
};

/** The journal, fit for this blog. Without one an import goes on: the blog itself is asked then. */
async function startJournal(
  request: ImportRequest,
  listener: ImportListener,
  { fits, begin }: Journalling,
): Promise<Journal | undefined> {
  const { journal: place, dryRun } = request;
  if (place === undefined) return undefined;
  const { path, resume, keeps } = place;
  if (dryRun && !existsSync(path)) return undefined;
  try {
    const run = existsSync(path) ? await readHead(path) : undefined;
    const folder = folderOf(request);
    const isOfOthers = run && folder ? await createdByOthers(folder, run) : undefined;
    const use = { readOnly: dryRun, keeps, ...(isOfOthers && { isOfOthers }) };
    const journal = await openJournal(path, () => begin(place), use);
    const isNew = journal.answers + journal.unanswered.size === 0;
    const fit = isNew ? 'whole' : await fits(journal);
    if (isNew || (resume && fit === 'whole')) return journal;
    if (resume) listener.warned(otherBlog);
    await journal.restart(fit !== 'other');
    return journal;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    listener.warned(`No journal is kept: ${error.message}`);
    return undefined;
  }
}

/** It is kept while there is something to resume. */
function endJournal(journal: Journal | undefined, tally: Tally, listener: ImportListener): void {
  const { reasons: _reasons, notices: _notices, ...counts } = tally.summary();
  if (counts.inDoubt + counts.unsent === 0) journal?.end(counts);
  else journal?.close();
  if (journal?.failure !== undefined) listener.warned(journal.failure.message);
}

function retryPolicyFor(
  { maxWaitMs, maxAttempts, perSecond }: ImportRequest,
  { clock, listener }: ImportDependencies,
  maxSilenceMs: number,
): RetryPolicy {
  return createRetryPolicy(clock, {
    maxWaitMs,
    maxSilenceMs,
    perSecond,
    attempts: 5,
    maxAttempts,
    waits: (notice) => listener.waits(notice),
  });
}
