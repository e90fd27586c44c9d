import { createTurns } from '../../fair-shares.ts';
import { KeyIndex, PageReader } from './articles/page-reader.ts';
import { ArticleWriter } from './articles/article-writer.ts';
import type { Change } from './log/write-batch.ts';
import { WriteQueue } from './log/write-queue.ts';
import { Compactor } from './log/compactor.ts';
import type { BlogRecord } from './format/head.ts';
import { newBlogRecord, type NewBlog } from './create.ts';
import { blogOf } from './index/article-index.ts';
import type { FileLock, Serving } from './store-lock.ts';
import { type OpenDocument, type StoreImage, Versions } from './open-document.ts';
import { FileWatch } from './outside/file-watch.ts';
import { OwnFile } from './outside/own-file.ts';
import { ArticleReader } from './articles/article-reader.ts';
import type { Recovery } from './recovery/document.ts';
import {
  dateAfter,
  StoreError,
  type Blog,
  type BlogChange,
  type CreateAsked,
  type Creation,
  type Draft,
  type Found,
  type FoundArticle,
  type FoundByKey,
  type Guard,
  type InBlog,
  type Page,
  type Store,
  type Subject,
} from '../store.ts';

type JsonFileParts = {
  readonly document: OpenDocument;
  readonly recovery: Recovery;
  /** Absent where the file is only read. */
  readonly lock: FileLock | undefined;
  readonly now: () => number;
  readonly report: (notice: string) => void;
  readonly idleMs: number;
  /** What other programs write into the file is taken over. */
  readonly watch: boolean;
  readonly isBrief: boolean;
};

/** A store in one JSON file: reads what is durable, writes through a queue of batches. */
export class JsonFileStore implements Store {
  readonly path: string;
  /** What the file was found to be; it was reported. */
  readonly recovery: Recovery;
  /** Known once the store is closed: why something that was acknowledged is not in the file. */
  loss: string | undefined;
  readonly #document: OpenDocument;
  readonly #parts: JsonFileParts;
  readonly #reader: ArticleReader;
  readonly #pages: PageReader;
  readonly #keys: KeyIndex;
  readonly #writer: ArticleWriter;
  readonly #queue: WriteQueue;
  readonly #compactor: Compactor;
  readonly #watch: FileWatch | undefined;
  readonly #file: OwnFile;
  /** For what takes long to read. */
  readonly #turn = createTurns();
  readonly #versions = new Versions();
  #closing: Promise<void> | undefined;

