import {
  BlogctlError,
  checkedMembers,
  type Forms,
  hintForPrograms,
  isRecord,
  usage,
} from '../errors.ts';

/** What an article is created with (interface, Endpoints, rule 12). */
export type NewArticle = { readonly title: string; readonly content: string };

/** What an article is replaced with (interface, Endpoints, rule 15): without content it has none then. */
export type ArticleDraft = { readonly title: string; readonly content?: string | undefined };

export type Article = {
  readonly id: number;
  readonly title: string;
  /** Absent where a PUT removed it (interface, Endpoints, rule 4). */
  readonly content?: string;
  /** Target of the `self` link. */
  readonly url: string;
};

export type Blog = {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly url: string;
  /** The collection of its articles; an article of it lies beneath, by its id. */
  readonly articlesUrl: string;
  /** The service said `Accept-Idempotency: key` (decisions 38). */
  readonly honoursIdempotencyKey: boolean;
  /** The service said how to find an article by its Idempotency-Key (decisions 51). */
  readonly findsByKey: boolean;
};

/** What the service said about the version it sent; both absent where it sends neither. */
export type Validators = {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
};

export type VersionedArticle = {
  readonly article: Article;
  readonly validators: Validators;
  /** Where it was read, wherever its `self` leads. */
  readonly readAt?: string;
};

export type CreatedArticle = VersionedArticle & {
  /** The service had this Idempotency-Key already and answered with the stored article. */
  readonly replayed: boolean;
};

/** What a service says of an article it was asked not to show: where it is. */
export type PlacedArticle = {
  /** '' where the service does not say it. */
  readonly url: string;
  /** Where the service showed it all the same. */
  readonly article?: Article;
  readonly replayed: boolean;
};

/** What became of the article that an Idempotency-Key was sent with. */
export type KeyedArticle =
  | ({
      readonly kind: 'article';
      /** Of the request that the key came with, where the service says it (decisions 51). */
      readonly fingerprint?: string;
    } & VersionedArticle)
  /** No article of the blog was ever created with the key. */
  | { readonly kind: 'never-seen' }
  | { readonly kind: 'deleted' };

export type CreateOptions = { readonly idempotencyKey?: string | undefined };

/** An id of this blog, or an absolute URL of the blog's own origin. */
export type ArticleReference = { readonly id: number } | { readonly url: string };

/** The same as programs write it, whose addresses may be URLs. */
export type GivenReference = ArticleReference | { readonly url: { readonly href: string } };

export type ArticlePage = {
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalArticles: number;
  /** None where it is as it was known. */
  readonly articles: readonly Article[];
  /** To ask with, another time, whether it still is so; absent without a strong tag. */
  readonly version?: PageVersion;
  readonly isAsKnown?: true;
};

/** What is kept of a page to find out whether it changed (RFC 9110, 13.1.2). */
export type PageVersion = {
  readonly url: string;
  readonly etag: string;
  readonly next?: string;
  readonly figures: Omit<ArticlePage, 'articles' | 'version' | 'isAsKnown'>;
};

export type PageRange = {
  /** First page to read, from 1. */
  readonly pageIndex?: number | undefined;
  readonly pageSize?: number | undefined;
  /** What is known of the page at an address: it is read again only if it changed. */
  readonly known?: ((url: string) => PageVersion | undefined) | undefined;
};

/**
 * A blog reached from its root by following links (interface, What the service does, rule 5).
 * Every failure is a BlogctlError that carries method, URL and status.
 */
export type BlogClient = {
  /**
   * Asks each time. What else is called first reads the blog first, for its links, and the next call
   * knows them: the first creation is a GET and a POST.
   */
  blog(): Promise<Blog>;
  article(reference: GivenReference): Promise<VersionedArticle>;
  /**
   * Looks for the article created with an Idempotency-Key, by the key as `create` takes it
   * (decisions 51). `broken-contract` where the blog cannot be asked: see `Blog.findsByKey`.
   */
  articleByKey(key: string): Promise<KeyedArticle>;
  /** Pages from `range.pageIndex` on, following nextPage; stop with `break`. */
  pages(range?: PageRange): AsyncGenerator<ArticlePage, void, void>;
  create(draft: NewArticle, options?: CreateOptions): Promise<CreatedArticle>;
  /** Creates without a look at what came of it (RFC 7240, `return=minimal`): for very many. */
  place(draft: NewArticle, options?: CreateOptions): Promise<PlacedArticle>;
  /**
   * PUT with If-Match, else If-Unmodified-Since, from `expected`, the validators of `article()`; without
   * it, whatever is there is replaced.
   */
  replace(
    reference: GivenReference,
    draft: ArticleDraft,
    expected?: Validators,
  ): Promise<VersionedArticle>;
  remove(reference: GivenReference, expected?: Validators): Promise<void>;
};

