import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import type { Context } from '../context.ts';
import { chosenStore, requireWritable } from '../open-file.ts';
import type { Tolerance } from '../../importing/import-request.ts';
import { atOnce, systemClock } from '../../importing/sending/pace.ts';
import { createFindOwn } from '../../importing/sending/own-articles.ts';
import { createRetryPolicy } from '../../importing/sending/retry-policy.ts';
import { findPosts, readFolder, type Folder, type FoundFolder } from '../../syncing/folder.ts';
import type { SyncPlan } from '../../syncing/decide.ts';
import {
  broughtFrom,
  countSkipped,
  importedTexts,
  openReadings,
  planAtRest,
  restOf,
  stampOfState,
} from '../../syncing/kept-readings.ts';
import { boundPlace, homeIn, statePlace, type StatePlace } from '../../syncing/git.ts';
import { readListing } from '../../syncing/listing.ts';
import type { PlanDocument } from '../../syncing/plan-document.ts';
import type { PlanWorld } from '../../syncing/evidence.ts';
import { isState, openState, type Owner, type StateFile } from '../../syncing/state-file.ts';
import { retryLimitsOf, toleranceOf, type SourceFlags } from '../source-flags.ts';
import { inShell } from '../../terminal/text.ts';
import { dataFolder, runsFolder, type Target, targetName } from '../../settings/target.ts';

export type Adopted = ReadonlyMap<string, number | 'none'>;

export type SyncFlags = SourceFlags & {
  readonly state?: string | undefined;
  /** False with --no-history. */
  readonly history: boolean;
  readonly exact?: boolean | undefined;
  /** What plan and apply decide alike. */
  readonly prune?: boolean;
  readonly onDrift?: 'keep' | 'overwrite' | undefined;
  readonly recreate?: boolean | undefined;
  /** By path; under '' what holds for all others. */
  readonly adopt?: Adopted;
  readonly maxDeletes?: Tolerance | undefined;
};

export type Prepared = {
  readonly folder: FoundFolder;
  readonly rejected: Folder['rejected'];
  readonly skipped: PlanDocument['skipped'];
  readonly owner: Owner;
  readonly state: StateFile;
  readonly world: PlanWorld;
  readonly plan: SyncPlan;
  /** What was warned of while it was made. */
  readonly warnings: readonly string[];
};

export type SyncRequest = {
  readonly flags: SyncFlags;
  readonly paths?: readonly string[];
  readonly context: Context;
  readonly missing?: 'make' | 'empty';
  /** Done when the state's place is known and before it is read. */
  readonly before?: (statePath: string) => Promise<void>;
};

/**
 * Reads both sides and compares them. Where nothing was written on either since all was unchanged, it
 * still is, and no file is read.
 */
export async function prepare(named: string, given: SyncRequest): Promise<Prepared> {
  const { flags, context, missing = 'empty', paths = [] } = given;
  const reading = readingOf(flags);
  const { value: target } = await context.chosen();
  const owner = { blog: targetName(target), importId: flags.importId ?? '' };
  const files = findPosts(named, context.folder, reading.now);
  const readAs = [flags.drafts, flags.titleFrom, flags.encoding, flags.exact];
  const usual = await usualPlace(owner, context);
  const readings = usual.replace(/ndjson$/, 'readings');
  const kept = openReadings(readings, [files.path, files.beside, ...readAs]);
  const { rest } = kept.before;
  const isAsKept = rest !== undefined && rest.files === files.digest;
  const isSettled = isAsKept && rest.state === stampOfState(usual, reading.now);
  const places = await placesOf({ usual, files, isSettled }, given);
  await given.before?.(places.state);

  const readFiles = async (signal: AbortSignal) => {
    const folder = await readFolder(files, reading, signal, kept.before.posts);
    const tolerance = toleranceOf(flags);
    await tellOf(folder, tolerance, context);
    const { requireReadable } = await import('../../syncing/plan.ts');
    requireReadable(folder, { allowEmpty: flags.allowEmpty === true, tolerance });
    return folder;
  };
  const { adopt: adopted = new Map<string, number>() } = flags;
  const warnings: string[] = [];
  const readBlog = async (signal: AbortSignal) => {
    const state = openState(places.state, owner, places);
    const stamp = stampOfState(places.state, reading.now);
    const mayRest = isAsKept && rest.state === stamp && adopted.size === 0;
    // A state that is not of this blog is refused before the blog is asked.
    if (!mayRest) void state.lines;
    const world = await worldOf(target, { ...given, warnings, owner, places }, signal);
    const listing = await readListing({ ...world, exact: reading.exact }, kept.before.pages);
    return { state, stamp, world, listing, isAtRest: mayRest && listing.isAsKnown };
  };
  // The service makes its pages while files are read.
  const [read, blog] = await atOnce(context.signal, [
    async (signal) => (isAsKept ? undefined : readFiles(signal)),
    readBlog,
  ]);
  const { state, stamp, world, listing } = blog;
  const made = { folder: files, rejected: [], owner, state, world, warnings };
  if (rest !== undefined && blog.isAtRest)
    return { ...made, skipped: rest.skipped, plan: planAtRest(rest) };
  const folder = read ?? (await readFiles(world.signal));
  const { makePlan, requireFamiliar } = await import('../../syncing/plan.ts');
  const { history, exact = false, prune = false, recreate = false, concurrency = 4 } = flags;
  const known = { state: state.lines, hasState: state.isKnown, articles: listing.articles() };
  const overwrite = flags.onDrift === 'overwrite';
  const choices = { prune, recreate, adopted, overwrite, named: paths };
  const request = { folder, ...known, reading, exact, history, concurrency, ...choices };
  const plan = await makePlan(request, world);
  if (missing === 'make' || existsSync(dirname(readings))) {
    const now = { posts: folder.kept, pages: listing.pages };
    kept.save({ ...now, rest: restOf(folder, plan, stamp) });
  }
  // Without a state keys and git say what is of this import; where they know nothing, all may be.
  const mayBeOurs = owner.importId !== '' && !known.hasState;
  requireFamiliar(folder, plan, {
    others: mayBeOurs ? known.articles.size : 0,
    isSaidToBeNew: adopted.get('') === 'none',
  });
  return {
    ...made,
    folder,
    rejected: folder.rejected,
    skipped: countSkipped(folder.skipped),
    plan,
  };
}

