import { StoreError, type Blog, type Found, type FoundByKey, type Page } from '../store.ts';
import type { Connector, Statement } from './connections.ts';
import { isOfOtherSchema, meaningOf } from './failures.ts';
import { type HolesRow, PagePlaces } from './page-places.ts';
import {
  type ArticleAnswer,
  articleOf,
  type ArticleRow,
  type Asked,
  type BlogFound,
  blogIn,
  blogOf,
  type BlogRow,
  foundOf,
  type PageRow,
  pageOf,
  readBlog,
} from './rows.ts';
import { pageFrom, pageOfRank, reads, writes } from './sql.ts';
import { requireFormat } from './transaction.ts';

/** Articles of one statement; more are asked for in several. */
const MOST_AT_ONCE = 200;
/** From here on a page is read without the texts. */
const LONG_BYTES = 2 * 1024 * 1024;
/** Sizes of pages whose statements are prepared. */
const MOST_SIZES = 8;
/** How often a page is asked for anew because of deletions, before the database does it all. */
const MOST_TRIES = 3;
/** The schema's version is read again after so long. */
const LOOK_MS = 10_000;

type Nothing = { readonly [Name in keyof ArticleRow]: ArticleRow[Name] | null };
type KeyAnswer = BlogRow & Nothing & { readonly request: string | null };
type Format = { readonly version: number; readonly readable_from: number };
type Version = { readonly id: number; readonly version: number };

/**
 * Reads of what is committed. Those that arrive in one turn of the event loop are one statement,
 * which was sent after all of them came: each is answered by what was there after it was asked.
 */
export class GatheredReads {
  readonly #connectors: readonly Connector[];
  readonly #places = new Map<number, PagePlaces>();
  readonly #article: (asked: Asked) => Promise<Found>;
  readonly #blog: (blogId: number) => Promise<Blog | undefined>;
  readonly #version: (blogId: number | undefined) => Promise<number>;
  readonly #sizes = new Set<number>();
  #turn = 0;
  /** When the schema's version was read last, and what came of it. */
  #looked = 0;
  #format: Promise<void> = Promise.resolve();

  constructor(connectors: readonly Connector[]) {
    this.#connectors = connectors;
    this.#article = gathered((all) => this.#articles(all));
    this.#blog = gathered((ids) => this.#blogs(ids));
    this.#version = gathered((ids) => this.#versions(ids));
  }

  article(blogId: number, id: number): Promise<Found> {
    return this.#article({ blogId, id });
  }

  blog(blogId: number): Promise<Blog | undefined> {
    return this.#blog(blogId);
  }

  /** Of a blog, or of all. */
  version(blogId?: number): Promise<number> {
    return this.#version(blogId);
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
    const places = this.#places.get(blogId) ?? new PagePlaces();
    for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
      const { version } = places;
      const { start, skip } = places.find(first);
      const asked = inArrays({ name: this.#nameOf(count), text: pageFrom(count) });
      const rows = await this.#read<PageRow>(asked, [blogId, LONG_BYTES, start, version, skip]);
      const found = blogIn(rows, blogId);
      if (found === undefined) return undefined;
      // Not before: whoever invents numbers of blogs must not fill the memory.
      this.#places.set(blogId, places);
      if (found.holesVersion === version) return pageOf(rows, found.blog);
      const holes = await this.#read<HolesRow>(read('holes'), [blogId, version]);
      places.take(holes, found.holesVersion);
    }
    const asked = inArrays({ name: 'pageOfRank', text: pageOfRank });
    const rows = await this.#read<PageRow>(asked, [blogId, LONG_BYTES, first, count]);
    const found = blogIn(rows, blogId);
    return found && pageOf(rows, found.blog);
  }

  /** A database keeps what has a name until the connection ends: the usual sizes have one. */
  #nameOf(count: number): string | undefined {
    if (this.#sizes.size < MOST_SIZES) this.#sizes.add(count);
    return this.#sizes.has(count) ? `page of ${count}` : undefined;
  }

  async #articles(all: readonly Asked[]): Promise<readonly (() => Found)[]> {
    const ids = [all.map(({ blogId }) => blogId), all.map(({ id }) => id)];
    const rows = await this.#read<ArticleAnswer>(inArrays(read('articles')), ids);
    const found = new Map<number, ArticleAnswer>();
    const blogs = new Map<number, BlogFound>();
    for (const row of rows) {
      const [n, , , , , body] = row;
      if (n === null) blogs.set(...readBlog(body));
      else found.set(n, row);
    }
    return all.map((one, at) => () => foundOf(one, blogs.get(one.blogId), found.get(at + 1)));
  }