  constructor(parts: JsonFileParts) {
    const { document, recovery, lock, now, report, idleMs, watch, isBrief } = parts;
    this.#parts = parts;
    this.path = document.path;
    this.recovery = recovery;
    this.#document = document;
    this.#reader = new ArticleReader(document);
    this.#pages = new PageReader(document, this.#reader, this.#turn);
    this.#keys = new KeyIndex(document, this.#reader);
    this.#queue = new WriteQueue(document, {
      before: () => this.#file.beforeBatch(),
      durable: (changes) => this.#apply(changes),
      failed: (changes, refused) => {
        this.#writer.settled(changes);
        this.#file.tellRefused(refused);
      },
    });
    const [reader, keys, pages, queue] = [this.#reader, this.#keys, this.#pages, this.#queue];
    this.#writer = new ArticleWriter({ document, reader, keys, pages, queue, now });
    this.#compactor = new Compactor(document, this.#queue, { report, idleMs });
    if (lock !== undefined) {
      const [reset, disclaim] = [() => this.#reset(), () => this.#file.disclaim()];
      const options = { now, report, takesOver: watch, isBrief, reset, disclaim, lock };
      this.#watch = new FileWatch(document, queue, options);
    } else this.#queue.refuse(new StoreError('degraded', 'The store is open for reading only.'));
    const [compactor, watching] = [this.#compactor, this.#watch];
    this.#file = new OwnFile({ document, lock, queue, compactor, watch: watching, now, report });
  }

  version(subject?: Subject): number {
    return this.#versions.of(subject?.articleId);
  }

  damage(): StoreError | undefined {
    return this.#reader.damage;
  }

  writesRefused(): StoreError | undefined {
    return this.#queue.unavailableReason ?? this.#watch?.refusal ?? this.#queue.noRoom;
  }

  async blogs(): Promise<readonly Blog[]> {
    return [...this.#document.index.blogs.values()].sort((a, b) => a.id - b.id).map(blogOf);
  }

  async blog(blogId: number): Promise<Blog | undefined> {
    const blogIndex = this.#document.index.blogs.get(blogId);
    return blogIndex === undefined ? undefined : blogOf(blogIndex);
  }

  async read(blogId: number, articleId: number): Promise<Found> {
    if (this.#reader.isLong(articleId) && !this.#reader.isCached(articleId)) await this.#turn();
    return this.#inBlog(blogId, () => this.#reader.find(blogId, articleId));
  }

  async readByKey(blogId: number, key: string): Promise<FoundByKey> {
    if (this.#keys.isLong(blogId, key)) await this.#turn();
    return this.#inBlog(blogId, () => this.#keys.read(blogId, key));
  }

  async page(blogId: number, first: number, count: number): Promise<Page | undefined> {
    return this.#pages.read(blogId, first, count);
  }

  create(blogId: number, draft: Draft, asked?: CreateAsked): Promise<Creation> {
    return this.#writer.create(blogId, draft, asked);
  }

  async replace(blogId: number, id: number, draft: Draft, guard: Guard): Promise<Found> {
    const found = await this.#writer.replace({ blogId, id }, draft, guard);
    return this.#inBlog(blogId, () => found);
  }

  async remove(blogId: number, id: number, guard: Guard): Promise<Found> {
    const found = await this.#writer.remove({ blogId, id }, guard);
    return this.#inBlog(blogId, () => found);
  }

  /** Locks an article against change, or frees it; a new version of it (decisions 33). */
  async lockArticle(blogId: number, id: number, locked: boolean): Promise<FoundArticle> {
    return this.#writer.lock({ blogId, id }, locked);
  }

  announce(serving: Serving): Promise<void> {
    return this.#parts.lock?.announce(serving) ?? Promise.resolve();
  }

  /** What is durable now; for stores in memory (see `openImage`). */
  image(): StoreImage {
    return this.#document.image();
  }

  /** Puts the lines in id order and leaves old versions out. */
  async compact(): Promise<void> {
    await this.confirm();
    await this.#compactor.now();
  }

  /**
   * Makes the file what it is shown as, where it is not as the store wrote it: edits by hand get
   * their checksums, what a crash left half written goes. Every change does this first.
   */
  async confirm(): Promise<void> {
    if (this.#queue.unavailableReason !== undefined) throw this.#queue.unavailableReason;
    await this.#queue.between(() => this.#file.settle());
  }

  /** Adds a blog to the file and answers its id. */
  async addBlog(blog: NewBlog): Promise<number> {
    let id = 0;
    await this.#amend((blogs) => {
      id = Math.max(...blogs.map((known) => known.id)) + 1;
      return [...blogs, newBlogRecord(id, blog, this.#parts.now())];
    });
    return id;
  }

  /** False where there is no such blog. */
  async changeBlog(blogId: number, change: BlogChange): Promise<boolean> {
    if (!this.#document.index.blogs.has(blogId)) return false;
    const next = (blog: BlogRecord) => {
      const changedAt = dateAfter(blog.changedAt, this.#parts.now());
      return { ...blog, ...change, revision: blog.revision + 1, changedAt };
    };
    await this.#amend((blogs) => blogs.map((blog) => (blog.id === blogId ? next(blog) : blog)));
    return true;
  }

  /** Leaves a store in memory to those who still use it: nothing more is looked at or compacted. */
  abandon(): void {
    this.#compactor.stop();
    this.#watch?.stop();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  #inBlog<What>(blogId: number, find: () => What): InBlog<What> {
    const blogIndex = this.#document.index.blogs.get(blogId);
    return blogIndex === undefined ? { kind: 'no-blog' } : { ...find(), blog: blogOf(blogIndex) };
  }

  /** What stands before the articles changes with the whole file. */
  async #amend(edit: (blogs: readonly BlogRecord[]) => readonly BlogRecord[]): Promise<void> {
    await this.confirm();
    await this.#compactor.now(edit);
    this.#versions.all();
  }

  /** Another file is open: nothing that was remembered holds. */
  #reset(): void {
    this.#versions.all();
    this.#file.reset();
    this.#reader.forgetAll();
    this.#writer.settled([]);
  }

  #apply(changes: readonly Change[]): void {
    this.#versions.changed(changes.map(({ line }) => line.id));
    this.#keys.note(changes);
    this.#writer.settled(changes);
    for (const { line } of changes) this.#reader.forget(line.id);
    this.#compactor.afterBatch();
  }

  async #close(): Promise<void> {
    this.#queue.close();
    await this.#queue.drained();
    this.#compactor.stop();
    this.#watch?.stop();
    const { clean, loss } = await this.#file.leave();
    this.loss = loss;
    this.#document.close();
    await this.#parts.lock?.release(clean);
  }
}
