import type { Check } from '../json-file/check.ts';
import { type Hint, UnusableStore } from '../unusable-store.ts';
import type { StoredToken } from '../token-file.ts';
import { readAddress } from './address.ts';
import { articleColumns, type CopyIn, CopyRows, keyColumns, putBlogs } from './copy-rows.ts';
import { addToken, doubtOf, makeEmpty, type StoreCopy } from './copy.ts';
import { requireUnicode } from './open.ts';
import { type Running, transaction } from './owner-work.ts';
import { bucketOf, type Counts, miscountsOf } from './page-places.ts';
import { type ArticleRow, type BlogRow, blogTagHolds, checksumHolds } from './rows.ts';
import { type Ask, neverOf, reads, writes } from './sql.ts';
import { type Format, requireFormat } from './transaction.ts';
import { entryOf, type TokenRow } from './tokens.ts';

/** Read at once: so many rows, and so many bytes of bodies and one body more. */
const PIECE_ROWS = 1000;
const PIECE_BYTES = 1024 * 1024;

/** Copies a database as it is at one moment into an empty one: all of it or nothing. Answers the articles. */
export function copyAcross({ from, to, blogId, ...running }: StoreCopy): Promise<number> {
  const { shown, given } = readAddress(from);
  const copy = async (ask: Ask) => {
    const source = { ask, shown, given, blogs: await readBlogs(ask, shown, blogId) };
    const all = (into: Ask, copyIn: CopyIn) => copyAll(source, into, copyIn, to);
    return transaction(readAddress(to), all, { ...running, doubt: doubtOf(to) });
  };
  return frozen(from, copy, running);
}

async function copyAll(source: Source, into: Ask, copyIn: CopyIn, to: string): Promise<number> {
  const { ask, blogs } = source;
  await makeEmpty(into, to);
  const [format] = await ask('SELECT private FROM blogctl.format');
  await into('UPDATE blogctl.format SET private = $1', [format?.['private']]);
  const articles = await copyArticles(source, copyIn);
  await copyKeysOf(source, copyIn);
  const blogIds = blogs.map(({ blog }) => blog);
  for (const [table, names] of small) {
    const rows = await ask(
      `SELECT ${names.join(', ')} FROM blogctl.${table} WHERE blog_id = ANY($1::bigint[])`,
      [blogIds],
    );
    const given = names.map((_, at) => `$${at + 1}::bigint[]`).join(', ');
    await into(
      `INSERT INTO blogctl.${table} (${names.join(', ')}) SELECT * FROM unnest(${given})`,
      names.map((name) => rows.map((row) => row[name])),
    );
  }
  await putBlogs(into, blogs);
  for (const token of await readTokens(source)) await addToken(into, token);
  return articles;
}

/** Tables of short rows: for 256 ids with a deletion, or for a range of ids. */
const small = [
  ['holes', ['blog_id', 'bucket', 'holes', 'since']],
  ['never', ['blog_id', 'first', 'last']],
] as const;

async function copyArticles({ ask, blogs }: Source, copyIn: CopyIn): Promise<number> {
  const articles = new CopyRows(copyIn, articleColumns);
  for await (const row of articlePieces(ask, blogs)) {
    const { blog_id: blogId, id, body, tag, updated_at: updatedAt, locked } = row;
    await articles.add([blogId, id, body, tag, updatedAt, locked, row.private]);
  }
  await articles.end();
  return articles.count;
}

type KeyRow = Readonly<Record<'key' | 'request', Buffer>> & {
  readonly article_id: number;
  readonly tombstone: string | null;
};

async function copyKeysOf({ ask, blogs }: Source, copyIn: CopyIn): Promise<void> {
  const keys = new CopyRows(copyIn, keyColumns);
  for (const { blog } of blogs) {
    for (let last: Buffer = Buffer.of(); ;) {
      const rows = await ask<KeyRow>(
        `SELECT key, request, article_id, tombstone FROM blogctl.keys
          WHERE blog_id = $1 AND key > $2 ORDER BY key LIMIT ${PIECE_ROWS}`,
        [blog, last],
      );
      for (const row of rows)
        await keys.add([blog, row.key, row.request, row.article_id, row.tombstone]);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end.key;
    }
  }
  await keys.end();
}

