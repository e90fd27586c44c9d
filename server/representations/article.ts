import type { Article } from '../store/store.ts';
import { listBody, wholeList } from './article-list.ts';
import type { ReadArticle } from './article-list.ts';
import type { Viewpoint } from './links.ts';
import { represent } from './representation.ts';
import type { Representation } from './representation.ts';

export type ArticleParts = {
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
