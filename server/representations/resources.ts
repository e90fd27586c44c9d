import type { Article, Blog } from '../store/store.ts';
import { listBody, type ReadArticle, wholeList } from './article-page.ts';
import {
  articleKeyTemplate,
  blogLinks,
  deletionLinks,
  linkHeader,
  linkToBlog,
  relationUrl,
  type Viewpoint,
} from './links.ts';
import { represent, type Representation } from './representation.ts';

/**
 * A blog (interface, Blog). Its answers tell that POST honours an Idempotency-Key (decisions 38), and
 * where the article made with one is found (decisions 51; RFC 9652).
 */
export function representBlog(blog: Blog, viewpoint: Viewpoint, etag: string): Representation {
  const { id, title, description } = blog;
  const { baseUrl, blogId } = viewpoint;
  const document = { id, title, description, _links: blogLinks(viewpoint) };
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
  viewpoint: Viewpoint,
): Representation {
  const body = listBody(alone(article), viewpoint, read);
  return represent(body, { etag, changedAt: article.updatedAt });
}

/** All bytes of an article at once, however many: what a writer is told cannot be taken back. */
export function wholeArticle(article: Article, viewpoint: Viewpoint): Buffer {
  return wholeList(alone(article), viewpoint);
}

function alone(article: Article) {
  return { head: '', articles: [article], tail: '' };
}

/** The body of a deletion, for those who asked for one (interface, Deletion result). */
export function deletionResult(viewpoint: Viewpoint): Uint8Array {
  return Buffer.from(JSON.stringify({ _links: deletionLinks(viewpoint) }));
}

/** The same link as a header, since a 204 has no body (decisions 1). */
export function deletionLinkHeader(viewpoint: Viewpoint): string {
  const rel = relationUrl(viewpoint.baseUrl, 'blog');
  return linkHeader([{ rel, link: linkToBlog(viewpoint) }]);
}
