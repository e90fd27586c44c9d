import { StoreError, type Article } from '../store.ts';
import { BatchState, type BlogState, type Change } from './changes.ts';
import type { Connection } from './connections.ts';
import type { OutageListener } from './failures.ts';
import { articleOf, type ArticleRow, type BlogRow } from './rows.ts';
import { SCHEMA_VERSION, writes } from './sql.ts';

/** What a read goes by is looked at again after so long. */
const LOOK_MS = 10_000;

type ChangeRequest = Omit<Change<unknown>, 'judge'>;

/** Which writer, and the number of its batch. */
export type Marked = { readonly id: string; readonly seq: number };

export type CommitOptions = {
  /** How long a lock is waited for, and a database that does not answer, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly schema: SchemaSeen;
};

type Loaded = {
  readonly state: BatchState;
  /** What this writer committed last; 0 where that was not asked for. */
  readonly seq: number;
};

type TargetRow = ArticleRow & { readonly article_id: number; readonly never: boolean };
type Key = ArticleRow & {
  readonly name: string;
  readonly request: string;
  readonly article_id: number;
};

/**
 * First round trip: begins, locks the blogs in ascending order, and then reads what their changes
 * are judged by. Each statement sees all that earlier holders of the locks committed. What its writer
 * committed last is only asked for with `marked`.
 */
export async function loadState(
  connection: Connection,
  changes: readonly ChangeRequest[],
  marked: Marked | undefined,
  { writeTimeoutMs, schema }: CommitOptions,
): Promise<Loaded> {
  const ask = asking(connection);
  const guarded = changes.find(({ first: count }) => count > 0);
  const targets = changes.flatMap(({ blogId, id: each }) => pairOf(blogId, each));
  const keyed = changes.flatMap(({ blogId, key }) => pairOf(blogId, key));
  const blogIds = [...new Set(changes.map(({ blogId }) => blogId))].sort((a, b) => a - b);
  const [, , format, blogs, marker, found, keys, first] = await Promise.all([
    connection.query({ text: writes.begin(writeTimeoutMs) }),
    ask('durably'),
    ask('format'),
    ask('lock', [blogIds]),
    marked && ask('marker', [marked.id]),
    targets.length > 0 ? ask('targets', pairs(targets)) : undefined,
    keyed.length > 0 ? ask('keys', pairs(keyed)) : undefined,
    guarded && ask('firstArticles', [guarded.blogId, guarded.first]),
  ]);
  // Read in every batch, because it keeps an upgrade out for as long as the batch runs.
  schema.see(format.rows[0]);
  const state = new BatchState(
    (first?.rows ?? []).map((row: ArticleRow): Article => articleOf(row)),
  );
  for (const row of blogs.rows) state.blogs.set(row.blog, blogState(row));
  for (const row of found?.rows ?? []) noteTarget(state, row);
  for (const row of keys?.rows ?? []) noteKey(state, row);
  return { state, seq: marker?.rows[0]?.seq ?? 0 };
}

/** Second round trip: everything of the batch, and COMMIT behind it. */
export function writeState(connection: Connection, state: BatchState, { id, seq }: Marked) {
  const ask = asking(connection);
  const put = [...state.put.values()];
  const removed = [...state.removed].map((place) => place.split(':').map(Number));
  const changed = [...state.blogs.values()].filter(({ isChanged }) => isChanged);
  const holes = changed.flatMap((blog) =>
    [...blog.holes].map(([bucket, count]) => [blog.blog, bucket, count, nextVersion(blog)]),
  );
  const before = [
    ...(removed.length > 0 ? [ask('remove', columns(removed, 2))] : []),
    ...(state.newKeys.length > 0 ? [ask('addKeys', columns(keyRows(state), 4))] : []),
    ...(holes.length > 0 ? [ask('addHoles', columns(holes, 4))] : []),
    ask('save', [...putColumns(put), ...blogColumns(changed), id, seq]),
  ];
  return { before, commit: connection.query({ text: 'COMMIT' }) };
}

type Named = Exclude<keyof typeof writes, 'begin'>;

function asking(connection: Connection) {
  return (name: Named, values: readonly unknown[] = []) =>
    connection.query({ name, text: writes[name], values: [...values] });
}

/** Which schema a database has, and the oldest program that may work on it. */
export type Format = { readonly version: number; readonly readable_from: number };

