import {
  articleOfLine,
  draftOfJson,
  keptByTombstone,
  keyAlone,
  type NewLine,
  publicJson,
  withLock,
} from '../format/article-line.ts';
import { type KeyIndex, type PageReader, scopedKey } from './page-reader.ts';
import type { OpenDocument } from '../open-document.ts';
import type { ArticleReader, LineFound } from './article-reader.ts';
import { blogOf } from '../index/article-index.ts';
import {
  dateAfter,
  isOfOneVersion,
  StoreError,
  type Article,
  type Blog,
  type CreateAsked,
  type CreateGuard,
  type Creation,
  type Draft,
  type FoundArticle,
  type Guard,
  type Idempotency,
} from '../../store.ts';
import { composeChange, PendingChanges, type Change } from '../log/write-batch.ts';
import type { WriteQueue } from '../log/write-queue.ts';

type WriterParts = {
  readonly document: OpenDocument;
  readonly reader: ArticleReader;
  readonly keys: KeyIndex;
  readonly pages: PageReader;
  readonly queue: WriteQueue;
  readonly now: () => number;
};

type ArticleId = { readonly blogId: number; readonly id: number };

type Next = Pick<NewLine, 'draft' | 'privates'>;
type Nothing = { readonly kind: 'gone' | 'absent' };

