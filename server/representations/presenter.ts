import type { PageRange } from '../policy/paging.ts';
import type { Article, ArticleSummary, Blog, Page } from '../store/store.ts';
import { representArticle } from './article.ts';
import type { ReadArticle } from './article-list.ts';
import { representPage } from './article-page.ts';
import { representBlog } from './blog.ts';
import type { Viewpoint } from './links.ts';
import { fingerprint } from './representation.ts';
import type { Representation } from './representation.ts';

/** Bytes change with this, so tags must too. */
const serializerVersion = 1;

/** Shows one blog and what is in it from one viewpoint. */
export type Presenter = {
  readonly viewpoint: Viewpoint;
  /** The entity tag of a stored version: also the viewpoint is in the bytes (decisions 14). */
  readonly etag: (storedTag: string) => string;
  blog(blog: Blog): Representation;
  article(article: Article): Representation;
  page(page: Page, range: PageRange): Representation;
};

/**
 * Remembers what it made by the identity of what the store returned: bytes are made once per
 * change, and forgotten when the store forgets.
 */
export function createPresenter(viewpoint: Viewpoint, read: ReadArticle): Presenter {
  const { baseUrl, blogTitle } = viewpoint;
  const mark = fingerprint([serializerVersion, baseUrl, blogTitle], 8);
  const etag = (storedTag: string) => `"${storedTag}-${mark}"`;
  const tagOf = ({ tag }: ArticleSummary) => etag(tag);
  return {
    viewpoint,
    etag,
    article: rememberedBy((article) =>
      representArticle({ article, etag: tagOf(article), read }, viewpoint),
    ),
    blog: rememberedLast((stored) => representBlog(stored, viewpoint, etag(stored.tag))),
    page: rememberedByPage((page, range) =>
      representPage({ page, range, etags: page.articles.map(tagOf), mark, read }, viewpoint),
    ),
  };
}

function rememberedBy<Stored extends object, Shown>(make: (stored: Stored) => Shown) {
  const known = new WeakMap<Stored, Shown>();
  return (stored: Stored): Shown => {
    const shown = known.get(stored) ?? make(stored);
    known.set(stored, shown);
    return shown;
  };
}

/** There is one blog in view, and a store may hand out a new object of it each time. */
function rememberedLast(make: (blog: Blog) => Representation) {
  let last: { tag: string; changedAt: number; shown: Representation } | undefined;
  return (stored: Blog): Representation => {
    const { tag, changedAt } = stored;
    if (last?.tag !== tag || last.changedAt !== changedAt) {
      last = { tag, changedAt, shown: make(stored) };
    }
    return last.shown;
  };
}

/** A store may share one object between pages without articles: the range is compared as well. */
function rememberedByPage(make: (page: Page, range: PageRange) => Representation) {
  const known = new WeakMap<Page, { range: PageRange; shown: Representation }>();
  return (page: Page, range: PageRange): Representation => {
    const last = known.get(page);
    if (last !== undefined && isSameRange(last.range, range)) return last.shown;
    const shown = make(page, range);
    known.set(page, { range, shown });
    return shown;
  };
}

function isSameRange(one: PageRange, other: PageRange): boolean {
  return one.pageIndex === other.pageIndex && one.pageSize === other.pageSize;
}
