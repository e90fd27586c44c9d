/**
 * What the service needs of a store: articles, pages, changes and conflicts; nothing of files.
 * Every value returned is durable: what a client has read cannot vanish in a crash. A store may be
 * written by other processes too: what an answer holds is of one moment after the question, and
 * what a change must find true is asked inside it.
 *
 * A returned Article or Page is frozen.
 */
export type Store = {
  /** The blogs of this store, ascending by id. */
  blogs(): Promise<readonly Blog[]>;
  blog(blogId: number): Promise<Blog | undefined>;
  read(blogId: number, articleId: number): Promise<Found>;
  /** The article made with an idempotency key, by the hash of the key (decisions 51). */
  readByKey(blogId: number, key: string): Promise<FoundByKey>;
  /** Articles `first` to `first + count - 1` of the blog in ascending id order; `first` from 0. */
  page(blogId: number, first: number, count: number): Promise<Page | undefined>;
  create(blogId: number, draft: Draft, asked?: CreateAsked): Promise<Creation>;
  /**
   * Replaces title and content (interface, Endpoints, rules 3 and 4). `guard` is called inside the
   * change with the newest version, writes in flight included; what it throws is thrown here and
   * nothing is changed.
   */
  replace(blogId: number, articleId: number, draft: Draft, guard: Guard): Promise<Found>;
  /** Answers what was removed, or why there was nothing to remove. */
  remove(blogId: number, articleId: number, guard: Guard): Promise<Found>;
  /**
   * Another number whenever something that can be read has changed; with a subject whenever that has,
   * and more often where a store does not tell them apart. As of after the call.
   */
  version(subject?: Subject): number | Promise<number>;
  /** Why writes are refused at present, or the last one was for want of room; undefined while they are taken. */
  writesRefused(): StoreError | undefined | Promise<StoreError | undefined>;
  /** Of an article that somebody asked for and that cannot be read; absent where a store cannot tell. */
  damage?(): StoreError | undefined;
  /** Finishes what is queued, tidies, releases the lock. */
  close(): Promise<void>;
};

/** What an operator does to the blogs of a store. */
export type OwnerStore = {
  /** Answers the new blog's id. */
  addBlog(blog: { readonly title: string; readonly description: string }): Promise<number>;
  /** A new version of the blog itself; false where there is no such blog. */
  changeBlog(blogId: number, change: BlogChange): Promise<boolean>;
  /** A new version of the article (decisions 33). */
  lockArticle(blogId: number, articleId: number, locked: boolean): Promise<FoundArticle>;
};

export type BlogChange = {
  readonly title?: string;
  readonly description?: string;
  /** Against change, its articles too, or free again (decisions 33). */
  readonly locked?: boolean;
};

/** What a read is about: one article, or all of its blog. */
export type Subject = { readonly blogId: number; readonly articleId?: number | undefined };

export type Blog = {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  /** `<revision>-<crc32>` of the blog's own line, articles not included; equal on every instance. */
  readonly tag: string;
  /** Live articles. */
  readonly total: number;
  /**
   * Last change of the blog or its articles, deletions included; milliseconds since the epoch,
   * in the last tenth of a
   * second that saw more than one.
   */
  readonly changedAt: number;
  readonly locked: boolean;
  /** Of all that is read with it, in the numbers of `version`; only where to ask for it takes time. */
  readonly version?: number;
};

export type Article = ArticleSummary & {
  /** The public members `id`, `title` and, if there, `content` as one JSON object, in UTF-8. */
  readonly json: Buffer;
};

/** Bytes of texts: what is longer is sent piece by piece, and never held in memory for one reader. */
export const wholeBytes = 256 * 1024;

/** What a page needs to know of an article before its text is read. */
export type ArticleSummary = Version & {
  readonly blogId: number;
  readonly id: number;
  /** Bytes of the article's `json`. */
  readonly length: number;
};

/** `<revision>-<crc32>`: changes with every write of that id, equal on every instance. */
export type Version = {
  readonly tag: string;
  /** Milliseconds since the epoch, in the last tenth of a second that saw another before. */
  readonly updatedAt: number;
  readonly locked: boolean;
};

