import type { FoundArticle, Page } from '../../store.ts';
import type { Change } from '../log/write-batch.ts';
import { blogOf } from '../index/article-index.ts';
import type { OpenDocument } from '../open-document.ts';
import type { ArticleReader, LineFound } from './article-reader.ts';

/** From here on a page is read without the texts. */
const LONG_BYTES = 2 * 1024 * 1024;

/** Pages of a blog, as they are in the file. */
export class PageReader {
  readonly #document: OpenDocument;
  readonly #articles: ArticleReader;
  readonly #turn: () => Promise<void>;

  constructor(document: OpenDocument, articles: ArticleReader, turn: () => Promise<void>) {
    this.#turn = turn;
    this.#document = document;
    this.#articles = articles;
  }

  async read(blogId: number, first: number, count: number): Promise<Page | undefined> {
    // Many long pages are made one a turn of the event loop, so that others are heard in between.
    if (this.#isLong(blogId, first, count)) await this.#turn();
    return this.now(blogId, first, count);
  }

  /** The same without letting others go first: nothing can change meanwhile. */
  now(blogId: number, first: number, count: number): Page | undefined {
    const blogIndex = this.#document.index.blogs.get(blogId);
    if (blogIndex === undefined) return undefined;
    const slots = blogIndex.live.members(first, count);
    const isLong = this.#articles.lengthOf(slots) > LONG_BYTES;
    const articles = isLong
      ? slots.map((slot) => this.#articles.summarize(blogId, slot))
      : this.#articles.readAll(blogId, slots);
    return Object.freeze({ blog: blogOf(blogIndex), articles: Object.freeze(articles) });
  }

  #isLong(blogId: number, first: number, count: number): boolean {
    const slots = this.#document.index.blogs.get(blogId)?.live.members(first, count) ?? [];
    return this.#articles.lengthOf(slots) > LONG_BYTES;
  }
}

/** One name for a key in the scope of its blog. */
export function scopedKey(blogId: number, key: string): string {
  return `${blogId}:${key}`;
}

/** Finds the article that an idempotency key made; what the table says is verified by reading the line. */
export class KeyIndex {
  readonly #document: OpenDocument;
  readonly #reader: ArticleReader;

  constructor(document: OpenDocument, reader: ArticleReader) {
    this.#document = document;
    this.#reader = reader;
  }

  find(blogId: number, key: string): LineFound | undefined {
    const { index, keys } = this.#document;
    for (const id of keys.idsOf(blogId, key)) {
      const slot = index.slots.find(id);
      if (slot < 0) continue;
      // A damaged line is an error here and not another key: its article must not be made twice.
      const found = this.#reader.lineAt(slot);
      const ofBlog = index.blogIdOf(found.line.blog) === blogId;
      if (ofBlog && found.line.key?.key === key) return found;
    }
    return undefined;
  }

  /** The article that a key made; `request` as the key came with (decisions 38). */
  read(blogId: number, key: string): FoundArticle<{ readonly request: string }> {
    const made = this.find(blogId, key);
    if (made?.line.key === undefined) return { kind: 'absent' };
    const found = this.#reader.find(blogId, made.line.id);
    return found.kind === 'article' ? { ...found, request: made.line.key.request } : found;
  }

  /** Whether reading it takes long. */
  isLong(blogId: number, key: string): boolean {
    return this.#document.keys.idsOf(blogId, key).some((id) => this.#reader.isLong(id));
  }

  /** Takes in changes that became durable. */
  note(changes: readonly Change[]): void {
    for (const { newKey, blogId, line } of changes) {
      if (newKey !== undefined) this.#document.keys.add(blogId, line);
    }
  }
}
