import type { PageRange } from '../policy/paging.ts';
import type { Article, ArticleSummary, Blog, Page } from '../store/store.ts';
import { type ReadArticle, representPage } from './article-page.ts';
import type { LinkContext } from './links.ts';
import { fingerprint, type Representation } from './representation.ts';
import { representArticle, representBlog } from './resources.ts';

/** Bytes change with this, so tags must too. */
const serializerVersion = 1;

/** Shows one blog and what is in it from one context. */
export type Serializer = {
  readonly context: LinkContext;
  /** The entity tag of a stored version: also the context is in the bytes (decisions 14). */
  readonly etag: (storedTag: string) => string;
  blog(blog: Blog): Representation;
  article(article: Article): Representation;
  page(page: Page, range: PageRange): Representation;
};

/**
 * Remembers what it made by the identity of what the store returned: bytes are made once per
 * change, and forgotten when the store forgets.
 */
function createSerializer(context: LinkContext, read: ReadArticle): Serializer {
  const { baseUrl, blogTitle } = context;
  const tagSuffix = fingerprint([serializerVersion, baseUrl, blogTitle], 8);
  const etag = (storedTag: string) => `"${storedTag}-${tagSuffix}"`;
  const tagOf = ({ tag }: ArticleSummary) => etag(tag);
  return {
    context,
    etag,
    article: rememberedBy((article) =>
      representArticle({ article, etag: tagOf(article), read }, context),
    ),
    blog: rememberedLast((stored) => representBlog(stored, context, etag(stored.tag))),
    page: rememberedByPage((page, range) =>
      representPage({ page, range, etags: page.articles.map(tagOf), tagSuffix, read }, context),
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

/** More base URLs than anybody needs; a stranger who invents Host names must not fill the memory. */
const mostBaseUrls = 8;

/**
 * Presenters by base URL and blog, so that what one request made serves the next. A blog that
 * changed its title gets a new one, because its title is in every article's links.
 */
export function createSerializers(read: ReadArticle): (baseUrl: string, blog: Blog) => Serializer {
  const known = new Map<string, Map<number, Serializer>>();
  return (baseUrl, blog) => {
    const ofBase = known.get(baseUrl) ?? new Map<number, Serializer>();
    if (!known.has(baseUrl)) remember(known, baseUrl, ofBase);
    const serializer = ofBase.get(blog.id);
    if (serializer?.context.blogTitle === blog.title) return serializer;
    const made = createSerializer({ baseUrl, blogId: blog.id, blogTitle: blog.title }, read);
    ofBase.set(blog.id, made);
    return made;
  };
}

function remember<Value>(known: Map<string, Value>, name: string, value: Value): void {
  const [oldest] = known.keys();
  if (known.size >= mostBaseUrls && oldest !== undefined) known.delete(oldest);
  known.set(name, value);
}
