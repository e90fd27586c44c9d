import type { Change } from '../commit/change.ts';
import type { FoundArticle } from '../../store.ts';
import type { OpenDocument } from '../open-document.ts';
import type { ArticleReader, LineFound } from './article-reader.ts';

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
