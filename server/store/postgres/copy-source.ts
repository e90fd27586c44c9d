import type { StoredToken } from '../token-file.ts';
import { UnusableStore } from '../json-file/unusable-store.ts';
import { readAddress } from './address.ts';
import { type Ask, transaction } from './open.ts';
import { requireFormat } from './transaction.ts';
import type { ArticleRow, BlogRow } from './rows.ts';
import { reads, writes } from './statements.ts';

/** Read at once: so many rows, and so many bytes of bodies and one body more. */
const PIECE_ROWS = 1000;
const PIECE_BYTES = 1024 * 1024;

/** A database that is copied, as it was at one moment. */
export type Source = {
  readonly ask: Ask;
  /** `role@host:port/name`. */
  readonly shown: string;
  /** Those that are copied, ascending; at least one. */
  readonly blogs: readonly BlogRow[];
};

/** Reads a database at one moment, however long it takes and whoever writes meanwhile. */
export function frozen<Result>(address: string, work: (ask: Ask) => Promise<Result>) {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';
  const checked = async (ask: Ask) => {
    const [format] = await ask(writes.format);
    requireFormat(format?.['version'], format?.['readable_from']);
    return work(ask);
  };
  return transaction(readAddress(address), checked, begin);
}

export async function readBlogs(
  ask: Ask,
  shown: string,
  blogId: number | undefined,
): Promise<readonly BlogRow[]> {
  const all = await ask<BlogRow>(reads.allBlogs);
  const chosen = all.filter(({ blog }) => blogId === undefined || blog === blogId);
  if (chosen.length > 0) return chosen;
  throw new UnusableStore('foreign', `${shown} has no blog ${blogId ?? ''}. Nothing was changed.`, {
    hint: `It has ${all.map(({ blog }) => blog).join(', ')}.`,
  });
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

export async function readTokens(ask: Ask): Promise<readonly StoredToken[]> {
  const rows = await ask<TokenRow>(
    `SELECT id, name, encode(sha256, 'hex') AS sha256, blogs, rights, created_at, expires_at
      FROM blogctl.tokens ORDER BY created_at, id`,
  );
  return rows.map(({ id, name, sha256, rights, ...row }) => ({
    id,
    name,
    sha256,
    ...(row.blogs !== null && { blogs: row.blogs }),
    rights,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  }));
}

type TokenRow = Pick<StoredToken, 'id' | 'name' | 'sha256' | 'rights'> & {
  readonly blogs: number[] | null;
  readonly created_at: number;
  readonly expires_at: number | null;
};
