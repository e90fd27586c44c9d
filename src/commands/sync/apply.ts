import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { openRunJournal } from '../../importing/runs/runs.ts';
import { applySteps, type ApplyReport } from '../../syncing/apply.ts';
import { countActions, doesOf, type Action, type Step } from '../../syncing/decide.ts';
import { hasCondition } from '../../client/articles.ts';
import { requireSameBlog } from '../../syncing/listing.ts';
import { linesOfPlan, sentenceOf } from '../../syncing/report.ts';
import { lockState } from '../../syncing/state-file.ts';
import {
  readPlan,
  reviewedSteps,
  type KeptPlan,
  type Lines,
  type PlanReport,
} from '../../syncing/plan-document.ts';
import { createProgress } from '../../terminal/progress.ts';
import { pathsBelow, postPaths, stepsAt } from '../arguments.ts';
import { addChoices, addSyncFlags, linesLike, requireSameMeaning, tooManyDeletes } from './plan.ts';
import { prepare, type Prepared, type SyncFlags } from './prepare.ts';
import {
  appliedFields,
  failureOf,
  showSummary,
  unreadable,
  warnOfUnsure,
  missingPosts,
  warnOf,
} from './show-sync.ts';
import { runsFolder, targetName } from '../../settings/target.ts';

type Called = { readonly isGiven: (name: string) => boolean; readonly context: Context };

export function define(command: Command, context: Context, run = apply): void {
  command
    .argument('<folder|plan.json>', 'folder of Markdown, or a plan that was kept')
    .argument(
      '[path...]',
      'only these posts, or those of folders, as the plan shows them',
      postPaths,
    );
  addSyncFlags(addChoices(command))
    .addHelpText(
      'after',
      `
Shows what it will do and asks; -y answers yes, and is needed where nobody can be asked. Nothing that
was changed on the blog is written over, unless --on-drift overwrite says so. Run it again after any
interruption.

Examples:
  blogctl sync apply posts
  blogctl sync apply posts --prune -y
  blogctl sync apply posts 2024/letter.md --on-drift overwrite
  blogctl sync apply plan.json`,
    )
    .action((named: string, paths: readonly string[], flags: SyncFlags) => {
      const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
      return run(named, { flags, paths }, { isGiven, context });
    });
}

/** Brings a folder, or what a plan says of it, to its blog; the summary goes to stdout. */
async function apply(
  named: string,
  { flags, paths }: Pick<Job, 'flags' | 'paths'>,
  { isGiven, context }: Called,
): Promise<void> {
  context.terminal.requireFields(appliedFields);
  const path = resolve(context.folder, named);
  const found = statSync(path, { throwIfNoEntry: false });
  const isPlan = found?.isFile() ?? /\.json$/i.test(named);
  const kept = isPlan ? readPlan(path) : undefined;
  if (found !== undefined) requireSomebody(context);
  if (kept === undefined) return applyFolder(named, { flags, paths, context });
  requireSameMeaning(isGiven);
  requireSameBlog(kept, targetName((await context.chosen()).value));
  const { importId, folder, prune, options } = kept;
  if (!existsSync(resolve(context.folder, folder))) {
    throw new BlogctlError('unusable-input', `The plan is of "${folder}", which is not here.`, {
      hint: 'Run it in the folder in which the plan was made.',
    });
  }
  const { maxDeletes = options.maxDeletes, state = options.state } = flags;
  const chosen = { prune, maxDeletes, adopt: new Map(options.adopt), state };
  const asPlanned = { ...flags, ...options, ...chosen, ...(importId && { importId }) };
  return applyFolder(folder, { flags: asPlanned, paths, kept, context });
}

type Job = {
  readonly flags: SyncFlags;
  /** All posts where none is named. */
  readonly paths: readonly string[];
  readonly kept?: KeptPlan;
  readonly context: Context;
};

type WithLines = { readonly lines: Lines };

async function applyFolder(named: string, job: Job): Promise<void> {
  const { flags, kept, context } = job;
  const { terminal } = context;
  const paths = pathsBelow(resolve(context.folder, named), job.paths);
  let unlock: (() => void) | undefined;
  const before = async (statePath: string) => void (unlock = await lockState(statePath));
  try {
    const prepared = await prepare(named, { flags, context, paths, missing: 'make', before });
    const { rejected, plan } = prepared;
    const reviewed = kept && reviewedSteps(kept, plan.steps);
    const steps = stepsAt(reviewed?.steps ?? plan.steps, paths, 'no post of this plan');
    const lines = await linesLike(named, { flags, paths, context });
    const refusal = tooManyDeletes({ ...plan, steps }, flags.maxDeletes, lines);
    if (refusal !== undefined) throw refusal;
    const isAsked = context.flags.yes !== true;
    const approved = isAsked || kept !== undefined ? steps.map(verified) : steps;
    const { skipped } = prepared;
    const rest = { skipped, rejected, notOfPlan: reviewed?.notOfPlan };
    await tellPlan(isAsked ? steps : approved, rest, { lines, context });
    if (isAsked) await ask(steps, context);
    const report = await carryOut(approved, prepared, { ...job, paths, lines });
    await showSummary(report, lines, context);
    if (!isAsked) await warnOfUnsure(report, lines, terminal);
    const missing = missingPosts(approved, lines);
    if (missing !== undefined) await context.terminal.warn(missing);
    const failure = failureOf(report, { steps: approved, lines }, context);
    if (failure !== undefined) throw failure;
    if (rejected.length > 0) throw unreadable(rejected.length);
    if (prepared.state.failure !== undefined) await terminal.warn(prepared.state.failure);
  } finally {
    unlock?.();
  }
}

