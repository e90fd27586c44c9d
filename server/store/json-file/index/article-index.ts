import {
  blogTag,
  mergeRanges,
  IdRanges,
  type BlogRecord,
  type Head,
  type Range,
} from '../format/head.ts';
import { isOfOneVersion, sharedDate, type Blog } from '../../store.ts';
import { RankedSet, SlotSet } from './ranked-set.ts';
import { Slots } from './slots.ts';

/** A line of `"articles"` and where it stands; offset and length without comma and newline. */
export type Entry = {
  readonly id: number;
  /** Undefined for the file's first blog. */
  readonly blog: number | undefined;
  readonly isTombstone: boolean;
  /** A tombstone that carries an idempotency key stays a line. */
  readonly keyed: boolean;
  readonly offset: number;
  readonly length: number;
  /** Of its tag; 0 where it has none. */
  readonly mark: number;
};

export type BlogIndex = {
  readonly id: number;
  readonly record: BlogRecord;
  /** Of the record; made once, for every answer about the blog carries it. */
  readonly tag: string;
  /** Last change of the blog or its articles, deletions included. */
  changedAt: number;
  readonly live: RankedSet;
  /** Deletions whose line is still in the file. */
  readonly tombstones: SlotSet;
  /** Deletions whose lines compaction took away. */
  readonly forgotten: IdRanges;
};

/** A blog as others see it, at this moment. */
export function blogOf({ id, record, tag, live, changedAt }: BlogIndex): Blog {
  const { title, description, locked } = record;
  return { id, title, description, tag, total: live.size, changedAt, locked };
}

type SlotLookup =
  | { readonly kind: 'article'; readonly slot: number }
  | { readonly kind: 'gone'; readonly slot: number | undefined }
  | { readonly kind: 'absent' };

/** Comma and newline belong to the line. */
const AROUND_A_LINE = 2;

/** Which articles there are and where in the file their newest lines stand. */
export class ArticleIndex {
  slots = new Slots();
  readonly blogs = new Map<number, BlogIndex>();
  readonly others: Head['others'];
  /** Tombstones that carry an idempotency key: compaction keeps their lines. */
  keyedTombstones = new SlotSet();
  /** Bytes of lines that compaction would leave out. */
  garbage = 0;
  readonly #firstBlog: number;
  #lastId: number;
  #lastBlog: BlogIndex | undefined;

  /** `lastId`: the highest id that was ever given, as far as it is known. */
  constructor(head: Head, lastId = 0) {
    this.#lastId = lastId;
    this.others = head.others;
    this.#firstBlog = head.blogs[0]?.id ?? 1;
    for (const record of head.blogs) this.blogs.set(record.id, newBlogIndex(record, head));
  }

  /** The id the next article gets: above every id there was, deleted ones included. */
  get nextId(): number {
    const forgotten = [...this.blogs.values()].map((blog) => blog.forgotten.lastId);
    return Math.max(this.#lastId, this.slots.lastId, ...forgotten) + 1;
  }

  /** No id up to this one is given again. */
  noIdBelow(lastId: number): void {
    this.#lastId = Math.max(this.#lastId, lastId);
  }

  get liveCount(): number {
    let count = 0;
    for (const blog of this.blogs.values()) count += blog.live.size;
    return count;
  }

  /** The blog's number as a line has it. */
  blogMember(blogId: number): number | undefined {
    return blogId === this.#firstBlog ? undefined : blogId;
  }

  blogIdOf(member: number | undefined): number {
    return member ?? this.#firstBlog;
  }

  find(blogId: number, id: number): SlotLookup {
    const blog = this.blogs.get(blogId);
    if (blog === undefined) return { kind: 'absent' };
    const slot = this.slots.find(id);
    if (slot < 0)
      return blog.forgotten.has(id) ? { kind: 'gone', slot: undefined } : { kind: 'absent' };
    if (blog.live.has(slot)) return { kind: 'article', slot };
    return blog.tombstones.has(slot) ? { kind: 'gone', slot } : { kind: 'absent' };
  }

  /** The blog a slot belongs to. */
  blogOfSlot(slot: number): BlogIndex | undefined {
    for (const blog of this.blogs.values()) {
      if (blog.live.has(slot) || blog.tombstones.has(slot)) return blog;
    }
    return undefined;
  }

  /** Takes in the next line of the file; false where no file of our own writing has it there. */
  apply(entry: Entry): boolean {
    const blog = this.#indexFor(entry.blog);
    const slot = blog === undefined ? -1 : this.#slotFor(entry);
    if (blog === undefined || slot < 0) return false;
    if (entry.isTombstone) {
      blog.live.remove(slot);
      blog.tombstones.add(slot);
      if (entry.keyed) this.keyedTombstones.add(slot);
      else this.garbage += entry.length + AROUND_A_LINE;
    } else {
      blog.tombstones.remove(slot);
      blog.live.add(slot);
    }
    return true;
  }

  /** Mostly the same as for the line before. */
  #indexFor(member: number | undefined): BlogIndex | undefined {
    const id = this.blogIdOf(member);
    if (this.#lastBlog?.id !== id) this.#lastBlog = this.blogs.get(id);
    return this.#lastBlog;
  }

  #slotFor(entry: Entry): number {
    if (entry.id > this.slots.lastId) return this.slots.push(entry);
    const slot = this.slots.find(entry.id);
    if (slot < 0) return slot;
    this.garbage += this.slots.lengthOf(slot) + AROUND_A_LINE;
    this.slots.place(slot, entry);
    return slot;
  }

