import type { PageRange } from '../policy/negotiation.ts';
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
  fingerprint,
  represent,
  type Representation,
} from './representation.ts';

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

function createSerializer(context: LinkContext, read: ReadArticle): Serializer {
  const { baseUrl, blogTitle } = context;
  const tagSuffix = fingerprint([serializerVersion, baseUrl, blogTitle], 8);
  const etag = (storedTag: string) => `"${storedTag}-${tagSuffix}"`;
  const tagOf = ({ tag }: ArticleSummary) => etag(tag);
  return {
    context,
    etag,
    article: (article) => representArticle({ article, etag: tagOf(article), read }, context),
    blog: (blog) => representBlog(blog, context, etag(blog.tag)),
    page: (page, range) =>
      representPage({ page, range, etags: page.articles.map(tagOf), tagSuffix, read }, context),
  };
}

/** More base URLs than anybody needs; a stranger who invents Host names must not fill the memory. */
const mostBaseUrls = 8;

/**
 * By base URL and blog. A blog that changed its title gets a new one, because its title is in every
 * article's links.
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