/** Found out before anything is asked or locked. */
function requireSomebody({ terminal, flags }: Context): void {
  if (terminal.mayAsk || flags.yes === true) return;
  throw new BlogctlError('usage', 'Nobody can be asked here whether to apply.', {
    hint: 'Give -y to apply without a question; sync plan shows what that would do.',
  });
}

async function tellPlan(
  steps: readonly Step[],
  rest: Omit<PlanReport, 'summary' | 'actions'>,
  { lines: ways, context: { terminal } }: Pick<Job & WithLines, 'lines' | 'context'>,
): Promise<void> {
  const actions = steps.map(({ action }) => action);
  // What is written is named when it is; a renamed file needs no request.
  const told = terminal.mayAsk ? actions : actions.filter(({ action }) => action === 'rename');
  const columns = terminal.mayAsk ? terminal.columns() : undefined;
  for (const line of linesOfPlan(told, ways, columns)) await terminal.notice(line);
  if (!terminal.mayAsk) await warnOf(actions, ways, terminal);
  await terminal.notice(sentenceOf({ ...rest, summary: countActions(actions), actions }));
  const isOpen = steps.some(
    ({ action, target }) =>
      doesOf(action) === 'write' && target !== undefined && !hasCondition(target.validators),
  );
  if (isOpen) {
    await terminal.warn(
      'The service names no versions: each text is read again just before it is written over.',
    );
  }
}

const manyDeletes = 20;

/** Whoever is asked is told of what may have been edited on the blog. */
async function ask(steps: readonly Step[], context: Context): Promise<void> {
  const due = steps.map(verified).filter(({ action }) => doesOf(action) === 'write');
  if (due.length === 0) return;
  const deletes = due.filter(({ action }) => action.action === 'delete').length;
  const unknown = due.filter(({ isUnsure }) => isUnsure).length;
  const unsure = `write over ${unknown === 1 ? '1 article' : `${unknown} articles`} that may have been edited on the blog`;
  const parts = [
    `Apply to ${await context.announceBlog()}`,
    ...(deletes > manyDeletes ? [`delete ${deletes} articles`] : []),
    ...(unknown > 0 ? [unsure] : []),
  ];
  const isSure = await context.terminal.confirm(
    `${parts.join(', and ')}?`,
    deletes > manyDeletes ? String(deletes) : undefined,
  );
  if (isSure) return;
  throw new BlogctlError('cancelled', 'Cancelled: nothing was written.', {
    hint: 'Posts whose paths are named behind the folder are applied alone.',
  });
}

/** With somebody's word, or a plan that was looked at, what nobody knows to be ours is written over too. */
function verified(step: Step): Step {
  if (step.action.action !== 'unverified' || step.target === undefined) return step;
  return { ...step, action: { ...step.action, action: 'update' }, isUnsure: true };
}

type Carried = ApplyReport & {
  /** What was written over though nobody knew whose text it was. */
  readonly unsure: readonly Action[];
  /** What `runs undo` takes; undefined where nothing is kept. */
  readonly run: string | undefined;
};

async function carryOut(
  steps: readonly Step[],
  prepared: Prepared,
  { flags, paths, lines: ways, context }: Job & WithLines,
): Promise<Carried> {
  const { terminal } = context;
  const { world, state, plan } = prepared;
  const newest = plan.steps.reduce((most, { action: { id = 0 } }) => Math.max(most, id), 0);
  const record = await recordOf({ ...prepared, flags, newest }, context);
  const total = steps.filter(({ action }) => doesOf(action) === 'write').length;
  const unsure: Action[] = [];
  const progress = total === 0 ? undefined : createProgress(terminal, { label: 'Applying', total });
  try {
    for (const name of plan.forgotten) state.forget(name);
    const report = await applySteps(steps, {
      ...world,
      concurrency: flags.concurrency ?? 4,
      state,
      ...(paths.length > 0 && { known: plan.steps }),
      record,
      newest,
      settled: (done) => progress?.update(done),
      // Who was asked has seen the plan.
      written: ({ action, isUnsure }, id = action.id) => {
        if (isUnsure) unsure.push(action);
        const lines = terminal.mayAsk ? [] : linesOfPlan([{ ...action, id }], ways);
        for (const line of lines) void terminal.notice(line);
      },
      refused: ({ action: { path = '', id } }, message) =>
        void terminal.warn(`${path}${id === undefined ? '' : ` (article ${id})`}: ${message}`),
    });
    await record.end({ ...report.summary });
    return { ...report, unsure, run: record.id };
  } finally {
    progress?.finish();
    state.save();
  }
}

type Recorded = Prepared & Pick<Job, 'flags'> & { readonly newest: number };

async function recordOf({ folder, owner, newest, flags }: Recorded, context: Context) {
  const { titleFrom, drafts, encoding } = flags;
  const about = { command: 'sync apply', blog: owner.blog, sources: [folder.named], newest };
  const run = { ...about, options: { titleFrom, drafts, encoding }, folder: context.folder };
  return openRunJournal(runsFolder(context), run);
}
