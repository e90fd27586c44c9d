const BLOCK_SHIFT = 10;
const BLOCK_WORDS = 32;

/**
 * A set of slots that finds its k-th member: a Fenwick tree counts blocks of 1024 slots, so adding,
 * removing and finding cost the logarithm of the number of blocks.
 */
export class RankedSet {
  size = 0;
  #slots = new SlotSet();
  /** `#tree[i]` counts the `i & -i` blocks that end with block `i - 1`. */
  #tree = new Uint32Array(17);
  #blocks = 0;

  has(slot: number): boolean {
    return this.#slots.has(slot);
  }

  add(slot: number): void {
    if (this.#slots.add(slot)) this.#count(slot, 1);
  }

  remove(slot: number): void {
    if (this.#slots.remove(slot)) this.#count(slot, -1);
  }

  copy(): RankedSet {
    const copy = new RankedSet();
    copy.size = this.size;
    copy.#slots = this.#slots.copy();
    copy.#tree = this.#tree.slice();
    copy.#blocks = this.#blocks;
    return copy;
  }

  /** Members number `first` to `first + count - 1`, as far as there are; `first` from 0. */
  members(first: number, count: number): number[] {
    const found: number[] = [];
    if (first >= this.size) return found;
    const { block, before } = this.#blockOf(first);
    let skip = first - before;
    for (let word = block * BLOCK_WORDS; found.length < count; word += 1) {
      if (word >= this.#blocks * BLOCK_WORDS) break;
      for (let bits = this.#slots.word(word); bits !== 0; bits &= bits - 1) {
        if (skip > 0) skip -= 1;
        else if (found.length < count) found.push(word * 32 + 31 - Math.clz32(bits & -bits));
      }
    }
    return found;
  }

  #count(slot: number, change: number): void {
    const block = slot >>> BLOCK_SHIFT;
    while (this.#blocks <= block) this.#addBlock();
    this.size += change;
    for (let i = block + 1; i <= this.#blocks; i += i & -i) {
      this.#tree[i] = (this.#tree[i] ?? 0) + change;
    }
  }

  #addBlock(): void {
    const i = this.#blocks + 1;
    if (i >= this.#tree.length) {
      const larger = new Uint32Array(this.#tree.length * 2);
      larger.set(this.#tree);
      this.#tree = larger;
    }
    // The new node covers blocks that were counted before it was there.
    let sum = 0;
    for (let j = i - 1; j > i - (i & -i); j -= j & -j) sum += this.#tree[j] ?? 0;
    this.#tree[i] = sum;
    this.#blocks = i;
  }

  /** The block that holds member number `rank`, and how many members stand before it. */
  #blockOf(rank: number): { block: number; before: number } {
    let block = 0;
    let before = 0;
    for (let step = 1 << (31 - Math.clz32(this.#blocks)); step > 0; step >>= 1) {
      const next = block + step;
      if (next > this.#blocks || before + (this.#tree[next] ?? 0) > rank) continue;
      block = next;
      before += this.#tree[next] ?? 0;
    }
    return { block, before };
  }
}

const SEGMENT_WORDS = 2048;
const FIRST_WORDS = 16;
const WORDS_SHIFT = 5;
const SEGMENT_SHIFT = 11;

/** A set of slots: one bit each, in segments made where the first member is. */
export class SlotSet {
  readonly #segments: (Uint32Array | undefined)[] = [];

  has(slot: number): boolean {
    return (this.word(slot >>> WORDS_SHIFT) & (1 << (slot & 31))) !== 0;
  }

  /** Whether that changed anything. */
  add(slot: number): boolean {
    const segment = this.#segmentFor(slot);
    const at = (slot >>> WORDS_SHIFT) % SEGMENT_WORDS;
    const before = segment[at] ?? 0;
    segment[at] = before | (1 << (slot & 31));
    return segment[at] !== before;
  }

  /** Whether that changed anything. */
  remove(slot: number): boolean {
    if (!this.has(slot)) return false;
    const segment = this.#segmentFor(slot);
    const at = (slot >>> WORDS_SHIFT) % SEGMENT_WORDS;
    segment[at] = (segment[at] ?? 0) & ~(1 << (slot & 31));
    return true;
  }

  /** The bits of slots 32 × index to 32 × index + 31. */
  word(index: number): number {
    return this.#segments[index >>> SEGMENT_SHIFT]?.[index % SEGMENT_WORDS] ?? 0;
  }

  copy(): SlotSet {
    const copy = new SlotSet();
    copy.#segments.push(...this.#segments.map((segment) => segment?.slice()));
    return copy;
  }

  /** Ascending. */
  *members(): Iterable<number> {
    const words = this.#segments.length * SEGMENT_WORDS;
    for (let index = 0; index < words; index += 1) {
      for (let bits = this.word(index); bits !== 0; bits &= bits - 1) {
        yield index * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
  }

  #segmentFor(slot: number): Uint32Array {
    const index = slot >>> (WORDS_SHIFT + SEGMENT_SHIFT);
    const there = this.#segments[index];
    const words = ((slot >>> WORDS_SHIFT) % SEGMENT_WORDS) + 1;
    if (there !== undefined && words <= there.length) return there;
    const fresh = new Uint32Array(index === 0 ? sizeFor(words) : SEGMENT_WORDS);
    if (there !== undefined) fresh.set(there);
    while (this.#segments.length < index) this.#segments.push(undefined);
    this.#segments[index] = fresh;
    return fresh;
  }
}

/** Only the first segment grows: a small store stays small. */
function sizeFor(words: number): number {
  let size = FIRST_WORDS;
  while (size < words) size *= 2;
  return size;
}
