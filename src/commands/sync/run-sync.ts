import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { systemClock } from '../../importing/sending/clock.ts';
import { createFindOwn } from '../../importing/sending/own-articles.ts';
import { createPatience } from '../../importing/sending/patience.ts';
import { runId } from '../../importing/runs/runs.ts';
import { readFolder, type Folder } from '../../syncing/folder.ts';
import { requireFamiliar, requireFewDeletes, requireReadable } from '../../syncing/guards.ts';
import { openReadings } from '../../syncing/kept-readings.ts';
import { makePlan, type Plan, type PlanRequest, type PlanWorld } from '../../syncing/plan.ts';
import { openState, type Owner, type StateFile } from '../../syncing/state-file.ts';
import { patienceOf } from '../patience-limits.ts';
import { toleranceOf } from '../source-flags.ts';
import type { PlanFlags, SyncFlags } from './plan.ts';
import { documentOf, showPlan } from './show-sync.ts';
import { targetName } from '../../settings/target.ts';

/** What only some commands choose. */
export type Choices = Pick<PlanRequest, 'overwrite' | 'recreate' | 'adopted'>;

export type Prepared = {
  readonly folder: Folder;
  readonly owner: Owner;
  readonly state: StateFile;
  readonly statePath: string;
  readonly world: PlanWorld;
  readonly plan: Plan;
};

export const nothingChosen: Choices = { overwrite: false, recreate: false, adopted: new Map() };

export async function planCommand(
  named: string,
  flags: PlanFlags,
  context: Context,
): Promise<void> {
  const prepared = await prepare(named, { flags, choices: nothingChosen, context });
  const { plan } = prepared;
  await showPlan(documentOf(prepared, flags), plan.steps, context);
  try {
    requireFewDeletes(plan, undefined);
  } catch (error) {
    if (error instanceof BlogctlError)
      await context.terminal.warn(`Apply refuses it: ${error.message} ${error.hint}`);
  }
  const isQuiet = plan.steps.every(({ action: { action } }) => quiet.has(action));
  if (flags.exitCode !== true || isQuiet) return;
  throw new BlogctlError('differences', 'The folder and the blog differ.', {
    hint: 'blogctl sync apply brings the folder to the blog',
  });
}

const quiet: ReadonlySet<string> = new Set(['unchanged', 'unmanaged']);

export type Given = {
  readonly flags: SyncFlags;
  readonly choices: Choices;
  readonly context: Context;
  readonly missing?: 'make' | 'empty';
  /** Done when the state's place is known and before it is read. */
  readonly before?: (statePath: string, owner: Owner) => Promise<void>;
};

/** Reads both sides and compares them. */
export async function prepare(named: string, given: Given): Promise<Prepared> {
  const { flags, choices, context, missing = 'empty' } = given;
  const { terminal, signal } = context;
  const reading = readingOf(flags);
  const { value: target } = await context.chosen();
  const owner = {
    blog: targetName(target),
    importId: flags.importId ?? '',
  };
  const places = await placesOf(owner, flags, context);
  const readAs = [flags.drafts, flags.titleFrom, flags.encoding, flags.exact];
  const kept = openReadings(places.readings, [resolve(context.folder, named), ...readAs]);
  const folder = await readFolder(named, reading, { cwd: context.folder, signal }, kept.posts);
  await tellOf(folder, context);
  requireReadable(folder, {
    allowEmpty: flags.allowEmpty === true,
    tolerance: toleranceOf(flags),
  });
  const { state: statePath } = places;
  await given.before?.(statePath, owner);
  const state = openState(statePath, owner);
  const client = await context.client({ finishRequests: true, retries: 0, missing });
  const { maxFirstSilenceMs, ...limits } = patienceOf(await context.settings());
  const patience = (maxSilenceMs: number) =>
    createPatience(systemClock, {
      ...limits,
      maxSilenceMs,
      perSecond: flags.rate,
      attempts: attemptsAtOne,
      waits: (pauseMs, because) =>
        void terminal.notice(`${because.message} Trying again in ${Math.ceil(pauseMs / 1000)} s.`),
    });
  const findOwn = createFindOwn(client, target.kind === 'file' ? target : undefined);
  await patience(maxFirstSilenceMs)(() => client.blog(), signal);
  const world: PlanWorld = {
    client,
    findOwn,
    patience: patience(limits.maxSilenceMs),
    signal,
    warned: (text) => void terminal.warn(text),
  };
  const { history, exact = false, prune = false, concurrency = 4 } = flags;
  const known = { state: state.lines, hasState: state.isKnown };
  const { pages } = kept;
  const request = { folder, ...known, reading, exact, history, prune, concurrency, pages };
  const plan = await makePlan({ ...request, ...choices }, world);
  if (missing === 'make' || existsSync(dirname(places.readings)))
    kept.save({ posts: folder.kept, pages: plan.pages });
  requireFamiliar(folder, plan, choices.adopted.get('') === 'none');
  return { folder, owner, state, statePath, world, plan };
}

const attemptsAtOne = 5;

function readingOf({ drafts = false, titleFrom, encoding, importId, exact = false }: SyncFlags) {
  const map = { title: 'title', content: 'content' };
  return { drafts, titleFrom, encoding, importId, exact, map, now: Date.now() };
}

async function tellOf({ rejected, notices }: Folder, { terminal }: Context): Promise<void> {
  for (const { path, notice } of notices.slice(0, mostTold)) {
    await terminal.warn(`${path}: ${notice.message}`);
  }
  if (rejected.length < 2) return;
  for (const { path, message } of rejected.slice(0, mostTold)) {
    await terminal.warn(`${path}: ${message}`);
  }
}

const mostTold = 20;

/** The same folder of posts and blog find the same state, from wherever they are named. */
async function placesOf(
  { blog, importId }: Owner,
  { state }: SyncFlags,
  context: Context,
): Promise<{ readonly state: string; readonly readings: string }> {
  const { dataFolder } = await import('../../settings/places.ts');
  const folder = resolve(context.folder, dataFolder(context), 'sync');
  const id = runId(blog, [importId]);
  const usual = join(folder, `${id}.ndjson`);
  return {
    state: state === undefined ? usual : resolve(context.folder, state),
    readings: join(folder, `${id}.readings`),
  };
}
