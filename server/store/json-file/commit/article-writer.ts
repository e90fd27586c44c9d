import { keptByTombstone, keyAlone, withLock, type NewLine } from '../format/compose-line.ts';
import { draftOfJson } from '../format/draft-of-json.ts';
import { publicJson } from '../format/article-line.ts';
import { scopedKey, type KeyIndex } from '../keys/key-index.ts';
import type { OpenDocument } from '../open-document.ts';
import { articleOfLine } from '../reading/article-of-line.ts';
import type { ArticleReader, LineFound } from '../reading/article-reader.ts';
import {
  dateAfter,
  StoreError,
  type Article,
  type Creation,
  type Draft,
  type Found,
  type Guard,
  type Idempotency,
} from '../../store.ts';
import { composeChange, type Change } from './change.ts';
import { PendingChanges } from './pending-changes.ts';
import type { WriteQueue } from './write-queue.ts';

export type WriterParts = {
  readonly document: OpenDocument;
  readonly reader: ArticleReader;
  readonly keys: KeyIndex;
  readonly queue: WriteQueue;
  readonly now: () => number;
};

export type Target = { readonly blogId: number; readonly id: number };

type Next = Pick<NewLine, 'draft' | 'privates'>;
type Nothing = { readonly kind: 'gone' | 'absent' };

/** Judges changes by the newest versions, writes in flight included, and queues them. */
export class ArticleWriter {
  readonly #parts: WriterParts;
  readonly #pending = new PendingChanges();
  #nextId: number;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#nextId = parts.document.index.nextId;
  }

  async create(blogId: number, draft: Draft, idempotency?: Idempotency): Promise<Creation> {
    const newKey = idempotency && scopedKey(blogId, idempotency.key);
    if (newKey !== undefined && this.#pending.hasKey(newKey)) return { kind: 'key-in-flight' };
    const known = idempotency && this.#known(blogId, idempotency);
    if (known !== undefined) return known;
    this.#parts.queue.admit();
    const change = this.#newArticle(blogId, { draft, privates: keyAlone(idempotency) }, newKey);
    await this.#append(change);
    return { kind: 'created', article: change.article };
  }

  replace(target: Target, draft: Draft, guard: Guard): Promise<Found> {
    return this.#revise(target, ({ line }) => {
      guard(line);
      return { draft, privates: line };
    });
  }

  remove(target: Target, guard: Guard): Promise<Found> {
    return this.#revise(target, ({ line }) => {
      guard(line);
      return { draft: undefined, privates: keptByTombstone(line) };
    });
  }

  lock(target: Target, locked: boolean): Promise<Found> {
    return this.#revise(target, ({ bytes, line }) => ({
      draft: draftOfJson(publicJson(bytes, line)),
      privates: withLock(line, locked),
    }));
  }

  /** These changes are durable, or will never be. */
  settled(changes: readonly Change[]): void {
    this.#pending.remove(changes);
    if (this.#pending.isEmpty) this.#nextId = this.#parts.document.index.nextId;
  }

  #known(blogId: number, { key, request }: Idempotency): Creation | undefined {
    const found = this.#parts.keys.find(blogId, key);
    if (found === undefined) return undefined;
    if (found.line.key?.request !== request) return { kind: 'key-reused', id: found.line.id };
    const current = this.#parts.reader.find(blogId, found.line.id);
    if (current.kind !== 'article') return { kind: 'gone' };
    return { kind: 'replayed', article: current.article };
  }

  #newArticle(blogId: number, { draft, privates }: Next, newKey: string | undefined): Change {
    const { index } = this.#parts.document;
    if (!index.blogs.has(blogId)) throw new RangeError(`There is no blog ${blogId}.`);
    const id = this.#nextId;
    if (!Number.isSafeInteger(id)) throw new StoreError('no-id', 'Every article id is used.');
    this.#nextId += 1;
    const line = {
      id,
      blog: index.blogMember(blogId),
      draft,
      updatedAt: dateAfter(undefined, this.#clock(blogId)),
      privates,
      revision: 1,
    };
    return composeChange({ blogId, effect: 1, newKey, line });
  }

  /**
   * From finding the newest version to queueing its successor nothing else runs, or two writers
   * would both pass their guards. A deletion in flight is waited for: what is told about it must
   * be durable.
   */
  async #revise(target: Target, next: (current: LineFound) => Next): Promise<Found> {
    for (;;) {
      const pending = this.#pending.newest(target.id);
      if (pending?.blogId === target.blogId && pending.line.dead) {
        await this.#parts.queue.between(() => Promise.resolve());
        continue;
      }
      const current = this.#newest(target, pending);
      if ('kind' in current) return current;
      const successor = next(current);
      this.#parts.queue.admit();
      const change = this.#successor(target.blogId, current, successor);
      await this.#append(change);
      return { kind: 'article', article: change.article };
    }
  }

  #newest({ blogId, id }: Target, pending: Change | undefined): LineFound | Nothing {
    if (pending?.blogId === blogId) {
      return { bytes: pending.bytes.subarray(1, -1), line: pending.line };
    }
    const place = this.#parts.document.index.find(blogId, id);
    return place.kind === 'article' ? this.#parts.reader.lineAt(place.slot) : { kind: place.kind };
  }

  #successor(blogId: number, { bytes, line }: LineFound, next: Next): Change {
    const { id, blog } = line;
    const updatedAt = dateAfter(line.updatedAt, this.#clock(blogId));
    const newLine = { id, blog, updatedAt, revision: line.revision + 1, ...next };
    const removed: Article | undefined =
      next.draft === undefined ? articleOfLine(bytes, line, blogId) : undefined;
    const effect = removed === undefined ? 0 : -1;
    return composeChange({ blogId, effect, newKey: undefined, line: newLine }, removed);
  }

  /** Never behind the blog's last change: the last line of the file must be the latest. */
  #clock(blogId: number): number {
    const changedAt = this.#parts.document.index.blogs.get(blogId)?.changedAt ?? 0;
    return Math.max(this.#parts.now(), changedAt);
  }

  #append(change: Change): Promise<void> {
    this.#pending.add(change);
    return this.#parts.queue.append(change);
  }
}