const isText = (value: unknown) => typeof value === 'string' && value !== '';
/** What a header field can carry (RFC 9110, 5.5); some services leave the quotes of a tag out. */
const isField = (value: unknown) => isText(value) && /^[\t -~\u0080-\u00ff]+$/.test(String(value));
const isPositive = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
/** Bare or quoted, as decisions 38 has it. */
const aKey = /^(?:[!#-+\--[\]-~]{1,255}|"(?:[ !#-[\]-~]|\\["\\]){1,255}")$/;

const validators: Forms<Validators> = {
  etag: [isField, 'Give the etag among the validators of article().'],
  lastModified: [
    isHttpDate,
    'Write it as article() gave it, an HTTP date, as Thu, 01 Jan 1970 00:00:00 GMT.',
  ],
};
const creation: Forms<CreateOptions> = {
  idempotencyKey: [
    (value) => typeof value === 'string' && aKey.test(value),
    'Write 1 to 255 visible ASCII characters, without commas, quotes and backslashes.',
  ],
};
const range: Forms<PageRange> = {
  pageIndex: [isPositive, 'Write a whole number from 1 on.'],
  pageSize: [isPositive, 'Write a whole number from 1 on.'],
  known: [(value) => typeof value === 'function', 'Give a function from an address to a version.'],
};

/** As a service sends them (RFC 9110, 5.6.7); any other text it would pass over (RFC 9110, 13.1.4). */
export function isHttpDate(value: unknown): boolean {
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toUTCString() === value;
}

/** A guard that guards nothing is none that was left out (decisions 17). */
function checkGuard(expected: Validators | undefined): void {
  if (expected === undefined) return;
  const { etag, lastModified } = checkedMembers(['expected', 'validators'], expected, validators);
  if (etag !== undefined || lastModified !== undefined) return;
  throw usage(
    'expected: there is neither an etag nor a lastModified in it',
    'Give the validators of article(); a service that sends none knows no guard.',
  );
}

/** What its members may be the service says; what is none has none to be judged. */
function checkedDraft<Draft extends ArticleDraft>(draft: Draft): Draft {
  if (isRecord(draft)) return draft;
  throw usage('draft: what it was given is no article', 'Write { title, content }.');
}

/**
 * A client as programs have it: what it does not know it refuses, and the blog is read anew where it is
 * asked for. `forget` makes it one that was asked nothing yet.
 */
export function clientForPrograms(make: () => BlogClient): {
  readonly client: BlogClient;
  readonly forget: () => void;
} {
  let inner = make();
  const forget = () => {
    inner = make();
  };
  const checkCreation = (options: CreateOptions = {}) =>
    checkedMembers(['options', 'options'], options, creation);
  const client: BlogClient = {
    blog: async () => {
      forget();
      return inner.blog().catch(plain);
    },
    article: async (reference) => inner.article(reference).catch(plain),
    articleByKey: async (key) => {
      if (isText(key)) return inner.articleByKey(key).catch(plain);
      throw usage('key: there is none', 'Give the Idempotency-Key that create() was given.');
    },
    pages: async function* (given = {}) {
      const pages = inner.pages(checkedMembers(['range', 'options'], given, range));
      try {
        yield* pages;
      } catch (error) {
        plain(error);
      }
    },
    create: async (draft, options) =>
      inner.create(checkedDraft(draft), checkCreation(options)).catch(plain),
    place: async (draft, options) =>
      inner.place(checkedDraft(draft), checkCreation(options)).catch(plain),
    replace: async (reference, draft, expected) => {
      checkGuard(expected);
      return inner.replace(reference, checkedDraft(draft), expected).catch(plain);
    },
    remove: async (reference, expected) => {
      checkGuard(expected);
      return inner.remove(reference, expected).catch(plain);
    },
  };
  return { client, forget };
}

/** With the hint in the message, too: that is all a test runner shows of an error. */
function plain(error: unknown): never {
  if (!(error instanceof BlogctlError) || error.hint === undefined) throw error;
  const { code, message, context } = error;
  const hint = hintForPrograms(error.hint);
  const isTold = hint === undefined || message.endsWith(hint);
  const text = isTold ? message : `${message.replace(/\.$/, '')}. ${hint}`;
  throw new BlogctlError(code, text, { ...context, hint });
}
