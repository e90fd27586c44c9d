import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { ArticleReference, BlogClient } from '../client/blog-client.ts';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import type { Change } from '../importing/runs/journal-lines.ts';
import type { Undone, UndoWorld } from '../importing/runs/undo.ts';
import { targetName } from '../settings/target.ts';
import { counted } from '../terminal/text.ts';

type UndoOptions = {
  readonly dryRun?: boolean;
  readonly source?: readonly string[];
  readonly importId?: string;
  readonly keyField?: string;
  readonly root?: string;
};

export function define(command: Command, context: Context, run = undoRun): void {
  command
    .argument('[run]', 'id of a run, or its beginning')
    .option('-n, --dry-run', 'say what would become of each article, change nothing')
    .option('--source <source...>', 'instead of a run: every article that these have become')
    .option('--import-id <name>', 'as that import had it')
    .option('--key-field <member>', 'as that import had it')
    .option('--root <folder>', 'as that import had it')
    .addHelpText(
      'after',
      `
Deletes what a run created, puts back what it changed and creates again what it deleted, each only
where the article still is what the run left. Asks first; -y answers yes. An undo is a run itself.

Examples:
  blogctl runs undo 5f2c --dry-run
  blogctl runs undo 5f2c -y
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
  /** A folder may still say what the run has written. */
  readonly isSync?: boolean;
  /** What was interrupted is not to be gone on with once it is undone. */
  finish?(): Promise<void>;
};

async function undoRun(
  options: UndoOptions & { readonly id: string | undefined },
  command: Command,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { dryRun = false } = options;
  const undoing = await (options.id === undefined
    ? createdFrom(options, context)
    : recorded(options.id, command, context));
  const client = await context.client();
  const isSure =
    dryRun || undoing.changes.length === 0 || (await terminal.confirm(questionOf(undoing.changes)));
  if (!isSure) throw new BlogctlError('cancelled', 'Cancelled: nothing was changed.');
  const world = await worldOf(undoing, { client, dryRun }, context);
  const counts = await undoAll(undoing.changes, world, context);
  await world.record.end(counts);
  if (!dryRun) await undoing.finish?.();
  await terminal.show({
    one: { ...counts, ...(dryRun && { dryRun }) },
    columns: ['changes', 'deleted', 'restored', 'kept', 'nothing'],
    human: () => summaryOf(counts, dryRun),
    isDocument: true,
  });
  if (undoing.isSync === true && !dryRun) await terminal.notice(afterSync);
  if (counts.kept > 0) throw someKept(counts.kept, dryRun);
}

/** The changes that a run noted, the last one first. */
async function recorded(id: string, command: Command, context: Context): Promise<Undoing> {
  const { closeRun, findRun, journalPath } = await import('../importing/runs/runs.ts');
  const { readChanges } = await import('../importing/runs/journal-lines.ts');
  const { dataFolder } = await import('../settings/paths.ts');
  const folder = dataFolder(context);
  const run = await findRun(folder, id);
  command.parent?.parent?.setOptionValue('blog', run.blog);
  const changes = await readChanges(journalPath(folder, run.id));
  const isSync = run.command === 'sync apply';
  const changed = { id: run.id, sources: [run.id], isSync, changes: changes.toReversed() };
  return run.state === 'ended' ? changed : { ...changed, finish: () => closeRun(folder, run) };
}

/** What an import of these sources has created, found by the keys of their records. */
async function createdFrom(options: UndoOptions, context: Context): Promise<Undoing> {
  const { source: sources = [], importId, keyField, root } = options;
  const { signal, terminal } = context;
  if (sources.length === 0) throw nothingNamed();
  const { openSources } = await import('../importing/sources/open-sources.ts');
  const { findCreated } = await import('../importing/runs/undo.ts');
  const map = { title: 'title', content: 'content' };
  const reading = { drafts: true, now: Date.now(), map, keyField, root };
  const opened = await openSources(sources, reading, terminal.input, {
    signal,
    notice: (text) => terminal.notice(text),
  });
  try {
    const client = await context.client();
    const found = await findCreated(opened.sources, importId, client);
    const changes = await ownOf(found, options, context);
    return { id: sources.join(' '), sources, changes };
  } finally {
    await opened.close();
  }
}

/**
 * Where the record of such an import is kept here, only what it has created: its keys may have found
 * what another import had created before.
 */
async function ownOf(
  found: readonly Change[],
  { source: sources = [], importId = '' }: UndoOptions,
  context: Context,
): Promise<readonly Change[]> {
  const { keptCreations } = await import('../importing/runs/undo.ts');
  const { dataFolder } = await import('../settings/paths.ts');
  const { value: target } = await context.chosen();
  const placesOf = (folder: string, names: readonly string[]) =>
    JSON.stringify(names.map((name) => resolve(folder, name)).toSorted());
  const places = placesOf(context.folder, sources);
  const created = await keptCreations(
    dataFolder(context),
    ({ command, blog, options, ...run }) =>
      command === 'articles import' &&
      blog === targetName(target) &&
      (options['importId'] ?? '') === importId &&
      placesOf(run.folder, run.sources) === places,
  );
  if (created === undefined) return found;
  const known = (url: string) => JSON.stringify(referenceOf(url, target));
  const own = new Set(created.map(known));
  const changes = found.filter((change) => 'created' in change && own.has(known(change.created)));
  const others = found.length - changes.length;
  if (others > 0)
    await context.terminal.notice(`Left, created by another import of these records: ${others}.`);
  return changes;
}

/** A store file may have been served elsewhere when the addresses were noted. */
function referenceOf(url: string, { kind }: { readonly kind: string }): ArticleReference {
  return kind === 'file' ? { id: Number(url.slice(url.lastIndexOf('/') + 1)) } : { url };
}

async function worldOf(
  { id, sources }: Undoing,
  { client, dryRun }: { readonly client: BlogClient; readonly dryRun: boolean },
  context: Context,
): Promise<UndoWorld> {
  const { openRecord } = await import('../importing/runs/runs.ts');
  const { runsFolder } = await import('../settings/paths.ts');
  const { value: target } = await context.chosen();
  const blog = targetName(target);
  const { folder } = context;
  const run = { command: 'runs undo', blog, folder, sources: [...sources], options: {} };
  return {
    id,
    client,
    dryRun,
    reference: (url) => referenceOf(url, target),
    record: openRecord(dryRun ? undefined : runsFolder(context), run),
  };
}

const atOnce = 4;

async function undoAll(changes: readonly Change[], world: UndoWorld, context: Context) {
  const { terminal, signal } = context;
  const { undoChange } = await import('../importing/runs/undo.ts');
  const { addressing } = await import('./articles/article-view.ts');
  const addressOf = await addressing(context);
  const named = (url: string) => {
    const shown = addressOf({ url, id: Number(url.slice(url.lastIndexOf('/') + 1)) });
    return shown.url ?? shown.address ?? url;
  };
  const counts = { changes: changes.length, deleted: 0, restored: 0, kept: 0, nothing: 0 };
  for (let from = 0; from < changes.length; from += atOnce) {
    signal.throwIfAborted();
    const some = changes.slice(from, from + atOnce);
    for (const undone of await Promise.all(some.map((each) => undoChange(each, world)))) {
      counts[undone.result] += 1;
      const now = undone.now === undefined ? {} : { now: named(undone.now) };
      await tell({ ...undone, url: named(undone.url), ...now }, world.dryRun, terminal);
    }
  }
  return counts;
}

async function tell(undone: Undone, dryRun: boolean, terminal: Context['terminal']) {
  const { result, url, title = '', now } = undone;
  const what = `${url} "${title}"`;
  if (result === 'kept') await terminal.warn(`Kept, changed since: ${what}`);
  else if (dryRun && result !== 'nothing') await terminal.notice(`Would be ${result}: ${what}`);
  else if (now !== undefined) await terminal.notice(`${url} is ${now} now; links to it stay gone.`);
}

function questionOf(changes: readonly Change[]): string {
  const count = (name: 'created' | 'updated' | 'deleted') =>
    changes.filter((change) => name in change).length;
  const parts = [
    [count('created'), 'delete'],
    [count('updated'), 'put back'],
    [count('deleted'), 'create again'],
  ] as const;
  const said = parts.filter(([times]) => times > 0).map(([times, what]) => `${what} ${times}`);
  return `Undo: ${said.join(', ')}?`;
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

const afterSync =
  'The folder still says what is undone: take that back there, too, as with git revert.';

function someKept(kept: number, dryRun: boolean): BlogctlError {
  const what = kept === 1 ? '1 article was' : `${kept} articles were`;
  const would = dryRun ? 'would be ' : '';
  return new BlogctlError(
    'partly-failed',
    `${what} changed since that run, and ${would}left alone.`,
    {
      hint: `Look at them with blogctl articles get; everything else ${would || 'is '}undone.`,
    },
  );
}

function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'Nothing is named that could be undone.', {
    hint: 'Name a run (blogctl runs list shows them), or --source with what was imported.',
  });
}