/** A database that is copied, as it was at one moment. */
export type Source = {
  readonly ask: Ask;
  /** `role@host:port/name`. */
  readonly shown: string;
  /** The address without a password. */
  readonly given: string;
  /** Those that are copied, ascending; at least one. */
  readonly blogs: readonly BlogRow[];
};

/** Reads a database at one moment, however long it takes and whoever writes meanwhile. */
export function frozen<Result>(
  address: string,
  work: (ask: Ask) => Promise<Result>,
  running: Running,
) {
  const checked = async (ask: Ask) => {
    requireFormat((await ask<Format>(writes.format))[0]);
    return work(ask);
  };
  return transaction(readAddress(address), checked, { ...running, isRead: true });
}

export async function readBlogs(
  ask: Ask,
  shown: string,
  blogId: number | undefined,
): Promise<readonly BlogRow[]> {
  const all = await ask<BlogRow>(reads.allBlogs);
  const chosen = all.filter(({ blog }) => blogId === undefined || blog === blogId);
  if (chosen.length > 0) return chosen;
  const text = `${shown} has no blog${blogId === undefined ? '' : ` ${blogId}`}. Nothing was changed.`;
  const known = all.map(({ blog }) => blog).join(', ');
  const hint: Hint =
    known === '' ? 'Restore it from a backup of the database.' : `It has ${known}.`;
  throw new UnusableStore('foreign', text, { hint });
}

/** Live articles by ascending id, a bounded piece in memory. */
export async function* articlePieces(
  ask: Ask,
  blogs: readonly BlogRow[],
): AsyncIterable<ArticleRow> {
  const blogIds = blogs.map(({ blog }) => blog);
  // Two blogs may have one id, in a copy into a database.
  for (let [blog, id] = [0, 0]; ;) {
    const rows = await ask<ArticleRow>(piece, [blogIds, id, blog]);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    [blog, id] = [last.blog_id, last.id];
  }
}

const piece = `SELECT blog_id, id, body, tag, updated_at, locked, private FROM (
  SELECT x.*, sum(octet_length(x.body)) OVER (ORDER BY x.id, x.blog_id) - octet_length(x.body) AS before
  FROM unnest($1::bigint[]) AS b (id) CROSS JOIN LATERAL (
    SELECT * FROM blogctl.articles a
    WHERE a.blog_id = b.id AND a.id >= $2 AND (a.id > $2 OR a.blog_id > $3)
    ORDER BY a.id LIMIT ${PIECE_ROWS}) x
  ORDER BY x.id, x.blog_id LIMIT ${PIECE_ROWS}) y
  WHERE before < ${PIECE_BYTES} ORDER BY id, blog_id`;

/** A token for blogs that are not copied would be one for whatever gets their ids later. */
export async function readTokens({ ask, blogs: copied }: Source): Promise<readonly StoredToken[]> {
  const isCopied = (id: number) => copied.some(({ blog }) => blog === id);
  const rows = await ask<TokenRow & Pick<StoredToken, 'sha256'>>(
    `SELECT id, name, encode(sha256, 'hex') AS sha256, blogs, rights, created_at, expires_at
      FROM blogctl.tokens ORDER BY created_at, id`,
  );
  return rows
    .map((row) => ({ ...row, blogs: row.blogs && row.blogs.filter(isCopied) }))
    .filter(({ blogs }) => blogs?.length !== 0)
    .map(({ sha256, ...row }) => ({ ...entryOf(row), sha256 }));
}

type Problem = Check['problems'][number];

/** Every tag against its body, and totals and holes against the rows, all of one moment. */
export async function checkPostgres(text: string, report: Running['report']): Promise<Check> {
  return frozen(text, check, { report });
}

