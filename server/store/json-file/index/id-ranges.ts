import type { Range } from '../format/head.ts';

/** Ids in ascending ranges: a million deletions in a row are one pair of numbers. */
export class IdRanges {
  readonly #firsts: Float64Array;
  readonly #lasts: Float64Array;

  constructor(ranges: readonly Range[]) {
    this.#firsts = Float64Array.from(ranges, ([first]) => first);
    this.#lasts = Float64Array.from(ranges, ([, last]) => last);
  }

  has(id: number): boolean {
    let low = 0;
    let high = this.#lasts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lasts[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#firsts.length && (this.#firsts[low] ?? 0) <= id;
  }

  /** 0 where there is none. */
  get lastId(): number {
    return this.#lasts.at(-1) ?? 0;
  }

  *[Symbol.iterator](): IterableIterator<Range> {
    for (let i = 0; i < this.#firsts.length; i += 1) {
      yield [this.#firsts[i] ?? 0, this.#lasts[i] ?? 0];
    }
  }
}
