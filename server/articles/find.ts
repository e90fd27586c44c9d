import { Refusal } from '../errors.ts';
import type { Article, FoundArticle } from '../store/store.ts';

export function noBlog(blogId: number): Refusal {
  return new Refusal('not-found', `There is no blog ${blogId}.`);
}

/** Refuses with 404, or with 410 where the article existed before (decisions 7). */
export function requireArticle(found: FoundArticle, articleId: number): Article {
  if (found.kind === 'article') return found.article;
  if (found.kind === 'gone') throw new Refusal('gone', `Article ${articleId} was deleted.`);
  throw new Refusal('not-found', `There is no article ${articleId} in this blog.`);
}
