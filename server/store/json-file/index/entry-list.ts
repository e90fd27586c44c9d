import { LineSums } from '../format/footer.ts';
import type { LineDates } from './article-index.ts';

/** A line of `"articles"`, in any layout, in a file that is not as the store wrote it. */
export type FoundEntry = {
  readonly id: number;
  /** Undefined for the file's first blog. */
  readonly blog: number | undefined;
  readonly isTombstone: boolean;
  readonly keyed: boolean;
  readonly revision: number;
  /** As its tag says; -1 where it has none. */
  readonly crc: number;
  /** Its checksum holds. */
  readonly verified: boolean;
  /** It does after a digit of the id, or the word before it, was put right. */
  readonly restored: boolean;
  /** Milliseconds since the epoch; 0 where it has no date. */
  readonly updatedAt: number;
  readonly offset: number;
  readonly length: number;
};

/** The lines of one id. */
export type Versions = { readonly newest: FoundEntry; readonly others: readonly FoundEntry[] };

const SEGMENT = 1 << 16;
/** A small file stays small. */
const FIRST_SEGMENT = 64;
const TOMBSTONE = 1;
const KEYED = 2;
const VERIFIED = 4;
const RESTORED = 8;
const NONE: readonly FoundEntry[] = [];
const NO_DATES = { latest: 0, last: 0 };

/** Numbers that come one after another, in pieces: an array that grows is copied again and again. */
class Column {
  length = 0;
  readonly #segments: Float64Array[] = [];

  push(value: number): void {
    const at = this.length % SEGMENT;
    const last = this.#segments.at(-1);
    if (at === 0)
      this.#segments.push(new Float64Array(last === undefined ? FIRST_SEGMENT : SEGMENT));
    else if (at === last?.length) this.#segments.splice(-1, 1, doubled(last));
    const segment = this.#segments.at(-1);
    if (segment !== undefined) segment[at] = value;
    this.length += 1;
  }

  /** 0 where there is none. */
  at(index: number): number {
    return this.#segments[Math.floor(index / SEGMENT)]?.[index % SEGMENT] ?? 0;
  }
}

function doubled(segment: Float64Array): Float64Array {
  const larger = new Float64Array(segment.length * 2);
  larger.set(segment);
  return larger;
}

/** No line of the store's follows a deletion. */
function precedenceOf(flags: number): number {
  if ((flags & VERIFIED) === 0) return 0;
  return (flags & TOMBSTONE) === 0 ? 1 : 2;
}

/** The articles of a file in the order found, in columns: a million take 56 MB and no object each. */
export class EntryList {
  /** Of the lines of each blog, by its number in them. */
  readonly dates = new Map<number | undefined, LineDates & { readonly latest: number }>();
  readonly #ids = new Column();
  readonly #blogs = new Column();
  readonly #offsets = new Column();
  readonly #lengths = new Column();
  readonly #revisions = new Column();
  readonly #crcs = new Column();
  readonly #dates = new Column();
  readonly #flags = new Column();
  readonly #leftOut = new Set<number>();
  #ascending = true;

  /** Lines, of all versions. */
  get length(): number {
    return this.#ids.length;
  }

  push(entry: FoundEntry): void {
    const { id, blog, isTombstone, keyed, updatedAt, revision, crc, offset, length } = entry;
    const { verified, restored } = entry;
    if (id <= this.#ids.at(this.#ids.length - 1)) this.#ascending = false;
    this.#ids.push(id);
    this.#blogs.push(blog ?? 0);
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#revisions.push(revision);
    this.#crcs.push(crc);
    this.#dates.push(updatedAt);
    const kind = (isTombstone ? TOMBSTONE : 0) + (keyed ? KEYED : 0);
    this.#flags.push(kind + (verified ? VERIFIED : 0) + (restored ? RESTORED : 0));
    const { latest, last } = this.dates.get(blog) ?? NO_DATES;
    const dates = { latest: Math.max(latest, updatedAt), before: last, last: updatedAt };
    this.dates.set(blog, dates);
  }

  /** The newest entry of each id, ascending. */
  *newest(): Iterable<FoundEntry> {
    for (const { newest } of this.versions()) {
      if (!this.isLeftOut(newest.id)) yield newest;
    }
  }

  /** Its lines count for nothing: it was deleted. */
  leaveOut(id: number): void {
    this.#leftOut.add(id);
  }

  isLeftOut(id: number): boolean {
    return this.#leftOut.has(id);
  }

  /** Over all lines. */
  sums(): LineSums {
    const sums = new LineSums();
    for (let at = 0; at < this.#ids.length; at += 1) {
      sums.add(this.#ids.at(at), { revision: this.#revisions.at(at), crc: this.#crcs.at(at) });
    }
    return sums;
  }

  /**
   * The lines of each id, ids ascending. One whose checksum holds counts as newer than one whose
   * does not, and of those a deletion as the newest. Then the date counts, which the checksum covers,
   * and after it the revision, which it does not; at last the place in the file.
   */
  *versions(): Iterable<Versions> {
    let lines: number[] = [];
    for (const at of this.#order()) {
      const [first] = lines;
      if (first !== undefined && this.#ids.at(first) !== this.#ids.at(at)) {
        yield this.#versions(lines);
        lines = [];
      }
      lines.push(at);
    }
    if (lines.length > 0) yield this.#versions(lines);
  }

  /** Articles that are not deleted. */
  liveCount(): number {
    let live = 0;
    for (const { isTombstone } of this.newest()) if (!isTombstone) live += 1;
    return live;
  }

  #versions(lines: number[]): Versions {
    const newest = this.#entry(lines.at(-1) ?? 0);
    const others = lines.length === 1 ? NONE : lines.slice(0, -1).map((at) => this.#entry(at));
    return { newest, others };
  }

  *#order(): Iterable<number> {
    if (this.#ascending) {
      for (let at = 0; at < this.#ids.length; at += 1) yield at;
      return;
    }
    const [ids, dates, revisions, flags] = [this.#ids, this.#dates, this.#revisions, this.#flags];
    const order = new Uint32Array(ids.length).map((_, at) => at);
    order.sort(
      (a, b) =>
        ids.at(a) - ids.at(b) ||
        precedenceOf(flags.at(a)) - precedenceOf(flags.at(b)) ||
        dates.at(a) - dates.at(b) ||
        revisions.at(a) - revisions.at(b) ||
        a - b,
    );
    yield* order;
  }

  #entry(at: number): FoundEntry {
    const flags = this.#flags.at(at);
    return {
      id: this.#ids.at(at),
      blog: this.#blogs.at(at) === 0 ? undefined : this.#blogs.at(at),
      isTombstone: (flags & TOMBSTONE) !== 0,
      keyed: (flags & KEYED) !== 0,
      verified: (flags & VERIFIED) !== 0,
      restored: (flags & RESTORED) !== 0,
      updatedAt: this.#dates.at(at),
      revision: this.#revisions.at(at),
      crc: this.#crcs.at(at),
      offset: this.#offsets.at(at),
      length: this.#lengths.at(at),
    };
  }
}