type Found = { readonly warnings: string[]; readonly owner: Owner; readonly places: StatePlace };

async function worldOf(
  target: Target,
  { context, flags, missing, warnings, owner, places }: SyncRequest & Found,
  signal: AbortSignal,
): Promise<PlanWorld> {
  const { terminal } = context;
  const client = await context.client({
    finishRequests: true,
    retries: 0,
    missing: missing ?? 'empty',
  });
  const { maxFirstSilenceMs, ...limits } = retryLimitsOf(await context.settings());
  const retry = (maxSilenceMs: number) =>
    createRetryPolicy(systemClock, {
      ...limits,
      maxSilenceMs,
      perSecond: flags.rate,
      attempts: attemptsAtOne,
      waits: (notice) => void terminal.notice(notice),
    });
  await retry(maxFirstSilenceMs)(() => client.blog(), signal);
  const runs = runsFolder(context);
  let brought: ReturnType<typeof broughtFrom> | undefined;
  return {
    client,
    imported: (urls) => importedTexts({ runs, owner, urls }, places),
    brought: () => (brought ??= broughtFrom({ runs, owner }, places)),
    findOwn: createFindOwn(client, target.kind === 'file' ? target : undefined),
    retry: retry(limits.maxSilenceMs),
    signal,
    warned: (text) => {
      warnings.push(text);
      void terminal.warn(text);
    },
  };
}

const attemptsAtOne = 5;

function readingOf({ drafts = false, titleFrom, encoding, importId, exact = false }: SyncFlags) {
  const map = { title: 'title', content: 'content' };
  const unmerged = true;
  return { drafts, titleFrom, encoding, importId, exact, map, unmerged, now: Date.now() } as const;
}

async function tellOf(
  { rejected, notices }: Folder,
  tolerance: Tolerance,
  { terminal }: Context,
): Promise<void> {
  for (const { path, notice } of notices.slice(0, mostTold)) {
    await terminal.warn(path === '' ? notice.message : `${path}: ${notice.message}`);
  }
  // Where it is the only one, the refusal names it.
  if (rejected.length === 1 && tolerance.kind === 'none') return;
  for (const { path, message } of rejected.slice(0, mostTold)) {
    await terminal.warn(`${path}: ${message}`);
  }
}

const mostTold = 20;

/** The same blog and import find the same state, from wherever their posts are named. */
async function usualPlace({ blog, importId }: Owner, context: Context): Promise<string> {
  const id = hash('sha256', JSON.stringify([blog, [importId]])).slice(0, 10);
  return resolve(context.folder, dataFolder(context), 'sync', `${id}.ndjson`);
}

type Usual = {
  readonly usual: string;
  readonly files: FoundFolder;
  /** Files and state are those of the last time: then it was found out whose it is. */
  readonly isSettled: boolean;
};

async function placesOf(
  { usual, files, isSettled }: Usual,
  { flags, context }: SyncRequest,
): Promise<StatePlace> {
  const root = files.fileOf('');
  if (flags.state === undefined) {
    if (isSettled) return { state: usual, root, home: homeIn(usual) };
    const place = await statePlace(usual, files);
    if (place.foreign !== undefined && !existsSync(place.state))
      await context.terminal.warn(whyLeftAlone(place.foreign, place));
    return place;
  }
  const store = await chosenStore(context);
  const only = 'state of sync';
  await requireWritable({ file: flags.state, store, isOurs: isState, only }, context);
  const state = resolve(context.folder, flags.state);
  // One that is named may be committed, and is of whoever names it; one of the data folder has an owner.
  return dirname(state) === dirname(usual) ? boundPlace(state, files) : { state, root };
}

/** What a person is told of a state that is not taken for that of this folder. */
function whyLeftAlone(state: string, { isUntold }: Pick<StatePlace, 'isUntold'>): string {
  if (isUntold)
    return 'Whether the state of an earlier sync with this blog is that of this repository cannot be told, because the checkout is shallow: it is left alone. git fetch --unshallow (in CI fetch-depth: 0) brings what tells it.';
  return `The state of an earlier sync with this blog, under the same --import-id or none, is that of another folder or repository, as far as the first commits tell: it is left alone. Where that has posts of its own, give each of several folders that feed one blog an --import-id of its own, from the first time on; where it has these very posts, as before a history was written anew, go on with its state once by --state ${inShell(state)}.`;
}
