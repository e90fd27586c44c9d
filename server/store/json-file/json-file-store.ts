import { scopedKey, KeyIndex } from './keys/key-index.ts';
import { PendingChanges } from './commit/pending-changes.ts';
import { composeChange, type Change } from './commit/change.ts';
import { WriteQueue } from './commit/write-queue.ts';
import { writeFailure } from './commit/write-batch.ts';
import { Compactor } from './compaction/compactor.ts';
import { writeFully } from './files/write-fully.ts';
import { keptByTombstone, keyText } from './format/compose-line.ts';
import { blogTag } from './format/head.ts';
import { newBlogRecord, type NewBlog } from './create.ts';
import type { BlogShelf } from './index/article-index.ts';
import type { Hold } from './lock/hold.ts';
import type { OpenDocument } from './open-document.ts';
import { ArticleReader, type LineFound } from './reading/article-reader.ts';
import { articleOfLine } from './reading/article-of-line.ts';
import { PageReader } from './reading/page-reader.ts';
import type { Recovery } from './recovery/recover.ts';
import {
  StoreError,
  type Blog,
  type Creation,
  type Draft,
  type Found,
  type Guard,
  type Idempotency,
  type Page,
  type Store,
} from '../store.ts';

export type JsonFileParts = {
  readonly document: OpenDocument;
  readonly recovery: Recovery;
  /** Absent where the file is only read. */
  readonly hold: Hold | undefined;
  readonly now: () => number;
  readonly report: (notice: string) => void;
  readonly restMs: number;
};

type Target = { readonly blogId: number; readonly id: number; readonly guard: Guard };
type Nothing = { readonly kind: 'gone' | 'absent' };

/** A store in one JSON file: reads what is durable, writes through a queue of batches. */
export class JsonFileStore implements Store {
  readonly path: string;
  readonly recovery: Recovery;
  readonly #document: OpenDocument;
  readonly #hold: Hold | undefined;
  readonly #now: () => number;
  readonly #reader: ArticleReader;
  readonly #pages: PageReader;
  readonly #keys: KeyIndex;
  readonly #pending = new PendingChanges();
  readonly #queue: WriteQueue;
  readonly #compactor: Compactor;
  #nextId: number;
  #armed = false;
  #closing: Promise<void> | undefined;

