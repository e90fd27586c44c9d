import type {
  ArticlePage,
  BlogClient,
  PageRange,
  PageVersion,
  Validators,
  VersionedArticle,
} from '../client/blog-client.ts';
import { createConsistencyCheck, longestPages, readWhole, wholePages } from '../client/pages.ts';
import { BlogctlError } from '../errors.ts';
import type { RetryPolicy } from '../importing/sending/retry-policy.ts';
import type { Folder } from './folder.ts';
import { digestOf, exactDigestOf, type Text, type TextDigest } from './same-text.ts';
import { inShell } from '../terminal/text.ts';

/** An article of the blog, without its text. */
export type Remote = TextDigest & {
  readonly id: number;
  readonly url: string;
  readonly exact?: string | undefined;
};

/** What the blog answered to the keys of a path. */
export type KeyAnswer = {
  /** Of its article, and the key that it has. */
  readonly id?: number;
  readonly key?: string;
  /** Where there is none: the first generation of the key that nobody has used. */
  readonly generation?: number | undefined;
  /** That of an earlier generation was deleted. */
  readonly wasDeleted?: boolean;
  /** An import brought it, and it says something else by now: it may be the post, or another's. */
  readonly edited?: number;
  /** Of the paths that the post had before, the first one first. */
  readonly former?: readonly KeyAnswer[];
  /** Articles of earlier generations, which are other posts' by now. */
  readonly others?: readonly number[];
};

/** Of its keys, those of the paths that its post had before first. */
export function articlesOf({ id: own, former = [] }: KeyAnswer = {}): readonly number[] {
  return [...new Set([...former, { id: own }].flatMap(({ id }) => id ?? []))];
}

export type KeptPage = {
  readonly version: PageVersion | undefined;
  readonly articles: readonly Remote[];
};

/** By their addresses. */
export type Pages = Readonly<Record<string, KeptPage>>;

/** An article as it was read by itself. */
export type RemoteText = Remote & { readonly text: Text; readonly validators: Validators };

export type Reading = {
  readonly client: BlogClient;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  readonly exact?: boolean;
};

export type Listing = {
  /** Every page is as it was known. */
  readonly isAsKnown: boolean;
  /** By id. */
  readonly articles: () => Map<number, Remote>;
  readonly pages: Pages;
};

/**
 * Every article of the blog. A page that is as it was known is not sent again; a listing that changes
 * while it is read is read again.
 */
export async function readListing(reading: Reading, known: Pages = {}): Promise<Listing> {
  return readWhole(async () => {
    const read: ListedPage[] = [];
    for await (const page of pagesOf(reading, known)) read.push(listedPage(page, reading, known));
    const isAsKnown = read.every((page) => page.isAsKnown);
    const kept = read.map(({ page }) => [page.version?.url ?? '', page] as const);
    const articles = () =>
      new Map(kept.flatMap(([, page]) => page.articles.map((each) => [each.id, each] as const)));
    // Without a version nothing tells whether it changed.
    const pages = Object.fromEntries(kept.filter(([, { version }]) => version !== undefined));
    // As it was known, it was judged when it was.
    const doubt = isAsKnown ? undefined : doubtOf(read);
    return { value: { isAsKnown, articles, pages }, doubt };
  });
}

type ListedPage = {
  readonly totalArticles: number;
  readonly isAsKnown: boolean;
  readonly page: KeptPage;
};

function listedPage(
  { totalArticles, version, isAsKnown, articles }: ArticlePage,
  { exact }: Reading,
  known: Pages,
): ListedPage {
  const before = isAsKnown && version && known[version.url];
  if (before) return { totalArticles, isAsKnown: true, page: before };
  const page = { version, articles: articles.map((article) => remoteOf(article, exact)) };
  return { totalArticles, isAsKnown: false, page };
}

function doubtOf(pages: readonly ListedPage[]): string | undefined {
  const consistency = createConsistencyCheck();
  for (const { totalArticles, page } of pages)
    consistency.see({ totalArticles, articles: page.articles });
  return consistency.inconsistency(true);
}

export function remoteOf(
  article: { id: number; title: string; content?: string | undefined; url: string },
  exact = false,
): Remote {
  const { id, url } = article;
  const { title, content, digest } = digestOf(article);
  const remote: Remote = { id, url, title, content, digest };
  return exact ? { ...remote, exact: exactDigestOf(article) } : remote;
}

