import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Change } from '../importing/runs/journal-lines.ts';
import type { KnownRun } from '../importing/runs/runs.ts';
import { dataFolder, readTarget, targetName } from '../settings/target.ts';
import type { ImportOptions } from './articles/import.ts';
import { orSource } from './articles/named-articles.ts';
import { days } from './arguments.ts';
import { showsFields } from './lazy-command.ts';
import { reachAsThen } from './source-flags.ts';

export const verbs = {
  list: defineList,
  show: defineShow,
  resume: defineResume,
  prune: definePrune,
};

type ListRunsOptions = { readonly all?: boolean };

function defineList(command: Command, context: Context, run = showRuns): void {
  showsFields(command, ofRuns)
    .option('--all', 'every run of every blog')
    .addHelpText(
      'after',
      `
What imports, deletions, sync apply and undo have changed, and imports that were interrupted, the latest
first: on the blog that is chosen, where one is. Kept for 30 days, unless BLOGCTL_NO_RUNS is 1. One
article that is created or updated is no run, nor is what api sends.

Examples:
  blogctl runs list
  blogctl runs list --all --json`,
    )
    .action((options: ListRunsOptions) => run(options, context));
}

const rowsOfATable = 30;
const ofRuns = ['id', 'started', 'ended', 'command', 'sources', 'state', 'blog', 'counts'] as const;

async function showRuns({ all = false }: ListRunsOptions, context: Context): Promise<void> {
  const { leastOfId, listRuns } = await import('../importing/runs/runs.ts');
  const { terminal } = context;
  const known = await listRuns(dataFolder(context));
  // None is assumed, and no word said of one: runs are listed without a blog.
  const target = (await context.settings()).named()?.value;
  const chosen = target && targetName(target);
  const isEvery = all || chosen === undefined;
  const runs = isEvery ? known : known.filter(({ blog }) => blog === chosen);
  const shown = terminal.format === 'table' && !all ? runs.slice(0, rowsOfATable) : runs;
  if (runs.length === 0)
    await terminal.notice(`No runs are known${isEvery ? '' : ` of ${chosen}`}.`);
  await terminal.show({
    many: shown.map(rowOf),
    columns: ['id', 'started', 'command', 'state', 'blog', 'counts'],
    fields: ofRuns,
    row: ({ id, started, command, sources, state, blog, counts }) => ({
      id: id.slice(0, leastOfId),
      started: started.replace(/:\d\d(?:\.\d+)?Z$/, 'Z'),
      command: inBrief({ command, sources }),
      state,
      ...(isEvery && { blog }),
      counts: countsText(counts),
    }),
  });
  const [more, others] = [runs.length - shown.length, known.length - runs.length];
  const left = [
    ...(more > 0 ? [`${more} more`] : []),
    ...(others > 0 ? [`${others} of other blogs`] : []),
  ];
  if (left.length > 0) await terminal.notice(`Not shown: ${left.join(', ')}; see --all.`);
}

function rowOf({ id, command, sources, blog, started, ended, state, counts }: KnownRun) {
  return { id, command, sources, blog, started, ended, state, counts };
}

const mostOfSources = 24;

/** `articles import posts`: what tells it from the others. */
export function inBrief({ command, sources }: Pick<KnownRun, 'command' | 'sources'>): string {
  const names = sources.map((source) => basename(source)).join(' ');
  const shown = names.length > mostOfSources ? `${names.slice(0, mostOfSources - 1)}…` : names;
  return `${command} ${shown}`.trimEnd();
}

/** `created 12, skipped 1` */
function countsText(counts: KnownRun['counts']): string {
  const said = Object.entries(counts).filter(([name, count]) => name !== 'records' && count > 0);
  return said.map(([name, count]) => `${name} ${count}`).join(', ');
}

function defineShow(command: Command, context: Context, run = showRun): void {
  command
    .argument('<run>', 'id of a run, or its first six characters')
    .addHelpText(
      'after',
      `
Examples:
  blogctl runs show 5f2c1a
  blogctl runs show 5f2c1a --json`,
    )
    .action((id: string) => run(id, context));
}

export async function runNamed(id: string, verb: 'show' | 'resume' | 'undo', context: Context) {
  const { findRun } = await import('../importing/runs/runs.ts');
  const chosen = async () => targetName((await context.chosen()).value);
  return findRun(dataFolder(context), id, verb, chosen).catch(orSource(id, verb, context));
}

/** A run with all that it changed. */
async function showRun(id: string, context: Context): Promise<void> {
  const { readChanges } = await import('../importing/runs/journal-lines.ts');
  const { namingIn } = await import('./articles/article-view.ts');
  const run = await runNamed(id, 'show', context);
  const named = namingIn(readTarget(run.blog, context.folder), context);
  const lines = (await readChanges(run.journal)).map((change) => shownChange(change, named));
  await context.terminal.show({
    one: { ...run, lines },
    columns: ['id', 'command', 'state', 'started', 'ended', 'blog', 'sources', 'counts'],
    human: () => [summaryOf(run), ...lines.map(lineOf)].join('\n').concat('\n'),
  });
}