  constructor({ document, recovery, hold, now, report, restMs }: JsonFileParts) {
    this.path = document.path;
    this.recovery = recovery;
    this.#document = document;
    this.#hold = hold;
    this.#now = now;
    this.#reader = new ArticleReader(document);
    this.#pages = new PageReader(document, this.#reader);
    this.#keys = new KeyIndex(document, this.#reader);
    this.#nextId = document.index.nextId;
    this.#queue = new WriteQueue(document, {
      before: () => this.#beforeBatch(),
      durable: (changes) => this.#takeIn(changes),
      failed: (changes) => this.#forget(changes),
    });
    this.#compactor = new Compactor(document, this.#queue, { report, restMs });
    if (hold === undefined)
      this.#queue.refuse(new StoreError('degraded', 'The store is open for reading only.'));
  }

  get writesRefused(): StoreError | undefined {
    return this.#queue.takesNone;
  }

  async blogs(): Promise<readonly Blog[]> {
    const shelves = [...this.#document.index.blogs.values()];
    return shelves.sort((a, b) => a.id - b.id).map((shelf) => blogOf(shelf));
  }

  async blog(blogId: number): Promise<Blog | undefined> {
    const shelf = this.#document.index.blogs.get(blogId);
    return shelf === undefined ? undefined : blogOf(shelf);
  }

  async read(blogId: number, articleId: number): Promise<Found> {
    return this.#reader.find(blogId, articleId);
  }

  async page(blogId: number, first: number, count: number): Promise<Page> {
    return this.#pages.read(blogId, first, count);
  }

  async create(blogId: number, draft: Draft, idempotency?: Idempotency): Promise<Creation> {
    if (idempotency !== undefined) {
      await this.#keys.ready();
      const known = this.#known(blogId, idempotency);
      if (known !== undefined) return known;
    }
    this.#queue.admit();
    const change = this.#newArticle(blogId, draft, idempotency);
    await this.#append(change);
    return { kind: 'created', article: change.article };
  }

  async replace(blogId: number, articleId: number, draft: Draft, guard: Guard): Promise<Found> {
    return this.#revise({ blogId, id: articleId, guard }, draft);
  }

  async remove(blogId: number, articleId: number, guard: Guard): Promise<Found> {
    return this.#revise({ blogId, id: articleId, guard }, undefined);
  }

  announce(serving: { readonly url: string; readonly token: string }): Promise<void> {
    return this.#hold?.announce(serving) ?? Promise.resolve();
  }

  /** Puts the lines in id order and leaves old versions out. */
  async compact(): Promise<void> {
    if (this.#queue.refused !== undefined) throw this.#queue.refused;
    await this.#compactor.now();
  }

  /** Adds a blog to the file and answers its id. */
  async addBlog(blog: NewBlog): Promise<number> {
    if (this.#queue.takesNone !== undefined) throw this.#queue.takesNone;
    let id = 0;
    await this.#compactor.now((head) => {
      id = Math.max(...head.blogs.map((known) => known.id)) + 1;
      return { ...head, blogs: [...head.blogs, newBlogRecord(id, blog, this.#now())] };
    });
    return id;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #known(blogId: number, { key, request }: Idempotency): Creation | undefined {
    if (this.#pending.hasKey(scopedKey(blogId, key))) return { kind: 'key-in-flight' };
    const found = this.#keys.find(blogId, key);
    if (found === undefined) return undefined;
    if (found.line.key?.request !== request) {
      return { kind: 'key-reused', id: found.line.id };
    }
    const current = this.#reader.find(blogId, found.line.id);
    return current.kind === 'article'
      ? { kind: 'replayed', article: current.article }
      : { kind: 'gone' };
  }

  #newArticle(blogId: number, draft: Draft, idempotency: Idempotency | undefined): Change {
    const shelf = this.#document.index.blogs.get(blogId);
    if (shelf === undefined) throw new RangeError(`There is no blog ${blogId}.`);
    const id = this.#nextId;
    this.#nextId += 1;
    return composeChange({
      blogId,
      effect: 1,
      newKey: idempotency === undefined ? undefined : scopedKey(blogId, idempotency.key),
      line: {
        id,
        blog: this.#document.index.blogMember(blogId),
        draft,
        updatedAt: this.#clock(shelf),
        privateText: idempotency === undefined ? '' : keyText(idempotency),
        revision: 1,
      },
    });
  }

  /**
   * Makes a change of the newest version, writes in flight included. From finding that version to
   * queueing the change nothing else runs, or two writers would both pass their guards. A deletion
   * in flight is waited for: what is told about it must be durable.
   */
  async #revise({ blogId, id, guard }: Target, draft: Draft | undefined): Promise<Found> {
    for (;;) {
      const pending = this.#pending.newest(id);
      if (pending?.blogId === blogId && pending.line.dead) {
        await this.#queue.between(() => Promise.resolve());
        continue;
      }
      const current = this.#newest(blogId, id, pending);
      if ('kind' in current) return current;
      guard(current.line);
      this.#queue.admit();
      const change = this.#nextVersion(blogId, current, draft);
      await this.#append(change);
      return { kind: 'article', article: change.article };
    }
  }

  #newest(blogId: number, id: number, pending: Change | undefined): LineFound | Nothing {
    if (pending?.blogId === blogId)
      return { bytes: pending.bytes.subarray(1, -1), line: pending.line };
    const place = this.#document.index.find(blogId, id);
    return place.kind === 'article' ? this.#reader.lineAt(place.slot) : { kind: place.kind };
  }

  #nextVersion(blogId: number, { bytes, line }: LineFound, draft: Draft | undefined): Change {
    const { id, blog } = line;
    const updatedAt = this.#clock(this.#document.index.blogs.get(blogId));
    const next = { id, blog, draft, updatedAt, revision: line.revision + 1 };
    if (draft !== undefined) {
      const newLine = { ...next, privateText: line.privateText };
      return composeChange({ blogId, effect: 0, newKey: undefined, line: newLine });
    }
    const tombstone = { ...next, privateText: keptByTombstone(line) };
    const removed = articleOfLine(bytes, line, blogId);
    return composeChange({ blogId, effect: -1, newKey: undefined, line: tombstone }, removed);
  }

  /** Never behind the blog's last change: the last line of the file must be the latest. */
  #clock(shelf: BlogShelf | undefined): number {
    return Math.max(this.#now(), shelf?.changedAt ?? 0);
  }

  async #append(change: Change): Promise<void> {
    this.#pending.add(change);
    await this.#queue.append(change);
  }

  async #beforeBatch(): Promise<void> {
    const change = this.#document.outsideChange();
    if (change !== undefined) {
      throw new StoreError('degraded', `${this.path} ${change} by another program.`);
    }
    if (this.#hold?.stands() !== true) {
      throw new StoreError('degraded', `Another process took ${this.path} over.`);
    }
    if (this.#armed) return;
    await this.#hold.arm(this.#document.end).catch((error: unknown) => {
      throw writeFailure(error);
    });
    this.#armed = true;
  }

  #takeIn(changes: readonly Change[]): void {
    this.#keys.note(changes);
    this.#pending.remove(changes);
    for (const { line, blogId } of changes) {
      this.#reader.forget(line.id);
      this.#pages.forget(blogId);
    }
    this.#compactor.afterBatch();
  }

  #forget(changes: readonly Change[]): void {
    this.#pending.remove(changes);
    if (this.#pending.isEmpty) this.#nextId = this.#document.index.nextId;
  }

  async #close(): Promise<void> {
    this.#queue.close();
    await this.#queue.drained();
    this.#compactor.stop();
    if (this.#queue.refused === undefined) await this.#leaveClean();
    this.#document.file.close();
    await this.#hold?.release(this.#queue.refused === undefined);
  }

  async #leaveClean(): Promise<void> {
    await this.#compactor.atEnd();
    if (!this.#document.footerNamesBatch) return;
    const footer = this.#document.cleanFooter();
    await writeFully(this.#document.file, footer, this.#document.end);
    this.#document.file.truncate(this.#document.end + footer.length);
    await this.#document.file.syncData();
  }
}

function blogOf({ id, record, live, changedAt }: BlogShelf): Blog {
  const { title, description, locked } = record;
  return { id, title, description, tag: blogTag(record), total: live.size, changedAt, locked };
}
