import { setImmediate as nextTurn } from 'node:timers/promises';
import { checksum } from '../format/checksum.ts';
import type { Change } from '../commit/change.ts';
import type { OpenDocument } from '../open-document.ts';
import type { ArticleReader, LineFound } from '../reading/article-reader.ts';
import { KeyTable } from './key-table.ts';

const KEY = ',"key":["';
/** So much is looked through before others get their turn. */
const SLICE_BYTES = 1024 * 1024;

export type KeyedLine = LineFound & { readonly slot: number };

/** One name for a key in the scope of its blog. */
export function scopedKey(blogId: number, key: string): string {
  return `${blogId}:${key}`;
}

/**
 * Finds the article that an idempotency key made. Built at the first need, for it must look through
 * the whole file; what it says is verified by reading the line.
 */
export class KeyIndex {
  readonly #document: OpenDocument;
  readonly #reader: ArticleReader;
  #table = new KeyTable();
  #built: Promise<void> | undefined;

  constructor(document: OpenDocument, reader: ArticleReader) {
    this.#document = document;
    this.#reader = reader;
  }

  ready(): Promise<void> {
    this.#built ??= this.#build().catch((error: unknown) => {
      this.#built = undefined;
      throw error;
    });
    return this.#built;
  }

  /** The file is another one. */
  reset(): void {
    this.#built = undefined;
    this.#table = new KeyTable();
  }

  find(blogId: number, key: string): KeyedLine | undefined {
    const { slots } = this.#document.index;
    for (const id of this.#table.idsOf(checksum(scopedKey(blogId, key)))) {
      const slot = slots.find(id);
      if (slot < 0) continue;
      // A damaged line is an error here and not another key: its article must not be made twice.
      const found = this.#reader.lineAt(slot);
      const ofBlog = this.#document.index.blogIdOf(found.line.blog) === blogId;
      if (ofBlog && found.line.key?.key === key) return { ...found, slot };
    }
    return undefined;
  }

  /** Takes in changes that became durable. */
  note(changes: readonly Change[]): void {
    if (this.#built === undefined) return;
    for (const { newKey, line } of changes) {
      if (newKey !== undefined) this.#table.add(checksum(newKey), line.id);
    }
  }

  /** By id and not by slot: compaction may renumber the slots meanwhile; new articles are noted. */
  async #build(): Promise<void> {
    const last = this.#document.index.slots.lastId;
    for (let id = 0; id <= last;) {
      id = this.#readSlice(id, last);
      await nextTurn();
    }
  }

  /** The id to go on with. */
  #readSlice(from: number, last: number): number {
    const { slots } = this.#document.index;
    const first = slots.firstFrom(from);
    if (first >= slots.length) return last + 1;
    const start = slots.offsetOf(first);
    let slot = first;
    let end = start;
    while (
      slot < slots.length &&
      slots.offsetOf(slot) >= end &&
      slots.offsetOf(slot) - start < SLICE_BYTES
    ) {
      end = slots.offsetOf(slot) + slots.lengthOf(slot);
      slot += 1;
    }
    if (this.#reader.bytesOf(start, end).includes(KEY))
      for (let one = first; one < slot; one += 1) this.#take(one);
    return slots.idOf(slot - 1) + 1;
  }

  #take(slot: number): void {
    const line = this.#reader.soundLineAt(slot)?.line;
    if (line?.key === undefined) return;
    const blogId = this.#document.index.blogIdOf(line.blog);
    this.#table.add(checksum(scopedKey(blogId, line.key.key)), line.id);
  }
}
