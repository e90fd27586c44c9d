import { hash } from 'node:crypto';

import type { ArticleReference, BlogClient, VersionedArticle } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import { textDigest } from '../sources/identity.ts';
import { readChanges, type Change, type Run } from './journal-lines.ts';
import { journalPath, listRuns, type RunRecord } from './runs.ts';
import { createKeyedEntries, type KeyedRecord } from '../sources/keyed-entries.ts';
import type { Source } from '../sources/source.ts';

/** What became of one change of a run. */
export type Undone = {
  readonly result: 'deleted' | 'restored' | 'kept' | 'nothing';
  /** The article as the run named it. */
  readonly url: string;
  readonly title?: string;
  /** Where a deleted article is again; links to its old address stay gone. */
  readonly now?: string;
};

export type UndoWorld = {
  readonly client: BlogClient;
  /** Only looks; answers what would become of it. */
  readonly dryRun: boolean;
  readonly record: RunRecord;
  /** How an article is asked for by the address that a run noted. */
  reference(url: string): ArticleReference;
  /** Of the run, so that an article is created again once, however often it is asked for. */
  readonly id: string;
};

/**
 * Takes one change back where the article still is what the run left, and leaves it alone where
 * somebody has changed it since (`kept`). `nothing` is left to do where that was done before.
 */
export async function undoChange(change: Change, world: UndoWorld): Promise<Undone> {
  if ('deleted' in change) return createAgain(change, world);
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
    if (!(error instanceof BlogctlError) || error.context.status !== 412) throw error;
    return { result: 'kept', url, title };
  }
  return { result: 'created' in change ? 'deleted' : 'restored', url, title };
}

/** The article of a change; undefined where it is not there any more. */
async function read(url: string, world: UndoWorld): Promise<VersionedArticle | undefined> {
  try {
    return await world.client.article(world.reference(url));
  } catch (error) {
    const code = error instanceof BlogctlError ? error.code : undefined;
    if (code === 'gone' || code === 'not-found') return undefined;
    throw error;
  }
}

async function remove(
  { article, validators }: VersionedArticle,
  { client, dryRun, record }: UndoWorld,
): Promise<void> {
  if (dryRun) return;
  record.note({ deleted: article.url, before: beforeOf(article) });
  await client.remove({ url: article.url }, validators);
}

async function restore(
  { article, validators }: VersionedArticle,
  before: { readonly title: string; readonly content?: string | undefined },
  { client, dryRun, record }: UndoWorld,
): Promise<void> {
  if (dryRun) return;
  const { title, content } = before;
  const digest = textDigest(before).slice(0, 32);
  record.note({ updated: article.url, digest, before: beforeOf(article) });
  const draft = { title, ...(content !== undefined && { content }) };
  await client.replace({ url: article.url }, draft, validators);
}

async function createAgain(
  { deleted: url, before }: Extract<Change, { deleted: string }>,
  world: UndoWorld,
): Promise<Undone> {
  const { client, dryRun, record, id } = world;
  const { title, content = '' } = before;
  if ((await read(url, world)) !== undefined) return { result: 'nothing', url };
  const idempotencyKey = hash('sha256', JSON.stringify(['undo', id, url]), 'base64url');
  if (dryRun) {
    const isAgain = await wasMade(idempotencyKey, client);
    return { result: isAgain ? 'nothing' : 'restored', url, title };
  }
  try {
    const { article, replayed } = await client.create({ title, content }, { idempotencyKey });
    if (replayed) return { result: 'nothing', url, now: article.url };
    const made = { ...article, content: before.content };
    // A creation has a content (interface, Endpoints, rule 12); a replacement may go without.
    if (before.content === undefined) await client.replace({ url: article.url }, { title });
    record.note({ created: article.url, digest: textDigest(made).slice(0, 32) });
    return { result: 'restored', url, title, now: article.url };
  } catch (error) {
    // Created again before, and changed or deleted since.
    const reason = error instanceof BlogctlError ? error.context : {};
    if (reason.status === 410) return { result: 'nothing', url };
    if (reason.reason === 'idempotency-key-reused') return { result: 'kept', url, title };
    throw error;
  }
}

function beforeOf({ title, content }: { readonly title: string; readonly content?: string }) {
  return { title, ...(content !== undefined && { content }) };
}

/**
 * What an import of these sources has created, the last record first, by asking the blog for the keys
 * of the records (decisions 51), on any machine. Throws `broken-contract` where it cannot be asked.
 */
export async function findCreated(
  sources: readonly Source[],
  importId: string | undefined,
  client: BlogClient,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  const entries = createKeyedEntries(sources, importId);
  // What repeats is known after a first reading.
  for await (const batch of entries.read()) void batch;
  for await (const batch of entries.read()) {
    for (const entry of batch) {
      if (entry.kind === 'record') found.push(...(await createdBy(entry, client)));
    }
  }
  return found.toReversed();
}

async function createdBy(record: KeyedRecord, client: BlogClient): Promise<readonly Change[]> {
  for (let generation = 1; ; generation += 1) {
    const known = await client.articleByKey(record.keyOf(generation));
    if (known.kind === 'never-seen') return [];
    if (known.kind === 'article') {
      return [{ created: known.article.url, digest: record.digest.slice(0, 32) }];
    }
  }
}

/**
 * The addresses of what the imports that are meant have created, as their records in the data folder
 * tell; undefined where no record of one is kept.
 */
export async function keptCreations(
  folder: string,
  isMeant: (run: Run) => boolean,
): Promise<readonly string[] | undefined> {
  const runs = (await listRuns(folder)).filter(isMeant);
  if (runs.length === 0) return undefined;
  const changes = await Promise.all(runs.map(({ id }) => readChanges(journalPath(folder, id))));
  return changes.flat().flatMap((change) => ('created' in change ? [change.created] : []));
}

/** Where the blog cannot be asked for a key, nothing is known to be there. */
async function wasMade(key: string, client: BlogClient): Promise<boolean> {
  const { findsByKey } = await client.blog();
  return findsByKey && (await client.articleByKey(key)).kind !== 'never-seen';
}
