import { BlogctlError } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import { readArticle } from './articles.ts';
import type { ArticlePage } from './blog-client.ts';
import { check, PageResource } from './representations.ts';

/** What walking needs: how to read an address, and the address of a page by its index. */
export type Pager = {
  read(url: string): Promise<HalDocument>;
  addressOf(pageIndex: number, pageSize: number): string;
};

/** Where to begin, and how many articles a page shall have; the service decides what is not given. */
export type Start = { readonly pageIndex?: number; readonly pageSize?: number };

/** Pages as articles. */
export async function* walkPages(
  pager: Pager,
  first: string,
  start: Start,
): AsyncGenerator<ArticlePage, void, void> {
  for await (const { document, figures, members } of walkDocuments(pager, first, start)) {
    const articles = members.map((body) => readArticle({ url: document.url, body }));
    yield { ...figures, articles };
  }
}

type Figures = Omit<PageResource, '_embedded'>;

export type PageDocument = {
  readonly document: HalDocument;
  readonly figures: Figures;
  /** The articles of the page as they came. */
  readonly members: PageResource['_embedded'];
};

/** A blog may grow while it is read, but not faster than it is read, or reading never ends. */
const mostGrowth = 2;
const mostNewPages = 100;

/**
 * Pages from `first` on, as they came. The last page is the one that says so (pageIndex =
 * totalPages): before it, a service that leaves nextPage out is asked for the next index. One that
 * would be read for ever is `broken-contract`. A page that is too long to be read is asked for in
 * smaller ones, where the walk began at the beginning.
 */
export async function* walkDocuments(
  pager: Pager,
  first: string,
  { pageIndex, pageSize }: Start = {},
): AsyncGenerator<PageDocument, void, void> {
  let url: string | undefined = first;
  let size = pageIndex === undefined ? pageSize : undefined;
  let before: Figures | undefined;
  let most: number | undefined;
  while (url !== undefined) {
    const document: HalDocument | 'too-long' = await pager.read(url).catch(tooLong(size));
    if (document === 'too-long') {
      const done: number = before === undefined ? 0 : before.pageIndex * before.pageSize;
      size = smallerSize(size ?? 1, done);
      url = pager.addressOf(done / size + 1, size);
      before &&= { ...before, pageIndex: done / size, pageSize: size };
      most = undefined;
      continue;
    }
    const { members, figures } = readPage(document);
    most ??= figures.totalPages * mostGrowth + mostNewPages;
    const isLast = figures.pageIndex >= figures.totalPages;
    if (before !== undefined && figures.pageIndex <= before.pageIndex) throw leadsBack(url);
    if (!isLast && (members.length === 0 || figures.pageIndex > most)) throw neverEnds(url);
    yield { document, figures, members };
    before = figures;
    size &&= figures.pageSize;
    url = isLast ? undefined : nextOf(pager, document, figures);
  }
}

function readPage(document: HalDocument): Omit<PageDocument, 'document'> {
  const { _embedded: members, ...figures } = check(PageResource, document, 'a page of articles');
  return { members, figures };
}

/** Half as many articles, if pages of so many begin where reading stopped. */
function smallerSize(size: number, done: number): number {
  const half = Math.ceil(size / 2);
  return done % half === 0 ? half : 1;
}

function tooLong(size: number | undefined) {
  return (error: unknown): 'too-long' => {
    const isTooLong = error instanceof BlogctlError && error.code === 'answer-too-long';
    if (isTooLong && size !== undefined && size > 1) return 'too-long';
    throw error;
  };
}

function nextOf(pager: Pager, document: HalDocument, page: Figures): string {
  const next = findLink(document, 'nextPage');
  return next === undefined
    ? pager.addressOf(page.pageIndex + 1, page.pageSize)
    : targetOf(document, next);
}

const incomplete = 'what was read so far is incomplete; tell the operator of the service';

function leadsBack(url: string): BlogctlError {
  return new BlogctlError('broken-contract', `The listing leads back to ${url}, which was read.`, {
    url,
    hint: incomplete,
  });
}

function neverEnds(url: string): BlogctlError {
  return new BlogctlError('broken-contract', `The listing goes on at ${url} without an end.`, {
    url,
    hint: incomplete,
  });
}
