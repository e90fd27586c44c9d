import { BlogctlError, type Hint } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import { check, PageResource, readArticle } from './articles.ts';
import type { Article, ArticlePage, BlogClient, PageRange, PageVersion } from './blog-client.ts';

/** What walking needs: how to read an address, and the addresses of pages. */
type Pager = {
  /** Undefined where it still has the tag. */
  read(url: string, etag?: string): Promise<HalDocument | undefined>;
  addressOf(pageIndex: number, pageSize: number): string;
  /** The address of the first page in the size that the service chooses. */
  readonly plain?: string;
};

/** Pages as articles. */
export async function* walkPages(
  pager: Pager,
  first: string,
  start: PageRange,
): AsyncGenerator<ArticlePage, void, void> {
  for await (const page of walkDocuments(pager, first, start)) {
    const { url, etag, next, figures, members, isAsKnown } = page;
    const articles = members.map((body) => readArticle({ url, body }));
    const isStrong = etag !== undefined && !etag.startsWith('W/');
    const version = isStrong && { url, etag, ...(next !== undefined && { next }), figures };
    yield { ...figures, articles, ...(version && { version }), ...(isAsKnown && { isAsKnown }) };
  }
}

type Figures = Omit<PageResource, '_embedded'>;

type PageDocument = {
  readonly url: string;
  readonly etag?: string | undefined;
  /** Where the service says the next page is. */
  readonly next?: string | undefined;
  readonly figures: Figures;
  /** The articles of the page as they came; none where it is as it was known. */
  readonly members: PageResource['_embedded'];
  readonly isAsKnown?: true;
};

/** A blog may grow while it is read, but not faster than it is read, or reading never ends. */
const mostGrowth = 2;
const mostNewPages = 100;

/**
 * Pages from `first` on, as they came. The last page is the one that says so (pageIndex =
 * totalPages): before it, a service that leaves nextPage out is asked for the next index. One that
 * would be read for ever is `broken-contract`. A page that is too long to be read is asked for in
 * smaller ones, where the walk began at the beginning; where the first is refused for its size (400), a
 * usual one is asked for, and then the service chooses. Where the service begins before the page that
 * was asked for, the links are followed to that.
 */
export async function* walkDocuments(
  pager: Pager,
  first: string,
  { pageIndex, pageSize, known }: PageRange = {},
): AsyncGenerator<PageDocument, void, void> {
  const asked = pageIndex ?? 0;
  let url: string | undefined = first;
  let size = pageIndex === undefined ? pageSize : undefined;
  let before: Figures | undefined;
  let most: number | undefined;
  while (url !== undefined) {
    const version = known?.(url);
    const document: HalDocument | 'too-long' | 'refused' | undefined = await pager
      .read(url, version?.etag)
      .catch(before === undefined ? undefined : deadEnd)
      .catch(ofOtherSize(size, before === undefined && pager.plain));
    if (document === 'refused') {
      size = size !== undefined && size > usualSize ? usualSize : undefined;
      url = size === undefined ? pager.plain : pager.addressOf(1, size);
      continue;
    }
    if (document === 'too-long') {
      const done: number = before === undefined ? 0 : before.pageIndex * before.pageSize;
      size = smallerSize(size ?? 1, done);
      url = pager.addressOf(done / size + 1, size);
      before &&= { ...before, pageIndex: done / size, pageSize: size };
      most = undefined;
      continue;
    }
    const page = readPage(document, version);
    const { members, figures, isAsKnown } = page;
    const { pageIndex: index, totalPages } = figures;
    most ??= totalPages * mostGrowth + mostNewPages;
    const isLast = index >= totalPages;
    const isBack = before !== undefined && index <= before.pageIndex;
    const isPassed = index > asked && (before?.pageIndex ?? 0) < asked;
    if (isPassed || (index < asked && (isLast || isBack)))
      throw astray(notAsked(asked, `${index} of ${totalPages}`), url, seeAll);
    if (isBack) throw astray(`The listing leads back to ${url}, which was read.`, url);
    if (!isLast && ((members.length === 0 && !isAsKnown) || index > most))
      throw astray(`The listing goes on at ${url} without an end.`, url);
    if (index >= asked) yield page;
    before = figures;
    size &&= figures.pageSize;
    url = isLast ? undefined : (page.next ?? pager.addressOf(index + 1, figures.pageSize));
  }
}

function readPage(
  document: HalDocument | undefined,
  version: PageVersion | undefined,
): PageDocument {
  if (document === undefined) {
    if (version === undefined) throw new TypeError('Not modified, and nothing was known.');
    return { ...version, members: [], isAsKnown: true };
  }
  const { _embedded: members, ...figures } = check(PageResource, document, 'a page of articles');
  const { url, etag } = document;
  const link = findLink(document, 'nextPage');
  return { url, etag, next: link && targetOf(document, link), figures, members };
}

/** Half as many articles, if pages of so many begin where reading stopped. */
function smallerSize(size: number, done: number): number {
  const half = Math.ceil(size / 2);
  return done % half === 0 ? half : 1;
}

