/** A line of `"articles"`, in any layout, in a file that is not as the store wrote it. */
export type FoundEntry = {
  readonly id: number;
  /** Undefined for the file's first blog. */
  readonly blog: number | undefined;
  readonly dead: boolean;
  readonly keyed: boolean;
  readonly revision: number;
  /** Its checksum holds. */
  readonly verified: boolean;
  /** Milliseconds since the epoch; 0 where it has no date. */
  readonly updatedAt: number;
  readonly offset: number;
  readonly length: number;
};

/** The lines of one id. */
export type Versions = { readonly newest: FoundEntry; readonly others: readonly FoundEntry[] };

const SEGMENT = 1 << 16;
const DEAD = 1;
const KEYED = 2;
const VERIFIED = 4;
const NONE: readonly FoundEntry[] = [];

/** Numbers that come one after another, in pieces: an array that grows is copied again and again. */
class Column {
  length = 0;
  readonly #segments: Float64Array[] = [];

  push(value: number): void {
    if (this.length % SEGMENT === 0) this.#segments.push(new Float64Array(SEGMENT));
    this.length += 1;
    this.set(this.length - 1, value);
  }

  set(index: number, value: number): void {
    const segment = this.#segments[Math.floor(index / SEGMENT)];
    if (segment !== undefined) segment[index % SEGMENT] = value;
  }

  /** 0 where there is none. */
  at(index: number): number {
    return this.#segments[Math.floor(index / SEGMENT)]?.[index % SEGMENT] ?? 0;
  }
}

/** No line of the store's follows a deletion. */
function rankOf(flags: number): number {
  if ((flags & VERIFIED) === 0) return 0;
  return (flags & DEAD) === 0 ? 1 : 2;
}

/** The articles of a file in the order found, in columns: a million take 56 MB and no object each. */
export class EntryList {
  /** Last change of each blog as its lines tell, by the blog's number in them. */
  readonly changedAt = new Map<number | undefined, number>();
  readonly #ids = new Column();
  readonly #blogs = new Column();
  readonly #offsets = new Column();
  readonly #lengths = new Column();
  readonly #revisions = new Column();
  readonly #dates = new Column();
  readonly #flags = new Column();
  #ascending = true;

  /** Lines, of all versions. */
  get length(): number {
    return this.#ids.length;
  }

  push(entry: FoundEntry): void {
    const { id, blog, dead, keyed, verified, updatedAt, revision, offset, length } = entry;
    if (id <= this.#ids.at(this.#ids.length - 1)) this.#ascending = false;
    this.#ids.push(id);
    this.#blogs.push(blog ?? 0);
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#revisions.push(revision);
    this.#dates.push(updatedAt);
    this.#flags.push((dead ? DEAD : 0) + (keyed ? KEYED : 0) + (verified ? VERIFIED : 0));
    if (updatedAt > (this.changedAt.get(blog) ?? 0)) this.changedAt.set(blog, updatedAt);
  }

  /** The lines whose checksums do not hold, in the order of the file. */
  *unverified(): Iterable<FoundEntry> {
    for (let at = 0; at < this.#ids.length; at += 1) {
      if ((this.#flags.at(at) & VERIFIED) === 0) yield this.#entry(at);
    }
  }

  /** Whether a line whose checksum holds is of this id. */
  hasVerified(id: number): boolean {
    for (let at = 0; at < this.#ids.length; at += 1) {
      if (this.#ids.at(at) === id && (this.#flags.at(at) & VERIFIED) !== 0) return true;
    }
    return false;
  }

  /** The line at this offset is of another id, which its checksum proves. */
  prove(offset: number, id: number): void {
    for (let at = 0; at < this.#ids.length; at += 1) {
      if (this.#offsets.at(at) !== offset) continue;
      this.#ids.set(at, id);
      this.#flags.set(at, this.#flags.at(at) | VERIFIED);
      this.#ascending = false;
    }
  }

  /** The newest entry of each id, ascending. */
  *newest(): Iterable<FoundEntry> {
    for (const { newest } of this.versions()) yield newest;
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
    for (const { dead } of this.newest()) if (!dead) live += 1;
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
        rankOf(flags.at(a)) - rankOf(flags.at(b)) ||
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
      dead: (flags & DEAD) !== 0,
      keyed: (flags & KEYED) !== 0,
      verified: (flags & VERIFIED) !== 0,
      updatedAt: this.#dates.at(at),
      revision: this.#revisions.at(at),
      offset: this.#offsets.at(at),
      length: this.#lengths.at(at),
    };
  }
}