  async #blogs(ids: readonly number[]): Promise<readonly (() => Blog | undefined)[]> {
    const rows = await this.#read<BlogRow>(read('blogs'), [[...new Set(ids)]]);
    const found = new Map(rows.map((row) => [row.blog, blogOf(row)]));
    return ids.map((id) => () => found.get(id));
  }

  async #versions(ids: readonly (number | undefined)[]): Promise<readonly (() => number)[]> {
    const rows = await this.#read<Version>(read('versions'), []);
    const all = rows.reduce((sum, { version }) => sum + version, 0);
    const known = new Map(rows.map(({ id, version }) => [id, version]));
    return ids.map((id) => () => (id === undefined ? all : (known.get(id) ?? 0)));
  }

  /** A long page does not stand before every article. */
  async #read<Answer>(statement: Statement, values: readonly unknown[]) {
    this.#turn = (this.#turn + 1) % this.#connectors.length;
    const connector = this.#connectors[this.#turn];
    if (connector === undefined) return [];
    try {
      await this.#requireFormat(connector);
      return await connector.read<Answer>(statement, values);
    } catch (error) {
      if (isOfOtherSchema(error)) this.#looked = 0;
      throw meaningOf(error);
    }
  }

  /** A newer program may have changed the schema meanwhile, so that we must not read on. */
  #requireFormat(connector: Connector): Promise<void> {
    if (Date.now() - this.#looked < LOOK_MS) return this.#format;
    this.#looked = Date.now();
    this.#format = connector
      .read<Format>({ name: 'format', text: writes.format }, [])
      .then(([format]) => {
        requireFormat(format?.version, format?.readable_from);
      });
    // Nobody was told anything: the next read looks again.
    this.#format.catch((error: unknown) => {
      if (!(error instanceof StoreError)) this.#looked = 0;
    });
    return this.#format;
  }
}

/** Of many rows, it takes less to make arrays than objects. */
function inArrays(statement: Statement): Statement {
  return { ...statement, rowMode: 'array' };
}

function read(name: keyof typeof reads): Statement {
  return { name, text: reads[name] };
}

type Waiting<Question, Answer> = {
  readonly asked: Question;
  readonly give: (answer: Answer) => void;
  readonly refuse: (error: unknown) => void;
};

/** Gathers what is asked in one turn of the event loop, and hands each its own answer. */
function gathered<Question, Answer>(
  ask: (all: readonly Question[]) => Promise<readonly (() => Answer)[]>,
): (asked: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  const answer = async (some: typeof waiting) => {
    try {
      const answers = await ask(some.map(({ asked }) => asked));
      for (const [at, one] of some.entries()) handOver(one, answers[at] ?? missing);
    } catch (error) {
      for (const { refuse } of some) refuse(error);
    }
  };
  const send = () => {
    const now = waiting;
    waiting = [];
    for (let from = 0; from < now.length; from += MOST_AT_ONCE) {
      void answer(now.slice(from, from + MOST_AT_ONCE));
    }
  };
  return (asked) =>
    new Promise((give, refuse) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ asked, give, refuse });
    });
}

/** What one answer lacks is nothing to the others. */
function handOver<Answer>({ give, refuse }: Waiting<unknown, Answer>, made: () => Answer): void {
  try {
    give(made());
  } catch (error) {
    refuse(error);
  }
}

function missing(): never {
  throw new RangeError('An answer is missing.');
}

function hasArticle(row: Nothing): row is ArticleRow {
  return row.id !== null;
}
