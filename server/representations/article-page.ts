import type { PageRange } from '../policy/paging.ts';
import type { Page } from '../store/store.ts';
import { articlesUrl } from './addresses.ts';
import { listBody } from './article-list.ts';
import type { ReadArticle } from './article-list.ts';
import { linkHeader } from './link-header.ts';
import type { Link, Viewpoint } from './links.ts';
import { fingerprint, represent } from './representation.ts';
import type { Representation } from './representation.ts';

export type PageParts = {
  readonly page: Page;
  readonly range: PageRange;
  /** Of each article, as it is when read alone. */
  readonly etags: readonly string[];
  readonly mark: string;
  readonly read: ReadArticle;
};

type Navigation = {
  readonly firstPage: Link;
  readonly previousPage?: Link;
  readonly self: Link;
  readonly nextPage?: Link;
  readonly lastPage: Link;
};

/**
 * A page of articles (interface, Page of articles), glued from the bytes of its articles. Its two
 * oddities stand here and nowhere else: the key `_link`, and `_embedded` as a bare array.
 */
export function representPage(parts: PageParts, viewpoint: Viewpoint): Representation {
  const { page, range, etags, mark, read } = parts;
  const totalPages = Math.ceil(page.blog.total / range.pageSize);
  const navigation = navigate(range, totalPages, viewpoint);
  const head = JSON.stringify({
    ...range,
    totalPages,
    totalArticles: page.blog.total,
    _link: navigation,
  });
  const list = { head: `${head.slice(0, -1)},"_embedded":[`, articles: page.articles, tail: ']}' };
  const body = listBody(list, viewpoint, read);
  const tag = fingerprint([...etags, page.blog.total, range.pageIndex, range.pageSize], 16);
  const version = { etag: `"${tag}-${mark}"`, changedAt: page.blog.changedAt };
  return represent(body, version, { Link: navigationHeader(navigation) });
}

/** previousPage and nextPage are left out where they would lead nowhere (decisions 9 to 11). */
function navigate(range: PageRange, totalPages: number, viewpoint: Viewpoint): Navigation {
  const { pageIndex, pageSize } = range;
  const collection = articlesUrl(viewpoint.baseUrl, viewpoint.blogId);
  const to = (index: number): Link => ({
    href: `${collection}?pageIndex=${index}&pageSize=${pageSize}`,
  });
  return {
    firstPage: to(1),
    ...(pageIndex > 1 && { previousPage: to(pageIndex - 1) }),
    self: to(pageIndex),
    ...(pageIndex < totalPages && { nextPage: to(pageIndex + 1) }),
    lastPage: to(Math.max(1, totalPages)),
  };
}

/** The same navigation where clients that do not know `_link` look for it (decisions 12). */
function navigationHeader({ firstPage, previousPage, nextPage, lastPage }: Navigation): string {
  return linkHeader([
    { rel: 'first', link: firstPage },
    ...(previousPage === undefined ? [] : [{ rel: 'prev', link: previousPage }]),
    ...(nextPage === undefined ? [] : [{ rel: 'next', link: nextPage }]),
    { rel: 'last', link: lastPage },
  ]);
}
