import { lockStore } from '../json-file/store-lock.ts';
import { beginNewFile, type NewFile } from '../json-file/format/new-file.ts';
import { hasCode } from '../file-system/file-system.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import {
  composeLine,
  keyAlone,
  readArticleLine,
  withTag,
  tagValueAt,
} from '../json-file/format/article-line.ts';
import type { Head, Range } from '../json-file/format/head.ts';
import { ETAG, ID } from '../json-file/format/line-bytes.ts';
import { LineSums } from '../json-file/format/footer.ts';
import { inShell, orUnusable, UnusableStore } from '../unusable-store.ts';
import { writeNewTokens } from '../token-file.ts';
import { readAddress } from './address.ts';
import { articlePieces, frozen, readBlogs, readTokens, type Source } from './one-moment.ts';
import type { StoreCopy } from './copy.ts';
import type { Ask } from './sql.ts';
import { checksumHoldsAs, lineText, revisionOf, type ArticleRow, type BlogRow } from './rows.ts';

/**
 * Writes a database as it is at one moment into a new store file, with its tokens beside it. There is
 * no such file before all of it is on the disk. Answers the articles.
 */
export async function copyOutOfPostgres(copying: StoreCopy): Promise<number> {
  const { to: path } = copying;
  if (realFileSystem.stat(path) !== undefined) throw inTheWay(path);
  // Whoever has the lock removes what copies that were killed left of this file.
  const lock = await orUnusable(path, () => lockStore(realFileSystem, path, Date.now()));
  try {
    return await copyOut(copying);
  } finally {
    await lock.release(true);
  }
}

function copyOut({ from, to: path, blogId, ...running }: StoreCopy): Promise<number> {
  const { shown, given } = readAddress(from);
  const copy = async (ask: Ask) => {
    const source = { ask, shown, given, blogs: await readBlogs(ask, shown, blogId) };
    const never = await refuseSharedIds(source);
    const tombstones = await readTombstones(source);
    const head = await headOf(source, never, tombstones);
    return orUnusable(path, async () => {
      const newFile = await beginNewFile(realFileSystem, path, { head });
      try {
        const articles = await writeLines(source, newFile, tombstones);
        await writeNewTokens(path, await readTokens(source));
        newFile.nameNew();
        await newFile.syncName();
        newFile.file.close();
        return articles;
      } catch (error) {
        await newFile.discard();
        throw hasCode(error, 'EEXIST') ? inTheWay(path) : error;
      }
    });
  };
  return frozen(from, copy, running);
}

function inTheWay(path: string): UnusableStore {
  return new UnusableStore('exists', `${path} exists already. Nothing was changed.`, {
    hint: 'Name a new file to copy into.',
  });
}

/** In a file all blogs share one series of ids. Answers the ids that each blog never had. */
async function refuseSharedIds({ ask, shown, blogs }: Source): Promise<Map<number, Range[]>> {
  const never = new Map(blogs.map(({ blog }): [number, Range[]] => [blog, []]));
  const rows = await ask<{ blog_id: number; first: number; last: number }>(
    'SELECT blog_id, first, last FROM blogctl.never ORDER BY blog_id, first',
  );
  for (const { blog_id: blog, first, last } of rows) never.get(blog)?.push([first, last]);
  const used = blogs.flatMap(({ blog, next_id: next }) =>
    minus([[1, next - 1]], never.get(blog) ?? []).map((range) => ({ blog, range })),
  );
  used.sort((a, b) => a.range[0] - b.range[0]);
  for (const [at, { blog, range }] of used.entries()) {
    const before = used[at - 1];
    if (before === undefined || before.range[1] < range[0]) continue;
    const message = `${shown}: blogs ${before.blog} and ${blog} both have an article ${range[0]}, and a file has one series of ids.`;
    throw new UnusableStore('foreign', `${message} Nothing was changed.`, {
      hint: `Copy each blog into a file of its own: --on-blog ${blog}.`,
    });
  }
  return never;
}

