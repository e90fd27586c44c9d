/** An article's text somewhere in a file that is to be rewritten. */
export type FoundEntry = {
  readonly id: number;
  readonly blog: number | undefined;
  readonly dead: boolean;
  readonly keyed: boolean;
  readonly revision: number;
  readonly offset: number;
  readonly length: number;
};

export type FoundPlace = { readonly id: number; readonly offset: number; readonly length: number };

const SEGMENT = 1 << 16;

/** Numbers that come one after another, in pieces: an array that grows is copied again and again. */
class Column {
  length = 0;
  readonly #segments: Float64Array[] = [];

  push(value: number): void {
    if (this.length % SEGMENT === 0) this.#segments.push(new Float64Array(SEGMENT));
    const segment = this.#segments.at(-1);
    if (segment !== undefined) segment[this.length % SEGMENT] = value;
    this.length += 1;
  }

  /** 0 where there is none. */
  at(index: number): number {
    return this.#segments[Math.floor(index / SEGMENT)]?.[index % SEGMENT] ?? 0;
  }
}

/** The articles of a file in the order found, in columns: a million take 32 MB and no object each. */
export class EntryList {
  readonly #ids = new Column();
  readonly #offsets = new Column();
  readonly #lengths = new Column();
  readonly #revisions = new Column();
  readonly #dead = new Map<number, { blog: number | undefined; keyed: boolean }>();
  #ascending = true;

  push(entry: FoundEntry): void {
    const { id, blog, dead, keyed, revision, offset, length } = entry;
    if (id <= this.#ids.at(this.#ids.length - 1)) this.#ascending = false;
    if (dead) this.#dead.set(this.#ids.length, { blog, keyed });
    this.#ids.push(id);
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#revisions.push(revision);
  }

  /**
   * The newest entry of each id, ascending. The higher revision wins, of one revision the last;
   * `compare` sees each two of one id and revision.
   */
  *newest(compare: (a: FoundPlace, b: FoundPlace) => void = () => undefined): Iterable<Newest> {
    let best: number | undefined;
    for (const at of this.#order()) {
      if (best !== undefined && this.#ids.at(best) !== this.#ids.at(at)) yield this.#newest(best);
      else if (best !== undefined && this.#revisions.at(best) === this.#revisions.at(at)) {
        compare(this.#newest(best), this.#newest(at));
      }
      best = at;
    }
    if (best !== undefined) yield this.#newest(best);
  }

  /** Articles that are not deleted. */
  liveCount(): number {
    let live = 0;
    for (const { tombstone } of this.newest()) if (tombstone === undefined) live += 1;
    return live;
  }

  /** Positions by id, then revision, then place in the file. */
  *#order(): Iterable<number> {
    if (this.#ascending) {
      for (let at = 0; at < this.#ids.length; at += 1) yield at;
      return;
    }
    const [ids, revisions] = [this.#ids, this.#revisions];
    const order = new Uint32Array(ids.length).map((_, at) => at);
    order.sort((a, b) => ids.at(a) - ids.at(b) || revisions.at(a) - revisions.at(b) || a - b);
    yield* order;
  }

  #newest(at: number): Newest {
    return {
      id: this.#ids.at(at),
      offset: this.#offsets.at(at),
      length: this.#lengths.at(at),
      tombstone: this.#dead.get(at),
    };
  }
}

export type Newest = FoundPlace & {
  /** Present where the entry is a deletion. */
  readonly tombstone: { readonly blog: number | undefined; readonly keyed: boolean } | undefined;
};
