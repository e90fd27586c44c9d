import { Refusal } from '../errors.ts';
import type { Article, Blog, Found, Store } from '../store/store.ts';

export async function findBlog(store: Store, blogId: number): Promise<Blog> {
  const blog = await store.blog(blogId);
  if (blog === undefined) throw new Refusal('not-found', `There is no blog ${blogId}.`);
  return blog;
}

/** Refuses with 404, or with 410 where the article existed before (decisions 7). */
export async function findArticle(store: Store, blog: Blog, articleId: number): Promise<Article> {
  return requireArticle(await store.read(blog.id, articleId), articleId);
}

export function requireArticle(found: Found, articleId: number): Article {
  if (found.kind === 'article') return found.article;
  if (found.kind === 'gone') throw new Refusal('gone', `Article ${articleId} was deleted.`);
  throw new Refusal('not-found', `There is no article ${articleId} in this blog.`);
}
