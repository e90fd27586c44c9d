/// <reference lib="esnext.disposable" preserve="true" />
import type { BlogClient } from '../client/blog-client.ts';

export type TestBlogOptions = {
  /** Articles to start with: a list, or a file, by name or URL, as `blogctl serve --seed` reads it. */
  readonly seed?: string | { readonly href: string } | readonly SeedArticle[] | undefined;
  /** As `POST drop-after-commit once`, `GET /articles/3 status 503 2 times`, `* slow 200ms 10%`. */
  readonly faults?: readonly string[] | undefined;
  /** Lets every answer wait: milliseconds, or from `100-300` of them. */
  readonly delay?: number | string | undefined;
  /** 0, the default, picks a free one. */
  readonly port?: number | undefined;
  /** In the place of one made for this blog. */
  readonly token?: string | undefined;
  /** Origins whose pages may use the service, as `http://localhost:5173`. */
  readonly cors?: readonly string[] | undefined;
  /** Requests of each client, as `10/s`; without it there is no limit. */
  readonly rateLimit?: string | undefined;
};

export type SeedArticle = { readonly title: string; readonly content?: string | undefined };

/** A request that was answered; not to be changed. */
export type SeenRequest = {
  readonly method: string;
  /** As it was sent, query included. */
  readonly path: string;
  /** Of the answer; 0 where the connection ended without one. */
  readonly status: number;
  /** Under names in lower case: `headers['if-match']`; of the token, Authorization and Cookie `(not shown)`. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; empty where there was none. */
  readonly body: string;
};

/** A blog at one moment, to be given to `restore` as often as wanted. */
export type Snapshot = { readonly takenAt: Date };

/** A blog in memory with the whole service around it. Its failures are BlogctlErrors. */
export type TestBlog = AsyncDisposable & {
  /** Address of the blog, on a port of its own: where every walk begins. */
  readonly url: string;
  /** Grants every right (`X-Access-Token`). */
  readonly token: string;
  /**
   * Follows links without a socket; tries nothing twice, so that a test sees every fault. `reset` and
   * `restore` make it one that was asked nothing yet; what it was still at is refused then.
   */
  readonly client: BlogClient;
  /** The same service as at `url`, without a socket. */
  readonly fetch: Fetch;
  /**
   * Makes it what `startBlog` answered, whatever happened: articles, ids, tombstones, keys, dates,
   * faults, seen requests and spent rate. The next request sees that; those under way end against
   * the old state.
   */
  readonly reset: () => Promise<void>;
  /** Articles, ids, tombstones, keys and dates as they are now, and the faults still due. */
  readonly snapshot: () => Snapshot;
  /** As `reset`, to the moment of a snapshot of this blog. */
  readonly restore: (snapshot: Snapshot) => Promise<void>;
  /** Fails from now on in these ways, in the place of those before; none ends them. */
  readonly faults: (faults: readonly string[]) => void;
  /** What came since the start or the last reset, in the order in which they came; the last 10,000. */
  readonly requests: () => readonly SeenRequest[];
  /**
   * Lets the port go, and refuses what waits for an answer. Again does nothing; a process that forgets
   * it ends all the same.
   */
  readonly stop: () => Promise<void>;
};

/** The platform's own, by whatever types the program knows it. */
export type Fetch = typeof globalThis extends { fetch: infer Known } ? Known : never;
