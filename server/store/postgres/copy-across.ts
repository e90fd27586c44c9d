import { readAddress } from './address.ts';
import { addToken, copyKeys, makeEmpty } from './copy.ts';
import { articlePieces, frozen, readBlogs, readTokens, type Source } from './copy-source.ts';
import { type Ask, transaction } from './open.ts';
import type { ArticleRow } from './rows.ts';
import { writes } from './statements.ts';
import { columns } from './transaction.ts';

const PIECE_BYTES = 1024 * 1024;
const PIECE_ROWS = 1000;

/** Copies a database as it is at one moment into an empty one: all of it or nothing. Answers the articles. */
export function copyAcross(from: string, to: string, blogId: number | undefined): Promise<number> {
  const { shown } = readAddress(from);
  return frozen(from, async (ask) => {
    const source = { ask, shown, blogs: await readBlogs(ask, shown, blogId) };
    return transaction(readAddress(to), (into) => copyAll(source, into, to));
  });
}

async function copyAll(source: Source, into: Ask, to: string): Promise<number> {
  const { ask, blogs } = source;
  await makeEmpty(into, to);
  const [format] = await ask('SELECT private FROM blogctl.format');
  await into('UPDATE blogctl.format SET private = $1', [format?.['private']]);
  const articles = await copyArticles(source, into);
  await copyKeysOf(source, into);
  const blogIds = blogs.map(({ blog }) => blog);
  for (const [table, names] of small) {
    const idName = table === 'blogs' ? 'id' : 'blog_id';
    const rows = await ask(
      `SELECT ${names.join(', ')} FROM blogctl.${table} WHERE ${idName} = ANY($1::bigint[])`,
      [blogIds],
    );
    const places = names.map((_, at) => `$${at + 1}`).join(', ');
    for (const row of rows) {
      await into(
        `INSERT INTO blogctl.${table} (${names.join(', ')}) VALUES (${places})`,
        names.map((name) => row[name]),
      );
    }
  }
  for (const token of await readTokens(ask)) await addToken(into, token);
  return articles;
}

/** Tables of few rows: one for each blog, for 256 ids with a deletion, or for a range of ids. */
const small: readonly (readonly [string, readonly string[]])[] = [
  [
    'blogs',
    ['id', 'title', 'description', 'tag', 'locked', 'next_id', 'total', 'version'].concat([
      'holes_version',
      'changed_at',
      'private',
    ]),
  ],
  ['holes', ['blog_id', 'bucket', 'holes', 'since']],
  ['never', ['blog_id', 'first', 'last']],
];

async function copyArticles({ ask, blogs }: Source, into: Ask): Promise<number> {
  let [articles, bytes]: [number, number] = [0, 0];
  let rows: ArticleRow[] = [];
  const put = async () => {
    const values = rows.map((row) => [
      row.blog_id, row.id, row.body, row.tag, row.updated_at, row.locked, row.private,
    ]); // prettier-ignore
    await into(writes.put, columns(values, 7));
    articles += rows.length;
    [rows, bytes] = [[], 0];
  };
  for await (const row of articlePieces(ask, blogs)) {
    rows.push(row);
    bytes += row.body.length;
    if (bytes >= PIECE_BYTES || rows.length === PIECE_ROWS) await put();
  }
  if (rows.length > 0) await put();
  return articles;
}

type KeyRow = Readonly<Record<'key' | 'request', string>> & {
  readonly article_id: number;
  readonly tombstone: string | null;
};

async function copyKeysOf({ ask, blogs }: Source, into: Ask): Promise<void> {
  for (const { blog } of blogs) {
    for (let last = ''; ;) {
      const rows = await ask<KeyRow>(
        `SELECT encode(key, 'hex') AS key, encode(request, 'hex') AS request, article_id, tombstone
          FROM blogctl.keys WHERE blog_id = $1 AND key > decode($2, 'hex') ORDER BY key LIMIT ${PIECE_ROWS}`,
        [blog, last],
      );
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end.key;
      const values = rows.map((row) => [blog, row.key, row.request, row.article_id, row.tombstone]);
      await into(copyKeys, columns(values, 5));
    }
  }
}
