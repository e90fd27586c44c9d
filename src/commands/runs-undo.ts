import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { BlogClient } from '../client/blog-client.ts';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Change } from '../importing/runs/journal-lines.ts';
import type { KnownRun } from '../importing/runs/runs.ts';
import type { Created, UndoWorld } from '../importing/sending/undo.ts';
import { dataFolder, runsFolder, targetName } from '../settings/target.ts';
import {
  createUndoTeller,
  namingIn,
  someKept,
  someUnknown,
  undoQuestion,
  undoSummary,
} from './articles/article-view.ts';
import {
  foundAgain,
  isStillSaid,
  lookUp,
  nothingFound,
  nothingNamed,
  remindersOf,
} from './articles/named-articles.ts';
import { runNamed } from './runs.ts';
import { addReadingFlags, patience, reachAsThen, type ReadingFlags } from './source-flags.ts';

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
  readonly sources: readonly string[];
  readonly changes: readonly Change[];
  readonly run?: KnownRun;
};

type UndoRequest = UndoOptions & { readonly id: string | undefined };

async function undoRun(options: UndoRequest, command: Command, context: Context): Promise<void> {
  const { terminal } = context;
  const { dryRun = false } = options;
  terminal.requireFields([...undoneFields, 'dryRun']);
  const undoing = await (options.id === undefined
    ? createdFrom(options, context)
    : recorded(options.id, command, context));
  const { changes } = undoing;
  const question = undoQuestion(changes, await context.announceBlog());
  const isSure = dryRun || changes.length === 0 || (await terminal.confirm(question));
  if (!isSure) throw new BlogctlError('cancelled', 'Cancelled: nothing was changed.');
  const world = await worldOf(undoing, dryRun, context);
  const { counts, again, undone } = await undoAll(changes, world, context);
  await world.record.end(counts);
  if (!dryRun) await finish(undoing, context);
  await terminal.show({
    one: { ...counts, ...(dryRun && { dryRun }) },
    columns: undoneFields,
    human: () => undoSummary(counts, dryRun),
    isDocument: true,
    done: dryRun ? undefined : 'What could be undone is undone all the same.',
  });
  // Without keys an import knows by its text what was created again.
  const isKeyed = again > 0 && (await world.client.blog()).honoursIdempotencyKey;
  const isSaid = !dryRun && (await isStillSaid(undone, undoing.run, context));
  for (const text of dryRun ? [] : remindersOf(isSaid, isKeyed)) await terminal.notice(text);
  if (counts.unknown > 0) throw someUnknown(counts.unknown, world.restorer?.candidates() ?? []);
  if (counts.kept > 0) throw someKept(counts.kept, dryRun);
}

/** What was interrupted is not to be gone on with once it is undone. */
async function finish({ run, sources }: Undoing, context: Context): Promise<void> {
  const { endUndone } = await import('../importing/sending/undo.ts');
  const blog = targetName((await context.chosen()).value);
  await endUndone(dataFolder(context), run, { blog, folder: context.folder, sources });
}

const undoneFields = ['changes', 'deleted', 'restored', 'kept', 'nothing', 'unknown'] as const;

/** The changes of a run, the last one first; what was deleted comes back before, in its old order. */
async function recorded(id: string, command: Command, context: Context): Promise<Undoing> {
  const { readChanges } = await import('../importing/runs/journal-lines.ts');
  const { createdByOthers } = await import('../importing/sending/undo.ts');
  const run = await runNamed(id, 'undo', context);
  await reachAsThen(run, command, context);
  const noted = await readChanges(run.journal);
  const isCut = run.state === 'interrupted' && run.command === 'articles import';
  const isWhole = !/^(?:sync apply|runs undo)$/.test(run.command);
  const open = isWhole ? [] : await inDoubt(run, context);
  const deleted = noted.filter((change) => 'deleted' in change);
  const others = noted.filter((change) => !('deleted' in change)).toReversed();
  const found = isCut ? await unnoted(run, noted, context) : open;
  const isOfOthers = found.length > 0 && (await createdByOthers(dataFolder(context), run));
  const own = found.filter(({ created, digest }) => isOfOthers && !isOfOthers(created, digest));
  const changes = [...own, ...deleted, ...others];
  return { sources: [run.id], run, changes };
}