/** Of a file nobody else can open what the journal has. */
function shownChange(change: Change, named: (url: string) => string): Change {
  if ('created' in change) {
    const instead = change.instead && { instead: named(change.instead) };
    return { ...change, created: named(change.created), ...instead };
  }
  return 'updated' in change
    ? { ...change, updated: named(change.updated) }
    : { ...change, deleted: named(change.deleted) };
}

function summaryOf({ id, command, blog, started, state, counts }: KnownRun): string {
  return `${id}  ${started}  ${command}  ${state}  ${blog}  ${countsText(counts)}`;
}

function lineOf(change: Change): string {
  if ('created' in change)
    return `created  ${change.created}${change.instead === undefined ? '' : `  once ${change.instead}`}`;
  const { title } = change.before;
  return 'updated' in change
    ? `updated  ${change.updated}  was "${title}"`
    : `deleted  ${change.deleted}  was "${title}"`;
}

function defineResume(command: Command, context: Context, run = resumeRun): void {
  command
    .argument('<run>', 'id of an interrupted import, or its first six characters')
    .addHelpText(
      'after',
      `
Runs the import again as it was started: same sources, same blog, same options. What is on the blog
already is neither sent nor created again. What was read from stdin is sent there once more.

Examples:
  blogctl runs resume 5f2c1a
  blogctl runs resume 5f2c1a < posts.ndjson`,
    )
    .action((id: string) => run(id, command, context));
}

async function resumeRun(id: string, command: Command, context: Context): Promise<void> {
  const { runImport } = await import('./articles/import.ts');
  const run = await runNamed(id, 'resume', context);
  if (run.state === 'ended') throw hasEnded(run.id);
  if (run.command !== 'articles import') throw isNoImport(run);
  if (run.sources.includes('-') && context.terminal.input.isTTY === true) throw fromStdin(run.id);
  await reachAsThen(run, command, context);
  const sources = run.sources.map((source) =>
    source === '-' ? source : resolve(run.folder, source),
  );
  const options: Readonly<Record<string, unknown>> = { ...run.options, resume: true };
  if (!areImportOptions(options)) throw fromOtherVersion(run.id);
  await runImport(sources, options, context);
}

/** They were the options of the command itself when they were written down. */
function areImportOptions(options: object): options is ImportOptions {
  return 'onChanged' in options;
}

function fromOtherVersion(id: string): BlogctlError {
  return new BlogctlError('unusable-input', `The options of the import ${id} cannot be read.`, {
    hint: 'Run the same import again with its options: it goes on where it ended.',
  });
}

function hasEnded(id: string): BlogctlError {
  return new BlogctlError('usage', `The run ${id} has ended: there is nothing to resume.`, {
    hint: `Take it back with blogctl runs undo ${id}; the same import again creates nothing twice.`,
  });
}

function isNoImport({ id, command }: Pick<KnownRun, 'id' | 'command'>): BlogctlError {
  return new BlogctlError('usage', `The run ${id} is no import: it was \`blogctl ${command}\`.`, {
    hint: 'Run that line again: it goes on where it ended.',
  });
}

function fromStdin(id: string): BlogctlError {
  return new BlogctlError('usage', `The import ${id} was read from stdin.`, {
    hint: `Send the same input again: blogctl runs resume ${id} < <file>.`,
  });
}

type PruneOptions = { readonly olderThan?: number; readonly dryRun?: boolean };

function definePrune(command: Command, context: Context, run = prune): void {
  command
    .option(
      '--older-than <days>',
      'forgets runs that ended so long ago, as 30d; 0d all, after a question (default: 30d)',
      days,
    )
    .option('--dry-run', 'only say how many')
    .addHelpText(
      'after',
      `
Removes what was kept of runs that have ended; they cannot be undone any more. Interrupted imports
stay. With 0d, -y answers yes, and is needed where nobody can be asked.

Examples:
  blogctl runs prune
  blogctl runs prune --older-than 7d`,
    )
    .action((options: PruneOptions) => run(options, context));
}

async function prune({ olderThan, dryRun = false }: PruneOptions, context: Context) {
  const { pruneRuns } = await import('../importing/runs/runs.ts');
  // What ends while the question is there stays.
  const now = Date.now();
  const isAsked = olderThan === 0 && !dryRun;
  const pruned = async (isTried: boolean) => {
    const count = await pruneRuns(dataFolder(context), now, { days: olderThan, dryRun: isTried });
    return `${count} ${count === 1 ? 'run' : 'runs'}`;
  };
  const found = await pruned(dryRun || isAsked);
  const question = `Forget ${found}, of all blogs? None can be undone any more.`;
  if (isAsked && !found.startsWith('0') && !(await context.terminal.confirm(question)))
    throw new BlogctlError('cancelled', 'Cancelled: every run is still known.');
  const removed = isAsked ? await pruned(false) : found;
  await context.terminal.notice(`${dryRun ? 'Would remove' : 'Removed'} ${removed}.`);
}
