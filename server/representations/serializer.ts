import type { PageRange } from '../policy/paging.ts';
import type { Article, ArticleSummary, Blog, Page } from '../store/store.ts';
import { listBody, type ReadArticle, representPage, wholeList } from './article-page.ts';
import {
  articleKeyTemplate,
  blogLinks,
  deletionLinks,
  linkHeader,
  linkToBlog,
  relationUrl,
  type LinkContext,
} from './links.ts';
import { fingerprint, represent, type Representation } from './representation.ts';

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

/**
 * A blog (interface, Blog). Its answers tell that POST honours an Idempotency-Key (decisions 38), and
 * where the article made with one is found (decisions 51; RFC 9652).
 */
function representBlog(blog: Blog, context: LinkContext, etag: string): Representation {
  const { id, title, description } = blog;
  const { baseUrl, blogId } = context;
  const document = { id, title, description, _links: blogLinks(context) };
  const version = { etag, changedAt: blog.changedAt };
  return represent(Buffer.from(JSON.stringify(document)), version, {
    'Accept-Idempotency': 'key',
    'Link-Template': `"${articleKeyTemplate(baseUrl, blogId)}"; rel="${relationUrl(baseUrl, 'articleKey')}"`,
  });
}

type ArticleParts = {
  readonly article: Article;
  readonly etag: string;
  readonly read: ReadArticle;
};

/** An article (interface, Article). */
function representArticle(
  { article, etag, read }: ArticleParts,
  context: LinkContext,
): Representation {
  const body = listBody(alone(article), context, read);
  return represent(body, { etag, changedAt: article.updatedAt });
}

/** All bytes of an article at once, however many: what a writer is told cannot be taken back. */
export function wholeArticle(article: Article, context: LinkContext): Buffer {
  return wholeList(alone(article), context);
}

function alone(article: Article) {
  return { head: '', articles: [article], tail: '' };
}

/** The body of a deletion, for those who asked for one (interface, Deletion result). */
export function deletionResult(context: LinkContext): Uint8Array {
  return Buffer.from(JSON.stringify({ _links: deletionLinks(context) }));
}

/** The same link as a header, since a 204 has no body (decisions 1). */
export function deletionLinkHeader(context: LinkContext): string {
  const rel = relationUrl(context.baseUrl, 'blog');
  return linkHeader([{ rel, link: linkToBlog(context) }]);
}
