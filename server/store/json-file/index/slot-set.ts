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
