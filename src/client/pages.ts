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

/** Pages from `first` on, as articles. */
export async function* walkPages(
  pager: Pager,
  first: string,
): AsyncGenerator<ArticlePage, void, void> {
  for await (const { document, figures, members } of walkDocuments(pager, first)) {
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

/**
 * Pages from `first` on, as they came. The last page is the one that says so (pageIndex =
 * totalPages): before it, a service that leaves nextPage out is asked for the next index; one
 * whose nextPage leads back is `broken-contract`, because reading on would never end.
 */
export async function* walkDocuments(
  pager: Pager,
  first: string,
): AsyncGenerator<PageDocument, void, void> {
  const visited = new Set<string>();
  let url: string | undefined = first;
  while (url !== undefined) {
    if (visited.has(url)) throw leadsBack(url);
    visited.add(url);
    const document: HalDocument = await pager.read(url);
    const { _embedded: members, ...figures }: PageResource = check(
      PageResource,
      document,
      'a page of articles',
    );
    yield { document, figures, members };
    url = nextOf(pager, document, figures);
  }
}

function nextOf(pager: Pager, document: HalDocument, page: Figures): string | undefined {
  if (page.pageIndex >= page.totalPages) return undefined;
  const next = findLink(document, 'nextPage');
  return next === undefined
    ? pager.addressOf(page.pageIndex + 1, page.pageSize)
    : targetOf(document, next);
}

function leadsBack(url: string): BlogctlError {
  return new BlogctlError('broken-contract', `The listing leads back to ${url}, which was read.`, {
    url,
    hint: 'what was read so far is incomplete; tell the operator of the service',
  });
}