/** Judges changes by the newest versions, writes in flight included, and queues them. */
export class ArticleWriter {
  readonly #parts: WriterParts;
  readonly #pending = new PendingChanges();
  /** Resolves when whoever looks at the whole blog has queued its change; others begin then. */
  #alone: Promise<void> | undefined;
  #nextId: number;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#nextId = parts.document.index.nextId;
  }

  async create(
    blogId: number,
    draft: Draft,
    { idempotency, guard }: CreateAsked = {},
  ): Promise<Creation> {
    const leave = this.#mayBegin(guard) ? undefined : await this.#enter(guard, draft);
    const creating = this.#create(blogId, draft, { idempotency, guard });
    leave?.();
    return creating;
  }

  #mayBegin(guard: CreateGuard | undefined): boolean {
    return this.#alone === undefined && (guard?.count ?? 0) === 0;
  }

  /**
   * A new article that asks for the first ones begins when no other change is under way, and nothing
   * else does until it is queued (decisions 17).
   */
  async #enter(
    guard: CreateGuard | undefined,
    draft: Draft | undefined,
  ): Promise<(() => void) | undefined> {
    const release = this.#parts.queue.reserve(lengthOf(draft));
    try {
      while (this.#alone !== undefined) await this.#alone;
      if (this.#mayBegin(guard)) return undefined;
      let leave = (): void => undefined;
      this.#alone = new Promise((resolve) => {
        leave = () => {
          this.#alone = undefined;
          resolve();
        };
      });
      while (!this.#pending.isEmpty) await this.#parts.queue.between(nothing);
      return leave;
    } finally {
      release();
    }
  }

  /** Judges and queues at once: until the first wait nothing else runs. */
  async #create(
    blogId: number,
    draft: Draft,
    { idempotency, guard }: CreateAsked,
  ): Promise<Creation> {
    const page = this.#parts.pages.now(blogId, 0, guard?.count ?? 0);
    if (page === undefined) return { kind: 'no-blog' };
    const newKey = idempotency && scopedKey(blogId, idempotency.key);
    if (newKey !== undefined && this.#pending.hasKey(newKey)) return { kind: 'key-in-flight' };
    const known = idempotency && this.#known(page.blog, idempotency);
    if (known !== undefined) return known;
    guard?.holds(page);
    this.#parts.queue.admit();
    const change = this.#newArticle(blogId, { draft, privates: keyAlone(idempotency) }, newKey);
    await this.#append(change);
    return { kind: 'created', article: change.article, blog: page.blog };
  }

  replace(target: ArticleId, draft: Draft, guard: Guard): Promise<FoundArticle> {
    const next = ({ line }: LineFound, blog: Blog) => {
      guard(line, blog);
      return { draft, privates: line };
    };
    return this.#revise(target, next, draft);
  }

  remove(target: ArticleId, guard: Guard): Promise<FoundArticle> {
    return this.#revise(target, ({ line }, blog) => {
      guard(line, blog);
      return { draft: undefined, privates: keptByTombstone(line) };
    });
  }

  lock(target: ArticleId, locked: boolean): Promise<FoundArticle> {
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

  #known(blog: Blog, { key, request }: Idempotency): Creation | undefined {
    const found = this.#parts.keys.find(blog.id, key);
    if (found === undefined) return undefined;
    if (found.line.key?.request !== request) return { kind: 'key-reused', id: found.line.id };
    const current = this.#parts.reader.find(blog.id, found.line.id);
    if (current.kind !== 'article') return { kind: 'gone' };
    return { kind: 'replayed', article: current.article, blog };
  }

  #newArticle(blogId: number, { draft, privates }: Next, newKey: string | undefined): Change {
    const { index } = this.#parts.document;
    const id = this.#nextId;
    if (!Number.isSafeInteger(id)) throw new StoreError('no-id', 'Every article id is used.');
    this.#nextId += 1;
    const line = {
      id,
      blog: index.blogMember(blogId),
      draft,
      updatedAt: this.#dateAfter(undefined, blogId),
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
  async #revise(
    target: ArticleId,
    next: (current: LineFound, blog: Blog) => Next,
    draft?: Draft,
  ): Promise<FoundArticle> {
    if (!this.#mayBegin(undefined)) await this.#enter(undefined, draft);
    for (;;) {
      const pending = this.#pending.newest(target.id);
      if (pending?.blogId === target.blogId && pending.line.isTombstone) {
        const release = this.#parts.queue.reserve(lengthOf(draft));
        await this.#parts.queue.between(nothing).finally(release);
        continue;
      }
      const current = this.#newest(target, pending);
      const blog = this.#blog(target.blogId);
      if ('kind' in current) return current;
      if (blog === undefined) return { kind: 'absent' };
      const successor = next(current, blog);
      this.#parts.queue.admit();
      const change = this.#successor(target.blogId, current, successor);
      await this.#append(change);
      return { kind: 'article', article: change.article };
    }
  }

  #newest({ blogId, id }: ArticleId, pending: Change | undefined): LineFound | Nothing {
    if (pending?.blogId === blogId) {
      return { bytes: pending.bytes.subarray(1, -1), line: pending.line };
    }
    const place = this.#parts.document.index.find(blogId, id);
    return place.kind === 'article' ? this.#parts.reader.lineAt(place.slot) : { kind: place.kind };
  }

  #successor(blogId: number, { bytes, line }: LineFound, next: Next): Change {
    const { id, blog } = line;
    const updatedAt = this.#dateAfter(line.updatedAt, blogId);
    const newLine = { id, blog, updatedAt, revision: line.revision + 1, ...next };
    const removed: Article | undefined =
      next.draft === undefined ? articleOfLine(bytes, line, blogId) : undefined;
    const effect = removed === undefined ? 0 : -1;
    return composeChange({ blogId, effect, newKey: undefined, line: newLine }, removed);
  }

  #blog(blogId: number): Blog | undefined {
    const blogIndex = this.#parts.document.index.blogs.get(blogId);
    return blogIndex && blogOf(blogIndex);
  }

  /**
   * Never behind the blog's last change: the last line of the file must be the latest. Nor the same
   * where that is of one version: after a restart the two would be taken for one.
   */
  #dateAfter(before: number | undefined, blogId: number): number {
    const changedAt = this.#parts.document.index.blogs.get(blogId)?.changedAt ?? 0;
    const date = dateAfter(before, Math.max(this.#parts.now(), changedAt));
    return date === changedAt && isOfOneVersion(date) ? date + 1 : date;
  }

  #append(change: Change): Promise<void> {
    this.#pending.add(change);
    return this.#parts.queue.append(change);
  }
}

/** In bytes, near enough. */
function lengthOf(draft: Draft | undefined): number {
  return (draft?.title.length ?? 0) + (draft?.content?.length ?? 0);
}

const nothing = () => Promise.resolve();
