import { setTimeout as pause } from 'node:timers/promises';
import {
  StoreError,
  type Blog,
  type CreateAsked,
  type Creation,
  type Draft,
  type Found,
  type FoundArticle,
  type FoundByKey,
  type Guard,
  type Page,
  type Store,
  type Subject,
  type OwnerStore,
  type BlogChange,
} from '../store.ts';
import type { BatchState } from './changes.ts';
import type { Connector } from './connections.ts';
import { lackedRight, meaningOf, type OutageListener, unreachable } from './failures.ts';
import { GatheredReads } from './gathered-reads.ts';
import { lookAtBlogs } from './in-words.ts';
import { makeBlog, type Owning } from './owner-work.ts';
import { type Ask, reads } from './sql.ts';
import type { CommitOptions, Format } from './transaction.ts';
import { WriteBatches } from './write-batches.ts';

const HEALTH_MS = 1000;
const SMALL_BYTES = 100;
/** Of what health finds, beside the statements that meet it. */
const RIGHTS = 'rights';

type PostgresParts = CommitOptions & {
  readonly writer: Connector;
  readonly readers: readonly Connector[];
  /** Only read: a standby will do. */
  readonly readOnly: boolean;
  readonly outages: OutageListener | undefined;
  readonly owning: Owning;
};

type Health = Format & {
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly lacked: string | null;
};

/** A store in a PostgreSQL database, beside any number of equal instances. */
export class PostgresStore implements Store, OwnerStore {
  readonly #parts: PostgresParts;
  readonly #reads: GatheredReads;
  readonly #batches: WriteBatches;
  #closing: Promise<void> | undefined;

  constructor(parts: PostgresParts) {
    this.#parts = parts;
    this.#reads = new GatheredReads(parts.readers, parts.schema);
    this.#batches = new WriteBatches(parts.writer, parts);
    if (parts.readOnly) this.#batches.refuse(onlyRead());
  }

  blogs(): Promise<readonly Blog[]> {
    return this.#reads.blogs();
  }

  blog(blogId: number): Promise<Blog | undefined> {
    return this.#reads.blog(blogId);
  }

  read(blogId: number, articleId: number): Promise<Found> {
    return this.#reads.article({ blogId, id: articleId });
  }

  readByKey(blogId: number, key: string): Promise<FoundByKey> {
    return this.#reads.byKey(blogId, key);
  }

  page(blogId: number, first: number, count: number): Promise<Page | undefined> {
    return this.#reads.page(blogId, first, count);
  }

  version(subject?: Subject): Promise<number> {
    return this.#reads.version(subject?.blogId);
  }

  create(blogId: number, draft: Draft, asked: CreateAsked = {}): Promise<Creation> {
    if (this.#parts.readOnly) return this.#refuseNew(blogId, asked);
    return this.#batches.add({
      blogId,
      key: asked.idempotency?.key,
      first: asked.guard?.count ?? 0,
      bytes: bytesOf(draft),
      judge: (state) => state.create(blogId, draft, asked),
    });
  }

  replace(blogId: number, id: number, draft: Draft, guard: Guard): Promise<Found> {
    if (this.#parts.readOnly) return this.#refuseChange(blogId, id, guard);
    const judge = (state: BatchState) => state.replace(blogId, id, draft, guard);
    return this.#batches.add({ blogId, id, first: 0, bytes: bytesOf(draft), judge });
  }

  remove(blogId: number, id: number, guard: Guard): Promise<Found> {
    if (this.#parts.readOnly) return this.#refuseChange(blogId, id, guard);
    const judge = (state: BatchState) => state.remove(blogId, id, guard);
    return this.#batches.add({ blogId, id, first: 0, bytes: SMALL_BYTES, judge });
  }

  /** Judged by what is read: whoever asks is told first what else keeps it from being done. */
  async #refuseNew(blogId: number, { guard }: CreateAsked): Promise<Creation> {
    const count = guard?.count ?? 0;
    const page = count > 0 ? await this.page(blogId, 0, count) : undefined;
    const blog = page?.blog ?? (await this.blog(blogId));
    if (blog === undefined) return { kind: 'no-blog' };
    guard?.holds(page ?? { blog, articles: [] });
    throw onlyRead();
  }

  async #refuseChange(blogId: number, id: number, guard: Guard): Promise<Found> {
    const found = await this.read(blogId, id);
    if (found.kind !== 'article') return found;
    guard(found.article, found.blog);
    throw onlyRead();
  }

  async lockArticle(blogId: number, id: number, locked: boolean): Promise<FoundArticle> {
    const judge = (state: BatchState) => state.lockArticle(blogId, id, locked);
    const found = await this.#batches.add({ blogId, id, first: 0, bytes: SMALL_BYTES, judge });
    return found.kind === 'no-blog' ? { kind: 'absent' } : found;
  }

  changeBlog(blogId: number, change: BlogChange): Promise<boolean> {
    const judge = (state: BatchState) => state.changeBlog(blogId, change);
    return this.#batches.add({ blogId, first: 0, bytes: SMALL_BYTES, judge });
  }

  addBlog(blog: Pick<Blog, 'title' | 'description'>): Promise<number> {
    const add = (ask: Ask) => makeBlog(ask, blog);
    return this.#parts.owning(add, {
      doubt: (store) => ({ what: 'The blog may have been added', look: lookAtBlogs(store) }),
    });
  }

  /** Asked through a reader: whoever writes may wait for a lock. */
  async writesRefused(): Promise<StoreError | undefined> {
    const [reader] = this.#parts.readers;
    const late = pause(HEALTH_MS, undefined, { ref: false });
    const statement = { name: 'health', text: reads.health };
    const asked = reader?.read<Health>(statement, [], HEALTH_MS);
    try {
      const rows = await Promise.race([asked, late.then(() => undefined)]);
      const [found] = rows ?? [];
      if (found === undefined) return unreachable(undefined);
      this.#parts.schema.see(found);
      if (found.standby || found.read_only) {
        return new StoreError('refused', 'The database is read-only.');
      }
      if (found.lacked !== null) throw this.#lacks(found.lacked);
      this.#parts.outages?.over(RIGHTS);
      return this.#batches.met;
    } catch (error) {
      const refusal = meaningOf(error);
      if (refusal instanceof StoreError) return refusal;
      throw error;
    }
  }

  #lacks(words: string): Error {
    const error = lackedRight(words);
    this.#parts.outages?.met(error, RIGHTS);
    return error;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#batches.refuse(new StoreError('closing', 'The store is closing.'));
    await this.#batches.drained();
    await Promise.all(
      [this.#parts.writer, ...this.#parts.readers].map((connector) => connector.close()),
    );
  }
}

function onlyRead(): StoreError {
  return new StoreError('degraded', 'The store is open for reading only.');
}

function bytesOf({ title, content = '' }: Draft): number {
  return SMALL_BYTES + title.length + content.length;
}
