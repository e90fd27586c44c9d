import { ByteWindow } from '../json-file/any-layout/byte-window.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import { publicJson, readArticleLine } from '../json-file/format/article-line.ts';
import type { Head } from '../json-file/format/head.ts';
import type { BlogIndex } from '../json-file/index/article-index.ts';
import type { Document } from '../json-file/recovery/document.ts';
import { openForReading } from '../json-file/recovery/recover.ts';
import { type Hint, inShell, UnusableStore } from '../unusable-store.ts';
import { readTokenHashes, type StoredToken } from '../token-file.ts';
import { readAddress } from './address.ts';
import { articleColumns, type CopyIn, CopyRows, keyColumns, putBlogs } from './copy-rows.ts';
import { hasSchema, makeSchema } from './open.ts';
import { type Running, transaction } from './owner-work.ts';
import { bucketOf, holesOf } from './page-places.ts';
import type { BlogRow } from './rows.ts';
import { type Ask, writes } from './sql.ts';
import { insertedToken, insertToken } from './tokens.ts';
import { columns, type Format, requireFormat } from './transaction.ts';

/** Read at once: neighbours stand together, but a changed article may stand anywhere. */
const WINDOW_BYTES = 64 * 1024;

/** What a file has, and where it stands. */
type Source = {
  readonly path: string;
  readonly window: ByteWindow;
  readonly document: Document;
};

export type StoreCopy = {
  readonly from: string;
  readonly to: string;
  /** Of a database, one blog alone. */
  readonly blogId?: number | undefined;
} & Pick<Running, 'report' | 'signal'>;

/**
 * Copies a store file with its tokens into an empty database, in one transaction: all of it or
 * nothing. Tags, dates, keys, private members and what was deleted are kept. Answers the articles.
 */
export async function copyIntoPostgres(
  path: string,
  { to: address, ...running }: StoreCopy,
): Promise<number> {
  const opening = { fileSystem: realFileSystem, path };
  const { file, document } = await openForReading(opening);
  const source = { path, document, window: new ByteWindow(file, WINDOW_BYTES) };
  try {
    if (document.unconfirmed !== undefined) throw unconfirmed(path);
    for (const blogIndex of document.index.blogs.values()) requireCountable(source, blogIndex);
    const copy = async (ask: Ask, copyIn: CopyIn) => {
      await makeEmpty(ask, address);
      await addOthers(ask, document.index.others);
      const blogs: BlogRow[] = [];
      for (const blogIndex of document.index.blogs.values())
        blogs.push(await copyBlog(ask, copyIn, source, blogIndex));
      await putBlogs(ask, blogs);
      for (const token of readTokenHashes(path)) {
        await addToken(ask, token);
      }
      return blogs.reduce((sum, { total }) => sum + total, 0);
    };
    return await transaction(readAddress(address), copy, { ...running, doubt: doubtOf(address) });
  } finally {
    file.close();
  }
}

/** Top-level members the store does not know. */
async function addOthers(ask: Ask, others: Head['others']): Promise<void> {
  if (others.length > 0)
    await ask('UPDATE blogctl.format SET private = $1', [JSON.stringify(others)]);
}

export async function addToken(ask: Ask, token: StoredToken): Promise<void> {
  await ask(insertToken, insertedToken(token));
}

function unconfirmed(path: string): UnusableStore {
  return new UnusableStore('damaged', `${path} is not as the store wrote it.`, {
    hint: `Look at it and confirm it by \`blogctl store check --accept-edits --store ${inShell(path)}\` before it is copied.`,
  });
}

export function doubtOf(to: string) {
  const look: Hint = `See \`blogctl store check ${inShell(readAddress(to).given)}\` before you run the same again.`;
  return { what: 'All of it may have been copied', look };
}

/** A schema without articles: made here, or by `store init`; an instance that serves it waits. */
export async function makeEmpty(ask: Ask, address: string): Promise<void> {
  if (!(await hasSchema(ask))) return makeSchema(ask);
  requireFormat((await ask<Format>(writes.format))[0]);
  await ask('SELECT FROM blogctl.blogs FOR UPDATE');
  const [used] = await ask(`SELECT EXISTS (SELECT FROM blogctl.blogs WHERE next_id > 1 OR id > 1)
    OR EXISTS (SELECT FROM blogctl.tokens) AS used`);
  if (used?.['used'] === true) {
    const { shown } = readAddress(address);
    throw new UnusableStore('exists', `${shown} is not empty. Nothing was changed.`, {
      hint: 'Copy into a database without articles, blogs and tokens.',
    });
  }
}