/** Ranges without what others cover; both ascending and apart. */
function minus(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const [first, last] of ranges) {
    let from = first;
    while ((others[at]?.[1] ?? Infinity) < from) at += 1;
    for (let next = at; (others[next]?.[0] ?? Infinity) <= last; next += 1) {
      const [otherFirst, otherLast] = others[next] ?? [0, 0];
      if (otherFirst > from) left.push([from, otherFirst - 1]);
      from = Math.max(from, otherLast + 1);
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

/** A deleted article whose Idempotency-Key is known on. */
type Tombstone = {
  readonly blog_id: number;
  readonly id: number;
  readonly key: string;
  readonly request: string;
  /** Its line in the file it came from. */
  readonly tombstone: string | null;
};

function readTombstones({ ask, blogs }: Source): Promise<readonly Tombstone[]> {
  return ask<Tombstone>(
    `SELECT k.blog_id, k.article_id AS id, encode(k.key, 'hex') AS key,
      encode(k.request, 'hex') AS request, k.tombstone
      FROM blogctl.keys k LEFT JOIN blogctl.articles a ON a.blog_id = k.blog_id AND a.id = k.article_id
      WHERE a.id IS NULL AND k.blog_id = ANY($1::bigint[]) ORDER BY k.article_id`,
    [blogs.map(({ blog }) => blog)],
  );
}

async function headOf(
  { ask, blogs }: Source,
  never: ReadonlyMap<number, readonly Range[]>,
  tombstones: readonly Tombstone[],
): Promise<Head> {
  const deleted = new Map<number, readonly Range[]>();
  for (const { blog } of blogs) {
    const own = tombstones
      .filter(({ blog_id: id }) => id === blog)
      .map(({ id }): Range => [id, id]);
    deleted.set(blog, minus(minus(await gapsIn(ask, blog), never.get(blog) ?? []), own));
  }
  const [format] = await ask<{ private: string | null }>('SELECT private FROM blogctl.format');
  return { blogs: blogs.map(recordOf), deleted, others: JSON.parse(format?.private ?? '[]') };
}

/** Ranges of ids below the next one that have no article. */
async function gapsIn(ask: Ask, blog: number): Promise<readonly Range[]> {
  const rows = await ask<{ first: number; last: number }>(
    `SELECT before + 1 AS first, id - 1 AS last FROM (
      SELECT id, lag(id, 1, 0::bigint) OVER (ORDER BY id) AS before FROM (
        SELECT id FROM blogctl.articles WHERE blog_id = $1
        UNION ALL SELECT next_id FROM blogctl.blogs WHERE id = $1) ids) pairs
      WHERE id > before + 1 ORDER BY id`,
    [blog],
  );
  return rows.map(({ first, last }) => [first, last]);
}

function recordOf(row: BlogRow): Head['blogs'][number] {
  return {
    id: row.blog,
    title: row.title,
    description: row.description,
    locked: row.blog_locked,
    unknown: row.blog_private ?? '',
    revision: Number.parseInt(row.blog_tag, 10),
    changedAt: row.changed_at,
  };
}

/** Live articles and deletions with a key, by ascending id. Answers the articles. */
async function writeLines(
  { ask, blogs, ...names }: Source,
  newFile: NewFile,
  tombstones: readonly Tombstone[],
): Promise<number> {
  const first = blogs[0]?.blog ?? 1;
  const sums = new LineSums();
  const append = async (id: number, line: Buffer) => {
    sums.add(id, tagValueAt(line, line.length));
    await newFile.append(Buffer.concat([line, Buffer.from('\n')]));
  };
  let [articles, buried] = [0, 0];
  const bury = async (below: number) => {
    for (
      let one = tombstones[buried];
      one !== undefined && one.id < below;
      one = tombstones[buried]
    ) {
      await append(one.id, tombstoneLine(one, first));
      buried += 1;
    }
  };
  for await (const row of articlePieces(ask, blogs)) {
    await bury(row.id);
    await append(row.id, liveLine(row, first, names));
    articles += 1;
  }
  await bury(Infinity);
  const lastId = Math.max(...blogs.map(({ next_id: next }) => next - 1));
  await newFile.finish({ articles, lastId, sums });
  return articles;
}

/** Its tag is kept; but where lines of another blog are those that name none, it gets a new tag. */
function liveLine(
  row: ArticleRow,
  first: number,
  { shown, given }: Pick<Source, 'shown' | 'given'>,
): Buffer {
  const json = Buffer.from(row.body);
  const isNamed = checksumHoldsAs(row, json, true);
  const isUnnamed = checksumHoldsAs(row, json, false);
  if (isNamed || (isUnnamed && row.blog_id === first)) {
    return Buffer.from(`${lineText(row, isNamed)}${ETAG}${row.tag}"}`);
  }
  if (isUnnamed) return Buffer.from(withTag(lineText(row, true), revisionOf(row)));
  const message = `${shown}: article ${row.id} of blog ${row.blog_id} is damaged. Nothing was changed.`;
  throw new UnusableStore('damaged', message, {
    hint: `Run \`blogctl store check ${inShell(given)}\`, and restore what it names from a backup.`,
  });
}

/** As it came from a file; a database itself keeps neither the date nor the tag of what it deleted. */
function tombstoneLine(
  { blog_id: blogId, id, key, request, tombstone }: Tombstone,
  first: number,
): Buffer {
  const kept = tombstone === null ? undefined : readArticleLine(Buffer.from(tombstone));
  if (kept !== undefined && (kept.blog ?? first) === blogId) return Buffer.from(tombstone ?? '');
  const { revision = 2, updatedAt = 0 } = kept ?? {};
  const blog = blogId === first ? undefined : blogId;
  const privates = keyAlone({ key, request });
  const { bytes } = composeLine({ id, blog, draft: undefined, updatedAt, privates, revision });
  return bytes.subarray(bytes.indexOf(ID), -1);
}
