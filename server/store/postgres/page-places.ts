/** How many ids of 256 a bucket stands for. */
const BUCKET = 256;

export type HolesRow = { readonly bucket: number; readonly holes: number; readonly since: number };
type PageStart = { readonly start: number; readonly skip: number };

/**
 * Where the article of a rank is looked for, from the number of deleted ids of each 256: a page at
 * the end of a million costs what the first one does.
 */
export class PagePlaces {
  /** The blog's `holes_version` that the counts are of. */
  version = 0;
  readonly #known = new Map<number, HolesRow>();
  /** Ascending buckets that have holes, and the holes before each; the last is all. */
  #buckets: number[] = [];
  #before: number[] = [0];

  /** Answers can overtake each other: a bucket is only replaced by a newer count of it. */
  take(rows: readonly HolesRow[]): void {
    for (const row of rows) {
      if ((this.#known.get(row.bucket)?.since ?? -1) < row.since) this.#known.set(row.bucket, row);
    }
    for (const { since } of rows) this.version = Math.max(this.version, since);
    this.#buckets = [...this.#known.keys()].sort((a, b) => a - b);
    this.#before = [0];
    for (const bucket of this.#buckets) {
      this.#before.push((this.#before.at(-1) ?? 0) + (this.#known.get(bucket)?.holes ?? 0));
    }
  }

  /** The first id to look at, and how many articles from there on are passed over. */
  find(rank: number): PageStart {
    let low = 0;
    let high = Math.ceil((rank + (this.#before.at(-1) ?? 0)) / BUCKET) + 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#liveBefore(middle) <= rank) low = middle;
      else high = middle - 1;
    }
    const skip = rank - this.#liveBefore(low);
    const isFull = this.#liveBefore(low + 1) - this.#liveBefore(low) === BUCKET;
    const start = low * BUCKET + 1;
    return isFull ? { start: start + skip, skip: 0 } : { start, skip };
  }

  #liveBefore(bucket: number): number {
    let low = 0;
    let high = this.#buckets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#buckets[middle] ?? 0) < bucket) low = middle + 1;
      else high = middle;
    }
    return bucket * BUCKET - (this.#before[low] ?? 0);
  }
}

/** Of articles or of holes, by bucket. */
export type Counts = ReadonlyMap<number, number>;

export function bucketOf(id: number): number {
  return Math.floor((id - 1) / BUCKET);
}

/** Buckets of the ids from 1 to `last`, and how many ids of each have no article; `live`: how many have one. */
export function* holesOf(last: number, live: Counts) {
  for (let bucket = 0; bucket * BUCKET < last; bucket += 1) {
    const ids = Math.min(BUCKET, last - bucket * BUCKET);
    yield { bucket, holes: ids - (live.get(bucket) ?? 0) };
  }
}

type Miscount = Readonly<Record<'first' | 'end' | 'known' | 'there', number>>;

/** Where other holes are counted than the ids from 1 to `last` have; a range where nothing is counted or live is one. */
export function miscountsOf(last: number, counted: Counts, live: Counts): readonly Miscount[] {
  const wrong: Miscount[] = [];
  let first = 1;
  const see = (until: number, known: number, articles: number) => {
    const end = last < first ? until : Math.min(until, last);
    const there = last < first ? 0 : end + 1 - first - articles;
    if (known !== there) wrong.push({ first, end, known, there });
    first = until + 1;
  };
  for (const bucket of [...new Set([...counted.keys(), ...live.keys()])].sort((a, b) => a - b)) {
    if (bucket * BUCKET >= first) see(bucket * BUCKET, 0, 0);
    see((bucket + 1) * BUCKET, counted.get(bucket) ?? 0, live.get(bucket) ?? 0);
  }
  if (last >= first) see(last, 0, 0);
  return wrong;
}