export function requireFormat({
  version = 0,
  readable_from: from = 0,
}: Partial<Format> = {}): void {
  if (from <= SCHEMA_VERSION && version >= SCHEMA_VERSION) return;
  const text =
    from > SCHEMA_VERSION
      ? `The database was upgraded by a newer blogctl: it has schema ${version}, this one knows ${SCHEMA_VERSION}.`
      : `The database has schema ${version}, not ${SCHEMA_VERSION}.`;
  throw new StoreError('other-schema', text);
}

/** Whether this program may work on the schema, as whoever looked last found it. */
export class SchemaSeen {
  readonly #outages: OutageListener | undefined;
  #until = 0;

  constructor(outages?: OutageListener) {
    this.#outages = outages;
  }

  /** Nobody looked of late, or what was found was no good: a read looks first. */
  get isDue(): boolean {
    return performance.now() >= this.#until;
  }

  /** Throws where it may not. */
  see(format: Format | undefined): void {
    this.#until = 0;
    try {
      requireFormat(format);
    } catch (error) {
      this.#outages?.met(error, 'schema');
      throw error;
    }
    this.#until = performance.now() + LOOK_MS;
    this.#outages?.over('schema');
  }

  /** Something was not where it has to be. */
  doubt(): void {
    this.#until = 0;
  }
}

type Pair = readonly [blogId: number, other: string | number];

function pairOf(blogId: number, other: string | number | undefined): readonly Pair[] {
  return other === undefined ? [] : [[blogId, other]];
}

/** Each pair once, as two arrays. */
function pairs(all: readonly Pair[]): readonly (readonly unknown[])[] {
  const each = [...new Map(all.map((pair) => [pair.join(':'), pair])).values()];
  return columns(each, 2);
}

function blogState(row: BlogRow & { readonly now: number }): BlogState {
  return { ...row, isChanged: false, holes: new Map() };
}

function noteTarget(state: BatchState, row: TargetRow): void {
  const place = `${row.blog_id}:${row.article_id}`;
  state.articles.set(place, row.id === null ? null : row);
  if (row.never) state.never.add(place);
}

function noteKey(state: BatchState, row: Key): void {
  state.keys.set(`${row.blog_id}:${row.name}`, { request: row.request, article: row.article_id });
  const place = `${row.blog_id}:${row.article_id}`;
  state.articles.set(place, row.id === null ? null : row);
}

function putColumns(rows: readonly ArticleRow[]): readonly unknown[] {
  const [blogs, ids, ...others] = columns(
    // Where array_nulls is off, null in an array is a text.
    rows.map((row) => [
      row.blog_id,
      row.id,
      row.tag,
      row.updated_at,
      row.locked,
      row.private ?? '',
    ]),
    6,
  );
  return [blogs, ids, textArray(rows.map(({ body }) => body)), ...others];
}

const TEXT_OID = 25;

/** An array as the server keeps it: written as text, it has a mark before each quote of a text. */
function textArray(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(20 + lengths.reduce((sum, length) => sum + 4 + length, 0));
  let at = 0;
  const [dimensions, nulls, lowest] = [1, 0, 1];
  for (const number of [dimensions, nulls, TEXT_OID, texts.length, lowest])
    at = bytes.writeInt32BE(number, at);
  for (const [place, text] of texts.entries()) {
    at = bytes.writeInt32BE(lengths[place] ?? 0, at);
    at += bytes.write(text, at);
  }
  return bytes;
}

function keyRows(state: BatchState): readonly (readonly unknown[])[] {
  return state.newKeys.map(({ blogId, key, request, id }) => [blogId, key, request, id]);
}

function blogColumns(blogs: readonly BlogState[]): readonly unknown[] {
  return columns(
    blogs.map((blog) => blogValues(blog)),
    10,
  );
}

/** A version that was lost with a server must be none of whoever goes on without it: hence the clock. */
function nextVersion({ version, now }: BlogState): number {
  return Math.max(version + 1, now);
}

function blogValues(blog: BlogState): readonly unknown[] {
  const version = nextVersion(blog);
  const holes = blog.holes.size > 0 ? version : blog.holes_version;
  const { next_id, total, changed_at, blog_tag, blog_locked, title, description } = blog;
  const counts = [blog.blog, next_id, total, version, holes, changed_at];
  return [...counts, blog_tag, blog_locked, title, description];
}

/** Rows as the arrays that `unnest` takes. */
export function columns(rows: readonly (readonly unknown[])[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, at) => rows.map((row) => row[at]));
}