async function check(ask: Ask): Promise<Check> {
  await requireUnicode(ask);
  const problems: Problem[] = [];
  let articles = 0;
  const note = (what: string) => problems.push({ what });
  for (const blog of await ask<BlogRow>(reads.allBlogs)) {
    const { blog: blogId, next_id: nextId } = blog;
    const live = await readAll(ask, blog, (row) => {
      if (!checksumHolds(row, Buffer.from(row.body))) {
        note(`article ${row.id} of blog ${blogId}: its checksum does not hold`);
      }
      if (row.id >= nextId)
        note(`article ${row.id} of blog ${blogId} has an id not handed out yet`);
    });
    articles += live.total;
    if (live.total !== blog.total) {
      note(`blog ${blogId} counts ${blog.total} articles and has ${live.total}`);
    }
    for (const what of await wrongHoles(ask, blog, live.byBucket)) note(what);
    if (!blogTagHolds(blog)) note(`blog ${blogId}: its tag is not that of its texts`);
  }
  for (const { what } of await ask<Problem>(strays)) note(what);
  for (const { pid, since } of await ask(oldSnapshots)) {
    const what = `session ${String(pid)} has kept a transaction open since ${String(since)}: reads get slower`;
    problems.push({ what, isAdvice: true });
  }
  const isBroken = problems.some(({ isAdvice }) => isAdvice !== true);
  const verdict = isBroken ? 'broken' : problems.length > 0 ? 'usable' : 'sound';
  return { verdict, articles, problems };
}

/** What is of no blog, or of an id that its blog never gave, and what nobody could use. */
const strays = `SELECT format('blog %s is not there, and there are %s of it', blog_id, name) AS what
    FROM (SELECT blog_id, 'articles' AS name FROM blogctl.articles UNION SELECT blog_id, 'keys' FROM blogctl.keys
      UNION SELECT blog_id, 'holes' FROM blogctl.holes UNION SELECT blog_id, 'never' FROM blogctl.never) x
    WHERE NOT EXISTS (SELECT FROM blogctl.blogs b WHERE b.id = blog_id)
  UNION ALL SELECT format('blog %s: keys of ids not handed out yet: %s', b.id, count(*))
    FROM blogctl.keys k JOIN blogctl.blogs b ON b.id = k.blog_id WHERE article_id >= next_id GROUP BY b.id
  UNION ALL SELECT format('article %s of blog %s is hidden: it is among ids that were never there', t.id, t.blog_id)
    FROM blogctl.articles t JOIN ${neverOf('t.id')} WHERE EXISTS (SELECT FROM blogctl.never)
  UNION ALL SELECT format('article %s of blog %s has no id that can be asked for', id, blog_id) FROM blogctl.articles WHERE id < 1
  UNION ALL SELECT format('token %s has rights or a checksum that no token has', id) FROM blogctl.tokens
    WHERE NOT rights <@ '{create,update,delete}' OR octet_length(sha256) <> 32
  UNION ALL SELECT 'a table that is missing is told' FROM blogctl.writers WHERE false`;

const oldSnapshots = `SELECT pid, xact_start::text AS since FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND xact_start < now() - interval '5 minutes'`;

async function readAll(ask: Ask, blog: BlogRow, see: (row: ArticleRow) => void) {
  const byBucket = new Map<number, number>();
  let total = 0;
  for await (const row of articlePieces(ask, [blog])) {
    see(row);
    total += 1;
    const bucket = bucketOf(row.id);
    if (row.id < blog.next_id) byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + 1);
  }
  return { total, byBucket };
}

async function wrongHoles(ask: Ask, { blog, next_id: nextId }: BlogRow, live: Counts) {
  const rows = await ask('SELECT bucket, holes FROM blogctl.holes WHERE blog_id = $1', [blog]);
  const counted = new Map(rows.map((row) => [Number(row['bucket']), Number(row['holes'])]));
  return miscountsOf(nextId - 1, counted, live).map(
    ({ first, end, known, there }) =>
      `blog ${blog}, ids ${first} to ${end}: ${known} holes counted, ${there} there`,
  );
}
