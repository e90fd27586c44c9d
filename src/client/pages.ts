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

/**
 * Pages from `first` on. The last page is the one that says so (pageIndex = totalPages): before
 * it, a service that leaves nextPage out is asked for the next index; one whose nextPage leads back
 * is `broken-contract`, because reading on would never end.
 */
export async function* walkPages(
  pager: Pager,
  first: string,
): AsyncGenerator<ArticlePage, void, void> {
  const visited = new Set<string>();
  let url: string | undefined = first;
  while (url !== undefined) {
    if (visited.has(url)) throw leadsBack(url);
    visited.add(url);
    const document: HalDocument = await pager.read(url);
    const page = readPage(document);
    yield page;
    url = nextOf(pager, document, page);
  }
}

export function readPage(document: HalDocument): ArticlePage {
  const { _embedded, ...figures } = check(PageResource, document, 'a page of articles');
  const articles = _embedded.map((body) => readArticle({ url: document.url, body }));
  return { ...figures, articles };
}

function nextOf(pager: Pager, document: HalDocument, page: ArticlePage): string | undefined {
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