/** Blog and article are of one moment. */
export type Found = InBlog<FoundArticle>;
export type FoundByKey = InBlog<FoundArticle<{ readonly request: string }>>;

export type InBlog<What> = (What & { readonly blog: Blog }) | { readonly kind: 'no-blog' };

export type FoundArticle<More = unknown> =
  | ({ readonly kind: 'article'; readonly article: Article } & More)
  /** Was there and was deleted (410, decisions 7). */
  | { readonly kind: 'gone' }
  | { readonly kind: 'absent' };

/** Articles of a blog, and the blog at the moment of reading. */
export type Page = {
  readonly blog: Blog;
  /** Without their texts where those are many bytes: `read` gives each (a page may be gigabytes). */
  readonly articles: readonly (ArticleSummary & { readonly json?: Article['json'] })[];
};

export type Draft = { readonly title: string; readonly content?: string };

/** Pure: a change that has to be tried again asks once more. */
export type Guard = (current: Version, blog: Blog) => void;

export type CreateAsked = {
  readonly idempotency?: Idempotency | undefined;
  readonly guard?: CreateGuard | undefined;
};

/**
 * What a new article must find true: asked inside the change, as `Guard` is, with the blog and its
 * first `count` articles, so that nothing can come between the look and the article; not where the key
 * is known: what it made is answered.
 */
export type CreateGuard = { readonly count: number; holds(page: Page): void };

/** Hashes of the Idempotency-Key and of the request's meaning, hexadecimal (decisions 38). */
export type Idempotency = { readonly key: string; readonly request: string };

export type Creation =
  | { readonly kind: 'created' | 'replayed'; readonly article: Article; readonly blog: Blog }
  /** The key is known with another request, which made the article `id`. */
  | { readonly kind: 'key-reused'; readonly id: number }
  /** The first request with this key is not finished yet. */
  | { readonly kind: 'key-in-flight' }
  /** The article this key made was deleted. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'no-blog' };

/** What each failure of a store means to whoever asked for the change. */
export type StoreFailure =
  /** Nothing was changed; room on the disk may bring writes back (507). */
  | 'no-room'
  /** Nothing was changed; too many writes wait (503). */
  | 'overloaded'
  /** Nothing was changed; this store takes no more writes until it is opened again (503). */
  | 'degraded'
  /** Nothing was changed; a database refuses it, until its operator sees to that (503). */
  | 'refused'
  /** Nothing was changed; the schema of a database is not one that this program may work on (503). */
  | 'other-schema'
  /**
   * Nothing was changed; another program changed the store's file. For good, unless it says when to
   * try again (503).
   */
  | 'changed-outside'
  /** Nothing was changed; every id is used up (507). */
  | 'no-id'
  /** Nothing was changed; the store is closing (503). */
  | 'closing'
  /** Nothing was changed; nobody who keeps the store answers at present (503). */
  | 'unreachable'
  /** The change may or may not have reached the disk (500). */
  | 'outcome-unknown'
  /** This article cannot be read; the others can (500). */
  | 'damaged';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly failure: StoreFailure;
  /** When trying again makes sense, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    failure: StoreFailure,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * HTTP compares dates by the second. So the last tenth of a second says that it saw more than one
 * version: such a date tells no two of them apart there, and no change may go by it.
 */
const SHARED = 900;

/** The date of a change at `now` to what was last changed at `before`; undefined: what is new. */
export function dateAfter(before: number | undefined, now: number): number {
  const last = before ?? 0;
  const second = secondOf(Math.max(now, last));
  if (before === undefined || second > secondOf(last)) {
    return Math.min(Math.max(now, last), second + SHARED - 1);
  }
  return Math.min(Math.max(last + 1, second + SHARED), second + 999);
}

/** The date of a second that saw more than one change. */
export function sharedDate(date: number): number {
  return secondOf(date) + SHARED;
}

/** Whether a date stands for one version alone. */
export function isOfOneVersion(date: number): boolean {
  return date - secondOf(date) < SHARED;
}

function secondOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