/** What an import had sent when it was interrupted, and could not note any more. */
async function unnoted(
  run: KnownRun,
  noted: readonly Change[],
  context: Context,
): Promise<Created['changes']> {
  const client = await context.client();
  if (run.newest !== undefined && !(await client.blog()).findsByKey)
    return unanswered(run, client, context);
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

/** What a sync or an undo had sent without an answer: by its keys, else by its texts. */
async function inDoubt(run: KnownRun, context: Context): Promise<Created['changes']> {
  const { isNewerThan } = await import('../importing/runs/journal-lines.ts');
  const { readMemory } = await import('../importing/runs/memory.ts');
  const { unanswered: sent } = await readMemory(run.journal);
  if (sent.size === 0) return [];
  const client = await context.client();
  const { findsByKey } = await client.blog();
  const found: { created: string; digest: string }[] = findsByKey
    ? []
    : [...(await unanswered(run, client, context))];
  for (const [key, digest] of findsByKey ? sent : []) {
    const known = await client.articleByKey(key);
    if (known.kind === 'article' && isNewerThan(run, known.article.url))
      found.push({ created: known.article.url, digest });
  }
  return found;
}

/** The same, where the listing alone tells it. */
async function unanswered(run: KnownRun, client: BlogClient, { terminal }: Context) {
  const { findUnanswered } = await import('../importing/sending/unkeyed-delivery.ts');
  const { changes, left, strangers } = await findUnanswered(run, client);
  if (left === 0) return changes;
  const [first, ...others] = strangers;
  const more = others.length > 0 ? ` and ${others.length} newer ones` : '';
  const may = first && ` Look whether ${first.url}${more} should stay.`;
  const those = left === 1 ? '1 record' : `${left} records`;
  await terminal.warn(`Sent, never clearly answered and not undone: ${those}.${may ?? ''}`);
  return changes;
}

const stays =
  'Its sources are gone, or its blog cannot be asked: what was under way when it was interrupted stays.';

/** What imports of these sources have created, found by the keys of their records. */
async function createdFrom(options: UndoOptions, context: Context): Promise<Undoing> {
  const { source: sources = [], dryRun: _dryRun, ...given } = options;
  if (sources.length === 0) throw nothingNamed();
  const { keptImports } = await import('../importing/sending/undo.ts');
  const { placeOf } = await import('../importing/runs/memory.ts');
  const { value: target } = await context.chosen();
  const { folder, terminal } = context;
  const meant = { blog: targetName(target), folder, sources, importId: given.importId };
  const { runs, created } = await keptImports(dataFolder(context), meant);
  const reading = { ...runs[0]?.options, ...given };
  const isNoted = created.length > 0;
  const { changes: found, deleted } = await lookUp(sources, reading, context, isNoted);
  if (found.length + created.length + deleted === 0) throw nothingFound(sources);
  const { isNewerThan, referenceTo } = await import('../importing/runs/journal-lines.ts');
  const marks = runs.flatMap(({ newest }) => newest ?? []);
  const newest = Math.min(...(marks.length === 0 ? [-1] : marks));
  const placeAt = (change: { created: string }) => placeOf(referenceTo(meant.blog, change.created));
  const noted = new Map(created.map((change) => [placeAt(change), change]));
  const unnotedOnes = found.filter((change) => !noted.has(placeAt(change)));
  const own = unnotedOnes.filter((change) => isNewerThan({ newest }, change.created));
  const others = unnotedOnes.length - own.length;
  if (others > 0)
    await terminal.notice(`Left, created by another import of these records: ${others}.`);
  if (deleted > 0) await terminal.notice(`Deleted already: ${deleted}.`);
  return { sources, changes: [...own, ...noted.values()] };
}

async function worldOf({ sources, changes }: Undoing, dryRun: boolean, context: Context) {
  const { openRunJournal } = await import('../importing/runs/runs.ts');
  const { referenceTo } = await import('../importing/runs/journal-lines.ts');
  const { readRestorations, createRestorer, listBefore, restoresUnkeyed } =
    await import('../importing/sending/created-again.ts');
  const place = { blog: targetName((await context.chosen()).value), folder: context.folder };
  const client = await context.client({ finishRequests: true });
  const isUnkeyed = await restoresUnkeyed(changes, client);
  const again = isUnkeyed ? await readRestorations(dataFolder(context), place.blog) : undefined;
  const listed = again && (await listBefore(client, again));
  const about = { command: 'runs undo', sources: [...sources], options: {}, ...listed?.run };
  const run = { ...place, ...about };
  const record = openRunJournal(dryRun ? undefined : runsFolder(context), run);
  const reference = (url: string) => referenceTo(place.blog, url);
  const found = foundAgain(run, record, context);
  const given = { client, retry: await patience(context), record, reference, found };
  const restorer =
    again && listed && (await createRestorer({ ...given, again, listed }, context.signal));
  return { ...given, dryRun, restorer };
}

async function undoAll(changes: readonly Change[], world: UndoWorld, context: Context) {
  const { undoChanges } = await import('../importing/sending/undo.ts');
  const named = namingIn((await context.chosen()).value, context);
  const teller = createUndoTeller(context.terminal, world);
  let again = 0;
  const left = new Set<unknown>();
  try {
    const counts = await undoChanges(changes, world, context.signal, (undone) => {
      if (/^(?:kept|unknown)$/.test(undone.result)) left.add(undone.url);
      if (undone.now !== undefined && undone.result === 'restored') again += 1;
      const now = undone.now === undefined ? {} : { now: named(undone.now) };
      return teller.tell({ ...undone, url: named(undone.url), ...now });
    });
    const isLeft = (change: Change) => Object.values(change).some((value) => left.has(value));
    const undone = changes.filter((change) => !isLeft(change));
    return { counts, again, undone };
  } finally {
    await teller.end();
  }
}
