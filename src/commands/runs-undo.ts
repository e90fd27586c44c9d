import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { ArticleReference } from '../client/blog-client.ts';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import type { Change } from '../importing/runs/journal-lines.ts';
import type { KnownRun } from '../importing/runs/runs.ts';
import type { Undone, UndoWorld } from '../importing/runs/undo.ts';
import { targetName } from '../settings/target.ts';
import { counted } from '../terminal/text.ts';
import { chosenBlog } from './runs.ts';
import { addReadingFlags, lookUp, reachAsThen, type ReadingFlags } from './source-flags.ts';

type UndoOptions = ReadingFlags & {
  readonly dryRun?: boolean;
  readonly source?: readonly string[];
};

export function define(command: Command, context: Context, run = undoRun): void {
  command
    .argument('[run]', 'id of a run, or its first six characters')
    .option('-n, --dry-run', 'say what would become of each article, change nothing')
    .option('--source <source...>', 'instead of a run: every article that these have become');
  addReadingFlags(command);
  command
    .addHelpText(
      'after',
      `
Deletes what a run created, puts back what it changed and creates again what it deleted, each only
where the article still is what the run left. Asks first; -y answers yes. An undo is a run itself.

Examples:
  blogctl runs undo 5f2c1a --dry-run
  blogctl runs undo 5f2c1a -y
  blogctl runs undo --source posts`,
    )
    .action((id: string | undefined, options: UndoOptions) =>
      run({ id, ...options }, command, context),
    );
}

type Undoing = {
  readonly id: string;
  readonly sources: readonly string[];
  readonly changes: readonly Change[];
  /** That made the run. */
  readonly command?: string;
  /** What was interrupted is not to be gone on with once it is undone. */
  finish?(): Promise<void>;
};

type Asked = UndoOptions & { readonly id: string | undefined };

async function undoRun(options: Asked, command: Command, context: Context): Promise<void> {
  const { terminal } = context;
  const { dryRun = false } = options;
  terminal.requireFields([...undoneFields, 'dryRun']);
  const undoing = await (options.id === undefined
    ? createdFrom(options, context)
    : recorded(options.id, command, context));
  const { changes } = undoing;
  const question = questionOf(changes, await chosenBlog(context));
  const isSure = dryRun || changes.length === 0 || (await terminal.confirm(question));
  if (!isSure) throw new BlogctlError('cancelled', 'Cancelled: nothing was changed.');
  const world = await worldOf(undoing, dryRun, context);
  const counts = await undoAll(changes, world, context);
  await world.record.end(counts);
  if (!dryRun) await undoing.finish?.();
  await terminal.show({
    one: { ...counts, ...(dryRun && { dryRun }) },
    columns: undoneFields,
    human: () => summaryOf(counts, dryRun),
    isDocument: true,
  });
  const { remindersOf } = await import('../importing/runs/undo.ts');
  if (!dryRun)
    for (const text of remindersOf(undoing, counts.restored)) await terminal.notice(text);
  if (counts.kept > 0) throw someKept(counts.kept, dryRun);
}

const undoneFields = ['changes', 'deleted', 'restored', 'kept', 'nothing'] as const;

/** The changes of a run, the last one first; what was deleted comes back before, in its old order. */
async function recorded(id: string, command: Command, context: Context): Promise<Undoing> {
  const { closeRun, findRun } = await import('../importing/runs/runs.ts');
  const { readChanges } = await import('../importing/runs/journal-lines.ts');
  const { dataFolder } = await import('../settings/paths.ts');
  const run = await findRun(dataFolder(context), id, () => chosenBlog(context));
  reachAsThen(run, command, context);
  const noted = await readChanges(run.journal);
  const isCut = run.state === 'interrupted' && run.command === 'articles import';
  const deleted = noted.filter((change) => 'deleted' in change);
  const others = noted.filter((change) => !('deleted' in change)).toReversed();
  const changes = [...(isCut ? await unnoted(run, noted, context) : []), ...deleted, ...others];
  const changed = { id: run.id, sources: [run.id], command: run.command, changes };
  return run.state === 'ended' ? changed : { ...changed, finish: () => closeRun(run) };
}

/** What an import had sent when it was interrupted, and could not note any more. */
async function unnoted(
  run: KnownRun,
  noted: readonly Change[],
  context: Context,
): Promise<readonly Change[]> {
  const { idOf, isNewerThan } = await import('../importing/runs/journal-lines.ts');
  const ids = new Set(noted.map((change) => 'created' in change && idOf(change.created)));
  try {
    if (run.sources.includes('-') || run.newest === undefined)
      throw new BlogctlError('unusable-input', stays);
    const sources = run.sources.map((source) => resolve(run.folder, source));
    const { changes } = await lookUp(sources, run.options, context);
    return changes.filter(({ created }) => isNewerThan(run, created) && !ids.has(idOf(created)));
  } catch (error) {
    if (!(error instanceof BlogctlError) || error.code !== 'unusable-input') throw error;
    await context.terminal.warn(stays);
    return [];
  }
}

const stays =
  'Its sources are gone, or its blog cannot be asked: what was under way when it was interrupted stays.';

