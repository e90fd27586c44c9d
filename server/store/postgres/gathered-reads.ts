import { gathered } from '../../fair-shares.ts';
import {
  StoreError,
  type Blog,
  type Found,
  type FoundByKey,
  type Page,
  wholeBytes,
} from '../store.ts';
import type { Connector, Statement } from './connections.ts';
import { isOfOtherSchema, meaningOf } from './failures.ts';
import { type HolesRow, PagePlaces } from './page-places.ts';
import {
  type ResultRow,
  articleOf,
  type ArticleRow,
  type ArticleKey,
  type BlogFound,
  blogOf,
  type BlogRow,
  foundOf,
  pageOf,
  readBlog,
} from './rows.ts';
import { pageOfRank, pagesFrom, reads, writes } from './sql.ts';
import type { Format, SchemaSeen } from './transaction.ts';

/** Articles of one statement; more are asked for in several. */
const MOST_AT_ONCE = 200;
/** Pages of one statement: what comes behind it must not wait for long. */
const MOST_PAGES = 16;
/** Sizes of pages whose statements are prepared. */
const MOST_SIZES = 8;
/** After a wait in vain the database is taken to be away for so long. */
const AWAY_MS = 100;
/** How often a page is asked for anew because of deletions, before the database does it all. */
const MOST_TRIES = 3;
/** Versions are times: of thousands of blogs they would add up to more than a number holds exactly. */
const FIRST_VERSION = Date.UTC(2026, 0);

type Nothing = { readonly [Name in keyof ArticleRow]: ArticleRow[Name] | null };
type KeyAnswer = BlogRow & Nothing & { readonly request: string | null };
type PageAsked = {
  readonly blogId: number;
  readonly start: number;
  readonly skip: number;
  readonly version: number;
};
type PageFound = { readonly of: BlogFound | undefined; readonly text: string | null };
type Version = { readonly id: number; readonly version: number };

/**
 * Reads of what is committed. Those that arrive in one turn of the event loop are one statement,
 * which was sent after all of them came: each is answered by what was there after it was asked.
 */
