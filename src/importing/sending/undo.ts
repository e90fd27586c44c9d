import { resolve } from 'node:path';

import { expectedAtOnce } from '../../client/articles.ts';
import type { BlogClient, VersionedArticle } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import { textDigest } from '../sources/identity.ts';
import { placeFingerprint, readChanges, type Change, type Run } from '../runs/journal-lines.ts';
import type { Undone } from '../runs/memory.ts';
import { createByKey, type Deletion, type Restorer, wasMade, type World } from './created-again.ts';
import { closeRun, listRuns, noteBefore, type KnownRun } from '../runs/runs.ts';
import { createKeyedEntries, type KeyedRecord } from '../sources/keyed-entries.ts';
import type { Source } from '../sources/source.ts';

export type UndoWorld = World & {
  /** Only looks; answers what would become of it. */
  readonly dryRun: boolean;
  /** Where the blog has no keys. */
  readonly restorer: Restorer | undefined;
};

/** How many changes are taken back, and how many records are looked up, at a time. */
const atOnce = 4;

/** Takes changes back in their order, as far as no signal ends that; counts what became of them. */
export async function undoChanges(
  changes: readonly Change[],
  world: UndoWorld,
  signal: AbortSignal,
  tell: (undone: Undone) => Promise<void>,
) {
  const none = { deleted: 0, restored: 0, kept: 0, nothing: 0, unknown: 0 };
  const counts = { changes: changes.length, ...none };
  const { restorer } = world;
  const count = async (undone: Undone) => {
    counts[undone.result] += 1;
    await tell(undone);
  };
  for (let from = 0; from < changes.length && !restorer?.failure(); from += atOnce) {
    if (signal.aborted) throw stopped(signal.reason, from, changes.length);
    const some = changes.slice(from, from + atOnce);
    for (const undone of await Promise.all(some.map((each) => undoChange(each, world, signal))))
      if (undone !== undefined) await count(undone);
  }
  if (restorer === undefined) return counts;
  for await (const { deletion, now } of restorer.settle(signal))
    await count({ ...undoneOf(deletion, 'restored'), now });
  const failure = restorer.failure();
  if (failure !== undefined) throw failure;
  for (const deletion of restorer.open()) await count(undoneOf(deletion, 'unknown'));
  return counts;
}

function undoneOf({ deleted: url, before }: Deletion, result: Undone['result']): Undone {
  return { result, url, title: before.title };
}

function stopped(reason: unknown, done: number, all: number): unknown {
  if (!(reason instanceof BlogctlError)) return reason;
  const message = `${reason.message} ${done} of ${all} changes were looked at.`;
  return new BlogctlError(reason.code, message, { hint: 'The same line goes on with the others.' });
}

/**
 * Takes one change back where the article still is what the run left, and leaves it alone where
 * somebody has changed it since (`kept`). `nothing` is left to do where that was done before. Undefined
 * where it is in doubt whether a deleted article was created again.
 */
async function undoChange(
  change: Change,
  world: UndoWorld,
  signal: AbortSignal,
): Promise<Undone | undefined> {
  if ('deleted' in change) return createAgain(change, world, signal);
  const url = 'created' in change ? change.created : change.updated;
  const found = await read(url, world);
  if (found === undefined) return { result: 'nothing', url };
  const { title } = found.article;
  const digest = textDigest(found.article);
  if ('updated' in change && digest === textDigest(change.before))
    return { result: 'nothing', url };
  if (!digest.startsWith(change.digest)) return { result: 'kept', url, title };
  try {
    if ('created' in change) await remove(found, world);
    else await restore(found, change.before, world);
  } catch (error) {
    const { status } = error instanceof BlogctlError ? error.context : {};
    if (status === 404 || status === 410) return { result: 'nothing', url };
    if (status !== 412) throw error;
    return { result: 'kept', url, title };
  }
  return { result: 'created' in change ? 'deleted' : 'restored', url, title };
}

/** The article of a change; undefined where it is not there any more. */
async function read(url: string, world: UndoWorld): Promise<VersionedArticle | undefined> {
  try {
    const { article, validators } = await world.client.article(world.reference(url));
    return { article, validators: expectedAtOnce(validators) };
  } catch (error) {
    if (error instanceof BlogctlError && /^(?:gone|not-found)$/.test(error.code)) return undefined;
    throw error;
  }
}

async function remove(
  { article, validators }: VersionedArticle,
  { client, dryRun, record }: UndoWorld,
): Promise<void> {
  if (dryRun) return;
  const deletion = { deleted: article.url, before: beforeOf(article) };
  await noteBefore(record, deletion, () => client.remove({ url: article.url }, validators));
}

async function restore(
  { article, validators }: VersionedArticle,
  before: Deletion['before'],
  { client, dryRun, record }: UndoWorld,
): Promise<void> {
  if (dryRun) return;
  const digest = textDigest(before).slice(0, 32);
  record.note({ updated: article.url, digest, before: beforeOf(article) });
  await client.replace({ url: article.url }, beforeOf(before), validators);
}