/** What imports of these sources have created, found by the keys of their records. */
async function createdFrom(options: UndoOptions, context: Context): Promise<Undoing> {
  const { source: sources = [], dryRun: _dryRun, ...given } = options;
  if (sources.length === 0) throw nothingNamed();
  const { keptImports } = await import('../importing/runs/undo.ts');
  const { dataFolder } = await import('../settings/paths.ts');
  const { value: target } = await context.chosen();
  const { folder, terminal } = context;
  const meant = { blog: targetName(target), folder, sources, importId: given.importId };
  const { runs, created } = await keptImports(dataFolder(context), meant);
  const reading = { ...runs[0]?.options, ...given };
  const isNoted = created.length > 0;
  const { changes: found, deleted } = await lookUp(sources, reading, context, isNoted);
  if (found.length + created.length + deleted === 0) throw nothingFound(sources);
  const { isNewerThan } = await import('../importing/runs/journal-lines.ts');
  const marks = runs.flatMap(({ newest }) => newest ?? []);
  const newest = Math.min(...(marks.length === 0 ? [-1] : marks));
  const noted = new Set(created.map(({ created: url }) => url));
  const unnotedOnes = found.filter((change) => !noted.has(change.created));
  const own = unnotedOnes.filter((change) => isNewerThan({ newest }, change.created));
  const others = unnotedOnes.length - own.length;
  if (others > 0)
    await terminal.notice(`Left, created by another import of these records: ${others}.`);
  if (deleted > 0) await terminal.notice(`Deleted already: ${deleted}.`);
  return { id: sources.join(' '), sources, changes: [...own, ...created] };
}

/** A store file may have been served elsewhere when the addresses were noted. */
function referenceOf(url: string, { kind }: { readonly kind: string }): ArticleReference {
  return kind === 'file' ? { id: Number(url.slice(url.lastIndexOf('/') + 1)) } : { url };
}

async function worldOf(undoing: Undoing, dryRun: boolean, context: Context): Promise<UndoWorld> {
  const { sources } = undoing;
  const { openRecord } = await import('../importing/runs/runs.ts');
  const { runsFolder } = await import('../settings/paths.ts');
  const { value: target } = await context.chosen();
  const place = { blog: targetName(target), folder: context.folder };
  const run = { command: 'runs undo', ...place, sources: [...sources], options: {} };
  return {
    client: await context.client({ finishRequests: true }),
    dryRun,
    reference: (url) => referenceOf(url, target),
    record: openRecord(dryRun ? undefined : runsFolder(context), run),
  };
}

async function undoAll(changes: readonly Change[], world: UndoWorld, context: Context) {
  const { undoChanges } = await import('../importing/runs/undo.ts');
  const { addressing } = await import('./articles/article-view.ts');
  const addressOf = await addressing(context);
  const named = (url: string) => {
    const shown = addressOf({ url, id: Number(url.slice(url.lastIndexOf('/') + 1)) });
    return shown.url ?? shown.address ?? url;
  };
  return undoChanges(changes, world, context.signal, (undone) => {
    const now = undone.now === undefined ? {} : { now: named(undone.now) };
    return tell({ ...undone, url: named(undone.url), ...now }, world.dryRun, context.terminal);
  });
}

async function tell(undone: Undone, dryRun: boolean, terminal: Context['terminal']) {
  const { result, url, title = '', now } = undone;
  const what = `${url} "${title}"`;
  if (result === 'kept' && now !== undefined)
    await terminal.warn(`Kept, created again with another text: ${now}, once ${what}`);
  else if (result === 'kept') await terminal.warn(`Kept, changed since: ${what}`);
  else if (dryRun && result !== 'nothing') await terminal.notice(`Would be ${result}: ${what}`);
  else if (now !== undefined) await terminal.notice(`${url} is ${now} now; links to it stay gone.`);
}

function questionOf(changes: readonly Change[], blog: string): string {
  const count = (name: 'created' | 'updated' | 'deleted') =>
    changes.filter((change) => name in change).length;
  const parts = [
    [count('created'), 'delete'],
    [count('updated'), 'put back'],
    [count('deleted'), 'create again'],
  ] as const;
  const said = parts.filter(([times]) => times > 0).map(([times, what]) => `${what} ${times}`);
  return `Undo on ${blog}: ${said.join(', ')}?`;
}

function summaryOf(
  counts: Readonly<Record<'deleted' | 'restored' | 'kept' | 'nothing' | 'changes', number>>,
  dryRun: boolean,
): string {
  const would = dryRun ? 'would be ' : '';
  const { changes, deleted, restored, kept, nothing } = counts;
  const done = { [`${would}deleted`]: deleted, [`${would}restored`]: restored };
  const said = counted({ ...done, kept, 'nothing to do': nothing });
  return `${changes} ${changes === 1 ? 'change' : 'changes'}${said && `: ${said}`}.\n`;
}

function someKept(kept: number, dryRun: boolean): BlogctlError {
  const [what, them] = kept === 1 ? ['1 article was', 'it'] : [`${kept} articles were`, 'them'];
  const would = dryRun ? 'would be ' : '';
  const message = `${what} changed since that run, and ${would}left alone.`;
  return new BlogctlError('partly-failed', message, {
    hint: `Look at ${them} with blogctl articles get; the others ${would || 'are '}undone.`,
  });
}

function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'Nothing is named that could be undone.', {
    hint: 'Name a run (blogctl runs list shows them), or --source with what was imported.',
  });
}

function nothingFound(sources: readonly string[]): BlogctlError {
  const what = `The blog has seen no record of ${sources.join(', ')}: nothing is undone.`;
  return new BlogctlError('not-found', what, {
    hint: 'Give what that import was given: the blog, --import-id, --title-from, --map and the like. blogctl runs list --all shows the imports that are known here.',
  });
}
