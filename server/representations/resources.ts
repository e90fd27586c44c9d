import type { Article, Blog } from '../store/store.ts';
import { listBody, type ReadArticle, wholeList } from './article-page.ts';
import {
  articleKeyTemplate,
  blogLinks,
  deletionLinks,
  linkHeader,
  linkToBlog,
  relationUrl,
  type LinkContext,
} from './links.ts';
import { represent, type Representation } from './representation.ts';

/**
 * A blog (interface, Blog). Its answers tell that POST honours an Idempotency-Key (decisions 38), and
 * where the article made with one is found (decisions 51; RFC 9652).
 */
export function representBlog(blog: Blog, context: LinkContext, etag: string): Representation {
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
export function representArticle(
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
