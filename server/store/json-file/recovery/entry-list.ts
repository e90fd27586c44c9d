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

/** The articles of a file in the order found, in columns: a million take 40 MB and no object each. */
export class EntryList {
  readonly #ids: number[] = [];
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #revisions: number[] = [];
  readonly #dead = new Map<number, { blog: number | undefined; keyed: boolean }>();
  #ascending = true;

  push(entry: FoundEntry): void {
    const { id, blog, dead, keyed, revision, offset, length } = entry;
    if (id <= (this.#ids.at(-1) ?? 0)) this.#ascending = false;
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
      if (best !== undefined && this.#ids[best] !== this.#ids[at]) yield this.#newest(best);
      else if (best !== undefined && this.#revisions[best] === this.#revisions[at]) {
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
    const order = Uint32Array.from(this.#ids.keys());
    const [ids, revisions] = [this.#ids, this.#revisions];
    order.sort(
      (a, b) => (ids[a] ?? 0) - (ids[b] ?? 0) || (revisions[a] ?? 0) - (revisions[b] ?? 0) || a - b,
    );
    yield* order;
  }

  #newest(at: number): Newest {
    return {
      id: this.#ids[at] ?? 0,
      offset: this.#offsets[at] ?? 0,
      length: this.#lengths[at] ?? 0,
      tombstone: this.#dead.get(at),
    };
  }
}

export type Newest = FoundPlace & {
  /** Present where the entry is a deletion. */
  readonly tombstone: { readonly blog: number | undefined; readonly keyed: boolean } | undefined;
};