  /** What changes in the one stays as it is in the other. */
  copy(): ArticleIndex {
    const copy = new ArticleIndex(this.head(), this.#lastId);
    copy.slots = this.slots.copy();
    copy.keyedTombstones = this.keyedTombstones.copy();
    copy.garbage = this.garbage;
    for (const [id, blog] of this.blogs) {
      copy.blogs.set(id, { ...blog, live: blog.live.copy(), tombstones: blog.tombstones.copy() });
    }
    return copy;
  }

  /** The blogs as they are now. */
  records(): BlogRecord[] {
    return [...this.blogs.values()].map(({ record, changedAt }) => ({ ...record, changedAt }));
  }

  /** The head as compaction writes it, deletions folded into ranges. */
  head(): Head {
    return {
      blogs: this.records(),
      deleted: new Map(
        [...this.blogs.values()].map((blogIndex) => [
          blogIndex.id,
          this.deletedOf(blogIndex, (slot) => !this.keyedTombstones.has(slot)),
        ]),
      ),
      others: this.others,
    };
  }

  /** Ascending; `takes`: which of the deletions that are lines. */
  deletedOf(
    { forgotten, tombstones }: BlogIndex,
    takes: (slot: number) => boolean = () => true,
  ): Range[] {
    const ranges: [number, number][] = [];
    for (const slot of tombstones.members()) {
      if (!takes(slot)) continue;
      const id = this.slots.idOf(slot);
      const before = ranges.at(-1);
      if (before?.[1] === id - 1) before[1] = id;
      else ranges.push([id, id]);
    }
    return mergeRanges([...forgotten, ...ranges].sort((a, b) => a[0] - b[0]));
  }
}

/** The dates of the last line of a blog and of the one before it; 0 where there is none. */
export type LineDates = { readonly last: number; readonly before: number };

/** The last line of a blog tells when it last changed, deletions included. */
export function noteLines(blog: { changedAt: number }, { last, before }: LineDates): void {
  if (last <= blog.changedAt) return;
  blog.changedAt = Math.max(blog.changedAt, before);
  noteChange(blog, last);
}

/** A change of the blog or one of its articles, not before any that was noted. */
export function noteChange(blog: { changedAt: number }, updatedAt: number): void {
  const date = Math.max(blog.changedAt, updatedAt);
  const isAlone = isOfOneVersion(date) && sharedDate(date) !== sharedDate(blog.changedAt);
  blog.changedAt = isAlone ? date : sharedDate(date);
}

function newBlogIndex(record: BlogRecord, head: Head): BlogIndex {
  return {
    id: record.id,
    record,
    tag: blogTag(record),
    changedAt: isOfOneVersion(record.changedAt) ? record.changedAt : sharedDate(record.changedAt),
    live: new RankedSet(),
    tombstones: new SlotSet(),
    forgotten: new IdRanges(head.deleted.get(record.id) ?? []),
  };
}