const usualSize = 100;
/** No command asks for longer pages by itself; whoever names a longer one hears the refusal. */
export const longestPages = 500;

function ofOtherSize(size: number | undefined, plain: string | false | undefined) {
  return (error: unknown): 'too-long' | 'refused' => {
    if (!(error instanceof BlogctlError) || size === undefined) throw error;
    if (error.code === 'answer-too-long' && size > 1) return 'too-long';
    if (error.context.status === 400 && plain && size <= longestPages) return 'refused';
    throw error;
  };
}

const seeAll = 'See what is there with blogctl articles list --all.';
const notAsked = (asked: number, answered: string) =>
  `Asked for page ${asked}, the service answered page ${answered}.`;
const incomplete = 'What was read so far is incomplete; tell the operator of the service.';
const missing = /^(?:not-found|gone)$/;

/** A page that a service names, and does not have, is not what somebody asked for and did not find. */
function deadEnd(error: unknown): never {
  if (!(error instanceof BlogctlError) || !missing.test(error.code)) throw error;
  const { url = '', status } = error.context;
  throw new BlogctlError('broken-contract', `The listing goes on at ${url}, where no page is.`, {
    url,
    status,
    hint: 'Run it again, in case something was deleted meanwhile; else blogctl check <blog-url> shows its operator the rule.',
  });
}

function astray(what: string, url: string, hint: Hint = incomplete): BlogctlError {
  return new BlogctlError('broken-contract', what, { url, hint });
}

/**
 * Pages whose articles are whole. One shown without content may have one, where a service breaks rule 26
 * of Page of articles in the interface: it is read by itself; `ofThin` only where its page shows none at all.
 */
export async function* wholePages(
  client: Reader,
  range: PageRange,
  ofThin = false,
): AsyncGenerator<ArticlePage, void, void> {
  const isWhole = ({ content }: Article) => content !== undefined;
  for await (const page of client.pages(range)) {
    const articles: Article[] = [];
    const isFull = ofThin && page.articles.some(isWhole);
    for (const each of page.articles)
      articles.push(...(isFull || isWhole(each) ? [each] : await readListed(client, page, each)));
    const totalArticles = page.totalArticles - page.articles.length + articles.length;
    yield { ...page, articles, totalArticles };
  }
}

type Reader = Pick<BlogClient, 'article' | 'pages'>;

/** None where it was deleted since: its page does not list it any more. */
async function readListed(client: Reader, { pageIndex, pageSize }: ArticlePage, { id }: Article) {
  try {
    return [(await client.article({ id })).article];
  } catch (error) {
    if (!(error instanceof BlogctlError) || !missing.test(error.code)) throw error;
    const { value: now } = await client.pages({ pageIndex, pageSize }).next();
    if (now?.articles.some((each) => each.id === id)) throw error;
    return [];
  }
}

const mostReadings = 3;

/**
 * What is read of a whole listing: one that does not add up is read again, and is a `conflict` in the end.
 * `doubt` says why it may not be the whole blog.
 */
export async function readWhole<T>(
  read: () => Promise<{ readonly value: T; readonly doubt: string | undefined }>,
): Promise<T> {
  let inconsistency: string | undefined;
  for (let time = 0; time < mostReadings; time += 1) {
    const { value, doubt } = await read();
    if (doubt === undefined) return value;
    inconsistency = doubt;
  }
  throw new BlogctlError('conflict', `${inconsistency} It was read ${mostReadings} times.`, {
    hint: 'Run it again when nobody else writes to the blog.',
  });
}

type Page = Pick<ArticlePage, 'totalArticles'> & {
  readonly articles: readonly Pick<Article, 'id'>[];
};

/**
 * Watches the pages of a listing go by, to say as a sentence why what was read may not be the whole blog.
 * `isWhole`: every page was read, so that the number of articles can be judged as well.
 */
export function createConsistencyCheck() {
  const seen = new Set<number>();
  let twice: number | undefined;
  let lastTotal = 0;
  let firstTotal: number | undefined;
  function see({ totalArticles, articles }: Page): void {
    firstTotal ??= totalArticles;
    lastTotal = totalArticles;
    for (const { id } of articles) {
      if (seen.has(id)) twice ??= id;
      seen.add(id);
    }
  }
  return {
    see,
    over: async function* <P extends Page>(pages: AsyncIterable<P>): AsyncGenerator<P, void, void> {
      for await (const page of pages) {
        see(page);
        yield page;
      }
    },
    inconsistency: (isWhole: boolean) => {
      if (twice !== undefined)
        return `Article ${twice} came twice: the blog changed while it was read, and articles may be missing.`;
      if (firstTotal !== undefined && firstTotal !== lastTotal)
        return `The blog changed while it was read: it had ${firstTotal} articles at first and ${lastTotal} in the end.`;
      if (!isWhole || seen.size === lastTotal) return undefined;
      return `The service announced ${lastTotal} articles and sent ${seen.size}: the list is not whole.`;
    },
  };
}
