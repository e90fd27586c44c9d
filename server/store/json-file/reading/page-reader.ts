import type { OpenDocument } from '../open-document.ts';
import type { Page } from '../../store.ts';
import type { ArticleReader } from './article-reader.ts';
import { BoundedCache } from './bounded-cache.ts';

const CACHE_BYTES = 4 * 1024 * 1024;
const OBJECT_BYTES = 500;

/** Pages of a blog; the same object while the blog is unchanged. */
export class PageReader {
  readonly #document: OpenDocument;
  readonly #articles: ArticleReader;
  readonly #caches = new Map<number, BoundedCache<string, Page>>();

  constructor(document: OpenDocument, articles: ArticleReader) {
    this.#document = document;
    this.#articles = articles;
  }

  read(blogId: number, first: number, count: number): Page {
    const key = `${first} ${count}`;
    const cache = this.#cacheOf(blogId);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const page = this.#read(blogId, first, count);
    const bytes = page.articles.reduce((sum, { json }) => sum + json.length, OBJECT_BYTES);
    cache.set(key, page, bytes);
    return page;
  }

  /** To be called for every change of the blog. */
  forget(blogId: number): void {
    this.#caches.get(blogId)?.clear();
  }

  forgetAll(): void {
    this.#caches.clear();
  }

  #cacheOf(blogId: number): BoundedCache<string, Page> {
    const cache = this.#caches.get(blogId) ?? new BoundedCache<string, Page>(CACHE_BYTES);
    this.#caches.set(blogId, cache);
    return cache;
  }

  #read(blogId: number, first: number, count: number): Page {
    const blog = this.#document.index.blogs.get(blogId);
    if (blog === undefined) return Object.freeze({ total: 0, articles: [], changedAt: 0 });
    const slots = blog.live.members(first, count);
    const articles = Object.freeze(this.#articles.readAll(blogId, slots));
    return Object.freeze({ total: blog.live.size, articles, changedAt: blog.changedAt });
  }
}