async function createAgain(
  deletion: Deletion,
  world: UndoWorld,
  signal: AbortSignal,
): Promise<Undone | undefined> {
  const { dryRun, restorer } = world;
  const { deleted: url, before } = deletion;
  const { title } = before;
  if ((await read(url, world)) !== undefined) return { result: 'nothing', url };
  if (restorer !== undefined) {
    const known = restorer.made(deletion);
    if (known !== undefined) return { result: 'nothing', url, now: known };
    const seen = restorer.seen(deletion);
    if (dryRun) return { result: seen === undefined ? 'restored' : 'nothing', url, title };
    const now = await restorer.restore(deletion, signal);
    return now === undefined ? undefined : { result: 'restored', url, title, now };
  }
  if (dryRun) {
    const isAgain = await wasMade(deletion, world);
    return { result: isAgain ? 'nothing' : 'restored', url, title };
  }
  return createByKey(deletion, world);
}

function beforeOf({ title, content }: Deletion['before']) {
  return { title, ...(content !== undefined && { content }) };
}

/** What imports of some records have created: articles that are there, and how many were deleted. */
export type Created = {
  readonly changes: readonly { readonly created: string; readonly digest: string }[];
  readonly deleted: number;
};

/**
 * What imports of these sources have created, the last record first, by asking the blog for the keys
 * of the records (decisions 51), on any machine. Throws `broken-contract` where it cannot be asked.
 */
export async function findCreated(
  sources: readonly Source[],
  importId: string | undefined,
  client: BlogClient,
): Promise<Created> {
  const changes: Created['changes'][number][] = [];
  let deleted = 0;
  const entries = createKeyedEntries(sources, importId);
  // What repeats is known after a first reading.
  for await (const batch of entries.read()) void batch;
  for await (const batch of entries.read()) {
    const records = [...batch].filter((entry) => entry.kind === 'record');
    for (let from = 0; from < records.length; from += atOnce) {
      const some = records.slice(from, from + atOnce);
      for (const found of await Promise.all(some.map((record) => createdBy(record, client)))) {
        if (found === 'deleted') deleted += 1;
        else if (found !== 'never-seen') changes.push(found);
      }
    }
  }
  return { changes: changes.toReversed(), deleted };
}

/** The first generation of a record's key that has an article; the last that was asked for, else. */
async function createdBy(
  record: KeyedRecord,
  client: BlogClient,
): Promise<Created['changes'][number] | 'never-seen' | 'deleted'> {
  for (let generation = 1; ; generation += 1) {
    const known = await client.articleByKey(record.keyOf(generation));
    if (known.kind === 'never-seen') return generation === 1 ? 'never-seen' : 'deleted';
    if (known.kind === 'article')
      return { created: known.article.url, digest: record.digest.slice(0, 32) };
  }
}

/** Of a folder that `sources` are relative to. */
type RunFilter = Pick<Run, 'blog' | 'folder'> & {
  readonly sources: readonly string[];
  readonly importId?: string | undefined;
};

/** The imports of these sources whose records are kept in the data folder, the latest first, and what they created. */
export async function keptImports(data: string, { importId = '', ...wanted }: RunFilter) {
  const placesOf = ({ folder, sources }: Pick<RunFilter, 'folder' | 'sources'>) =>
    JSON.stringify(sources.map((source) => resolve(folder, source)).toSorted());
  const runs = (await listRuns(data)).filter(
    (run) =>
      run.command === 'articles import' &&
      run.blog === wanted.blog &&
      (run.options['importId'] ?? '') === importId &&
      placesOf(run) === placesOf(wanted),
  );
  const created: Created['changes'][number][] = [];
  for (const { journal } of runs) {
    const changes = await readChanges(journal);
    for (const change of changes.toReversed()) if ('created' in change) created.push(change);
  }
  return { runs, created };
}

/** Ends what was interrupted and is undone now, and undos of the same, as this one has gone over what they left. */
export async function endUndone(data: string, run: KnownRun | undefined, undo: RunFilter) {
  for (const one of await listRuns(data)) {
    const isThere = one.blog === undo.blog && (run !== undefined || one.folder === undo.folder);
    const isAlike = one.command === 'runs undo' && one.sources.join() === undo.sources.join();
    const isEnded = (isThere && isAlike) || one.id === run?.id;
    if (isEnded && one.state === 'interrupted') await closeRun(one);
  }
}

/** Whether another run noted that it created an article; by another address that text there, since this run began. */
export async function createdByOthers(folder: string, { id, blog, started }: Run) {
  const created = new Set<string>();
  const known = (url: string, digest = '') => `${placeFingerprint(url)} ${digest.slice(0, 32)}`;
  for (const run of await listRuns(folder)) {
    if (run.id === id || (run.blog !== blog && run.ended < started)) continue;
    for (const change of await readChanges(run.journal))
      if ('created' in change)
        created.add(known(change.created, run.blog === blog ? '' : change.digest));
  }
  return (url: string, digest: string) =>
    created.has(known(url)) || created.has(known(url, digest));
}