/** A page that fails is asked for again by itself. */
async function* pagesOf(
  { client, retry, signal }: Reading,
  known: Pages,
): AsyncGenerator<ArticlePage, void, void> {
  let start: PageRange = { pageSize: longestPages };
  let pages: ReturnType<BlogClient['pages']> | undefined;
  const read = async () => {
    const from = (pages ??= wholePages(client, {
      ...start,
      known: (url) => known[url]?.version,
    }));
    pages = undefined;
    const page = await from.next();
    pages = from;
    return page;
  };
  const ahead = () => {
    const coming = retry(read, signal);
    // It may be that nobody waits for it any more.
    coming.catch(() => {});
    return coming;
  };
  for (let coming = ahead(); ;) {
    signal.throwIfAborted();
    const page = await coming;
    if (page.done === true) return;
    start = { pageIndex: page.value.pageIndex + 1, pageSize: page.value.pageSize };
    // The service makes the next page while this one is looked at.
    coming = ahead();
    yield page.value;
  }
}

export function targetOf({ article, validators }: VersionedArticle, exact?: boolean): RemoteText {
  const { title, content = '' } = article;
  return { ...remoteOf(article, exact), text: { title, content }, validators };
}

/** The article as it is now; undefined where it is not there any more. */
export async function readTarget(
  id: number,
  { client, retry, signal, exact }: Reading,
): Promise<RemoteText | undefined> {
  try {
    return targetOf(await retry(() => client.article({ id }), signal), exact);
  } catch (error) {
    const isGone = error instanceof BlogctlError && ['gone', 'not-found'].includes(error.code);
    if (isGone) return undefined;
    throw error;
  }
}

type Asking = Reading & {
  readonly articles: Map<number, Remote>;
  readonly folder: Pick<Folder, 'keyOf'>;
};

/**
 * Asks the blog for an article by its key, and by the later generations of it while the one before is
 * deleted, or is another post's by now (decisions 49 and 51); with `isLatest` by all that were used.
 */
export async function askByKey(
  name: string,
  { isAnothers, isLatest }: { isAnothers: (id: number) => boolean; isLatest: boolean },
  { client, retry, signal, folder, exact, articles }: Asking,
): Promise<KeyAnswer> {
  let wasDeleted = false;
  let answer: KeyAnswer | undefined;
  for (let generation = 1; ; generation += 1) {
    const key = folder.keyOf(name, generation);
    const found = await retry(() => client.articleByKey(key), signal);
    if (found.kind === 'never-seen') return answer ?? { generation, wasDeleted };
    wasDeleted = found.kind === 'deleted';
    answer = undefined;
    if (found.kind === 'deleted' || isAnothers(found.article.id)) continue;
    const article = remoteOf(found.article, exact);
    articles.set(article.id, article);
    answer = { id: article.id, key };
    if (!isLatest) return answer;
  }
}

/**
 * What became of an article that no page shows: one that is there was left out of the listing. A
 * service that does not remember says of a deleted one that it was never there.
 */
export async function askById(
  id: number,
  { client, retry, signal, exact, articles }: Omit<Asking, 'folder'>,
): Promise<'there' | 'deleted' | 'never seen'> {
  try {
    const { article } = await retry(() => client.article({ id }), signal);
    articles.set(id, remoteOf(article, exact));
    return 'there';
  } catch (error) {
    const code = error instanceof BlogctlError ? error.code : undefined;
    if (code === 'gone') return 'deleted';
    if (code === 'not-found') return 'never seen';
    throw error;
  }
}

/** What was read for a plan is not so any more. */
export function changedMeanwhile(what: string): BlogctlError {
  return new BlogctlError('conflict', `${what} while the plan was made.`, {
    hint: 'Run it again.',
  });
}

/** What a plan says is about the blog that it was made for. */
export function requireSameBlog({ blog }: { readonly blog: string }, chosen: string): void {
  if (chosen === blog) return;
  throw new BlogctlError('conflict', `The plan is for ${blog}, not for ${chosen}.`, {
    hint: `Give --blog ${inShell(blog)}, or plan again.`,
  });
}