async function copyBlog(ask: Ask, copyIn: CopyIn, source: Source, blogIndex: BlogIndex) {
  const articles = new CopyRows(copyIn, articleColumns);
  const keys = new CopyRows(copyIn, keyColumns);
  const known = new Set<number>();
  const live = new Map<number, number>();
  const isNewKey = onceEach(source, blogIndex.id);
  for (const found of linesOf(source, blogIndex.live.members(0, blogIndex.live.size))) {
    const { id } = found.line;
    await articles.add(articleValues(blogIndex.id, found));
    if (isNewKey(found)) await keys.add(keyValues(blogIndex.id, found));
    known.add(id);
    live.set(bucketOf(id), (live.get(bucketOf(id)) ?? 0) + 1);
  }
  for (const found of linesOf(source, blogIndex.tombstones.members())) {
    if (isNewKey(found)) await keys.add(keyValues(blogIndex.id, found));
    known.add(found.line.id);
  }
  await articles.end();
  await keys.end();
  const total = articles.count;
  const ranges = [...blogIndex.forgotten];
  const last = lastOf(source.document, blogIndex);
  const version = Date.now();
  await addHoles(ask, blogIndex.id, last, live, version);
  await addNever(ask, blogIndex.id, gapsOf(known, ranges, last));
  const { locked, unknown, ...texts } = blogIndex.record;
  return {
    ...texts,
    blog: blogIndex.id,
    blog_tag: blogIndex.tag,
    blog_locked: locked,
    next_id: last + 1,
    total,
    version,
    holes_version: version,
    changed_at: blogIndex.changedAt,
    blog_private: unknown || null,
  };
}

/** Ids that have no article are counted for each 256, and each instance has all counts in memory. */
const HIGHEST_ID = 2 ** 28;

function requireCountable({ path, document }: Source, blogIndex: BlogIndex): void {
  const [blog, last] = [blogIndex.id, lastOf(document, blogIndex)];
  if (last <= HIGHEST_ID) return;
  const message = `${path}: blog ${blog} has ids up to ${last}; a database counts them up to ${HIGHEST_ID}. Nothing was changed.`;
  throw new UnusableStore('foreign', message, {
    hint: `Its articles go there with new ids, each blog by itself: \`blogctl articles export --blog ${inShell(`file:${path}#blog=${blog}`)}\` writes what \`blogctl articles import\` reads.`,
  });
}

/** The highest id that a blog ever gave; 0 where it gave none. */
function lastOf({ index: { slots } }: Document, blog: BlogIndex): number {
  let last = blog.forgotten.lastId;
  for (const members of [blog.live.members(0, blog.live.size), blog.tombstones.members()])
    for (const slot of members) last = Math.max(last, slots.idOf(slot));
  return last;
}

type Line = NonNullable<ReturnType<typeof readLine>>;

/** Good until the next one is read. */
function readLine({ window, document: { index } }: Source, slot: number) {
  const offset = index.slots.offsetOf(slot);
  const bytes = window.slice(offset, offset + index.slots.lengthOf(slot));
  const line = readArticleLine(bytes);
  return line && { bytes, line };
}

function* linesOf(source: Source, slots: Iterable<number>): Iterable<Line> {
  for (const slot of slots) {
    const found = readLine(source, slot);
    const id = source.document.index.slots.idOf(slot);
    if (found === undefined) throw damaged(source.path, id);
    yield found;
  }
}

function damaged(path: string, id: number): UnusableStore {
  return new UnusableStore('damaged', `${path}: article ${id} is damaged. Nothing was changed.`, {
    hint: `See \`blogctl store check --store ${inShell(path)}\`, and restore it from a backup.`,
  });
}

function articleValues(blogId: number, { bytes, line }: Line) {
  const { id, tag, updatedAt, locked, privateText } = line;
  return [blogId, id, publicJson(bytes, line), tag, updatedAt, locked, privateText || null];
}

/** Whether a line has a key, and is the first that has it: who edits a file may double one. */
function onceEach({ document: { keys } }: Source, blogId: number): (found: Line) => boolean {
  const doubled = new Set<string>();
  return ({ line: { key } }) => {
    if (key === undefined || doubled.has(key.key)) return false;
    if (keys.idsOf(blogId, key.key).length > 1) doubled.add(key.key);
    return true;
  };
}

function keyValues(blogId: number, { bytes, line: { id, key, isTombstone } }: Line) {
  const [name, request] = [key?.key, key?.request].map((hex = '') => Buffer.from(hex, 'hex'));
  return [blogId, name ?? null, request ?? null, id, isTombstone ? bytes : null];
}

/** Ids that have no article, deleted or never there: pages count by what is live. */
async function addHoles(
  ask: Ask,
  blogId: number,
  last: number,
  live: ReadonlyMap<number, number>,
  version: number,
): Promise<void> {
  const rows: number[][] = [];
  for (const { bucket, holes } of holesOf(last, live)) {
    if (holes > 0) rows.push([blogId, bucket, holes, version]);
  }
  if (rows.length > 0) await ask(writes.addHoles, columns(rows, 4));
}

async function addNever(ask: Ask, blogId: number, gaps: readonly Range[]): Promise<void> {
  if (gaps.length === 0) return;
  const rows = gaps.map(([first, last]) => [blogId, first, last]);
  await ask(
    'INSERT INTO blogctl.never SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])',
    columns(rows, 3),
  );
}

type Range = readonly [first: number, last: number];

/** Ids of 1 to `last` that this blog never had: they are another blog's. */
function gapsOf(known: ReadonlySet<number>, deleted: readonly Range[], last: number): Range[] {
  const gaps: Range[] = [];
  const taken = [...[...known].map((id): Range => [id, id]), ...deleted].sort(
    (a, b) => a[0] - b[0],
  );
  let next = 1;
  for (const [first, end] of taken) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, end + 1);
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}