export class GatheredReads {
  readonly #connectors: readonly Connector[];
  #places = new Map<number, PagePlaces>();
  /** Connections that there were when they were counted. */
  #made = 0;
  readonly article = gathered((all: readonly ArticleKey[]) => this.#articles(all), MOST_AT_ONCE);
  readonly blog = gathered((ids: readonly number[]) => this.#blogs(ids), MOST_AT_ONCE);
  /** Of a blog, or of all. */
  readonly version = gathered(
    (ids: readonly (number | undefined)[]) => this.#versions(ids),
    MOST_AT_ONCE,
  );
  readonly #sizes = new Map<number, (asked: PageAsked) => Promise<PageFound>>();
  #turn = 0;
  readonly #schema: SchemaSeen;
  #looking: Promise<void> | undefined;
  /** What was waited for in vain is not waited for again by the rest of the same answer. */
  #away: { readonly error: StoreError; readonly until: number } | undefined;

  constructor(connectors: readonly Connector[], schema: SchemaSeen) {
    this.#connectors = connectors;
    this.#schema = schema;
  }

  async blogs(): Promise<readonly Blog[]> {
    const rows = await this.#read<BlogRow>(read('allBlogs'), []);
    return rows.map((row) => blogOf(row));
  }

  async byKey(blogId: number, key: string): Promise<FoundByKey> {
    const [row] = await this.#read<KeyAnswer>(read('byKey'), [blogId, key]);
    if (row === undefined) return { kind: 'no-blog' };
    const blog = blogOf(row);
    if (row.request === null) return { kind: 'absent', blog };
    if (!hasArticle(row)) return { kind: 'gone', blog };
    return { kind: 'article', article: articleOf(row), request: row.request, blog };
  }

  async page(blogId: number, first: number, count: number): Promise<Page | undefined> {
    const pages = this.#pagesOf(count);
    for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
      const known = this.#known();
      const places = known.get(blogId) ?? new PagePlaces();
      const { version } = places;
      const { of, text } = await pages({ blogId, version, ...places.find(first) });
      if (of === undefined) return undefined;
      // Not before: whoever invents numbers of blogs must not fill the memory.
      known.set(blogId, places);
      if (of.holesVersion === version) return pageOf(of.blog, text);
      if (of.holesVersion < version) known.delete(blogId);
      else places.take(await this.#read<HolesRow>(read('holes'), [blogId, version]));
    }
    const asked = { name: 'pageOfRank', text: pageOfRank };
    const values = [[blogId], wholeBytes, first, count];
    const { numbered, blogs } = await this.#answers(asked, values);
    const of = blogs.get(blogId);
    return of && pageOf(of.blog, numbered.get(1) ?? null);
  }

  /** Who answers on a new connection may be a standby that lacks what was counted. */
  #known(): Map<number, PagePlaces> {
    const made = this.#connectors.reduce((sum, connector) => sum + connector.connectionsMade, 0);
    if (made !== this.#made) [this.#places, this.#made] = [new Map(), made];
    return this.#places;
  }

  /** A database keeps what has a name until the connection ends: the usual sizes have one. */
  #pagesOf(count: number): (asked: PageAsked) => Promise<PageFound> {
    const known = this.#sizes.get(count);
    if (known !== undefined) return known;
    const isUsual = this.#sizes.size < MOST_SIZES;
    const name = isUsual ? `pages of ${count}` : undefined;
    const asked = { name, text: pagesFrom(count) };
    const pages = gathered((all: readonly PageAsked[]) => this.#pages(asked, all), MOST_PAGES);
    if (isUsual) this.#sizes.set(count, pages);
    return pages;
  }

  async #pages(statement: Statement, all: readonly PageAsked[]) {
    const { numbered, blogs } = await this.#answers(statement, [
      all.map(({ blogId }) => blogId),
      wholeBytes,
      all.map(({ start }) => start),
      all.map(({ skip }) => skip),
      all.map(({ version }) => version),
    ]);
    return all.map(({ blogId }, at) => () => {
      return { of: blogs.get(blogId), text: numbered.get(at + 1) ?? null };
    });
  }

  /** Rows by their number, and the blogs, which have none. */
  async #answers(statement: Statement, values: readonly unknown[]) {
    const numbered = new Map<number, string | null>();
    const blogs = new Map<number, BlogFound>();
    // Of many rows, it takes less to make arrays than objects.
    const asked: Statement = { ...statement, rowMode: 'array' };
    for (const [n, text] of await this.#read<ResultRow>(asked, values)) {
      if (n === null) blogs.set(...readBlog(text));
      else numbered.set(n, text);
    }
    return { numbered, blogs };
  }

  async #articles(all: readonly ArticleKey[]): Promise<readonly (() => Found)[]> {
    const ids = [all.map(({ blogId }) => blogId), all.map(({ id }) => id)];
    const { numbered, blogs } = await this.#answers(read('articles'), ids);
    return all.map((one, at) => () => foundOf(one, blogs.get(one.blogId), numbered.get(at + 1)));
  }

  async #blogs(ids: readonly number[]): Promise<readonly (() => Blog | undefined)[]> {
    const rows = await this.#read<BlogRow>(read('blogs'), [[...new Set(ids)]]);
    const found = new Map(rows.map((row) => [row.blog, blogOf(row)]));
    return ids.map((id) => () => found.get(id));
  }

  async #versions(ids: readonly (number | undefined)[]): Promise<readonly (() => number)[]> {
    const rows = await this.#read<Version>(read('versions'), []);
    const all = rows.reduce((sum, { version }) => sum + version - FIRST_VERSION, 0);
    const known = new Map(rows.map(({ id, version }) => [id, version]));
    return ids.map((id) => () => (id === undefined ? all : (known.get(id) ?? 0)));
  }

  /** A long page does not stand before every article. */
  async #read<Row>(statement: Statement, values: readonly unknown[]) {
    this.#turn = (this.#turn + 1) % this.#connectors.length;
    const connector = this.#connectors[this.#turn];
    if (connector === undefined) return [];
    if (this.#away !== undefined && performance.now() < this.#away.until) throw this.#away.error;
    try {
      if (this.#schema.isDue) await (this.#looking ??= this.#look(connector));
      return await connector.read<Row>(statement, values);
    } catch (error) {
      if (isOfOtherSchema(error)) this.#schema.doubt();
      const met = meaningOf(error);
      if (met instanceof StoreError && met.failure === 'unreachable')
        this.#away = { error: met, until: performance.now() + AWAY_MS };
      throw met;
    }
  }

  /** A newer program may have changed the schema meanwhile, so that we must not read on. */
  async #look(connector: Connector): Promise<void> {
    try {
      const [format] = await connector.read<Format>({ name: 'format', text: writes.format }, []);
      this.#schema.see(format);
    } finally {
      this.#looking = undefined;
    }
  }
}

function read(name: keyof typeof reads): Statement {
  return { name, text: reads[name] };
}

function hasArticle(row: Nothing): row is ArticleRow {
  return row.id !== null;
}
