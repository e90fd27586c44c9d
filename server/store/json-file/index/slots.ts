const SEGMENT_SHIFT = 16;
const SEGMENT = 2 ** SEGMENT_SHIFT;
const IN_SEGMENT = SEGMENT - 1;
const FIRST_SEGMENT = 256;
const LOW_OFFSETS = 2 ** 32;

type Segment = {
  readonly ids: Float64Array;
  /** The lower 32 bits of each offset, and the 16 above them: files end below 256 TB. */
  readonly offsets: Uint32Array;
  readonly highOffsets: Uint16Array;
  readonly lengths: Uint32Array;
  readonly marks: Uint16Array;
};

type Slot = {
  readonly id: number;
  readonly offset: number;
  readonly length: number;
  readonly mark: number;
};

/**
 * Where the newest line of each article is: id, offset, length, and by which mark it is known again, in
 * ascending order of id. 20 bytes each, in segments, so that growing never copies more than one of them.
 */
export class Slots {
  length = 0;
  /** 0 where there is none. */
  lastId = 0;
  readonly #segments: Segment[] = [];

  /** Ids must ascend. */
  push(entry: Slot): number {
    const slot = this.length;
    this.#grow(slot);
    const segment = this.#segmentOf(slot);
    segment.ids[slot & IN_SEGMENT] = entry.id;
    put(segment, slot & IN_SEGMENT, entry);
    this.length += 1;
    this.lastId = entry.id;
    return slot;
  }

  place(slot: number, entry: Slot): void {
    put(this.#segmentOf(slot), slot & IN_SEGMENT, entry);
  }

  idOf(slot: number): number {
    return this.#segmentOf(slot).ids[slot & IN_SEGMENT] ?? 0;
  }

  offsetOf(slot: number): number {
    const { offsets, highOffsets } = this.#segmentOf(slot);
    const at = slot & IN_SEGMENT;
    return (highOffsets[at] ?? 0) * LOW_OFFSETS + (offsets[at] ?? 0);
  }

  lengthOf(slot: number): number {
    return this.#segmentOf(slot).lengths[slot & IN_SEGMENT] ?? 0;
  }

  /** What `markAt` says of the line; 0 where its tag says nothing. */
  markOf(slot: number): number {
    return this.#segmentOf(slot).marks[slot & IN_SEGMENT] ?? 0;
  }

  /** The slot of an id; -1 where it has none. */
  find(id: number): number {
    const slot = this.firstFrom(id);
    return slot < this.length && this.idOf(slot) === id ? slot : -1;
  }

  /**
   * The first slot whose id is not below `id`. Ids ascend by at least one a slot, which bounds the
   * search from both ends: without gaps there is nothing left to search.
   */
  firstFrom(id: number): number {
    if (this.length === 0 || id > this.lastId) return this.length;
    let low = Math.max(0, this.length - 1 - (this.lastId - id));
    let high = Math.max(0, Math.min(this.length - 1, id - this.idOf(0)));
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.idOf(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  copy(): Slots {
    const copy = new Slots();
    copy.length = this.length;
    copy.lastId = this.lastId;
    copy.#segments.push(...this.#segments.map((segment) => copied(segment, segment.ids.length)));
    return copy;
  }

  #segmentOf(slot: number): Segment {
    const segment = this.#segments[slot >>> SEGMENT_SHIFT];
    if (segment === undefined) throw new RangeError(`there is no slot ${slot}`);
    return segment;
  }

  #grow(slot: number): void {
    const last = this.#segments.at(-1);
    const used = slot & IN_SEGMENT;
    if (last === undefined) this.#segments.push(emptySegment(FIRST_SEGMENT));
    else if (used === 0) this.#segments.push(emptySegment(SEGMENT));
    else if (used === last.ids.length) this.#segments.splice(-1, 1, copied(last, 2 * used));
  }
}

function put(segment: Segment, at: number, { offset, length, mark }: Slot): void {
  segment.offsets[at] = offset;
  segment.highOffsets[at] = offset < LOW_OFFSETS ? 0 : offset / LOW_OFFSETS;
  segment.lengths[at] = length;
  segment.marks[at] = mark;
}

function emptySegment(size: number): Segment {
  return {
    ids: new Float64Array(size),
    offsets: new Uint32Array(size),
    highOffsets: new Uint16Array(size),
    lengths: new Uint32Array(size),
    marks: new Uint16Array(size),
  };
}

/** In room for `size`: the first segment grows, so that a small store stays small. */
function copied(segment: Segment, size: number): Segment {
  const copy = emptySegment(size);
  copy.ids.set(segment.ids);
  copy.offsets.set(segment.offsets);
  copy.highOffsets.set(segment.highOffsets);
  copy.lengths.set(segment.lengths);
  copy.marks.set(segment.marks);
  return copy;
}

const INITIAL_CAPACITY = 16;

/**
 * From an idempotency key to the ids it may have made: 32 bits of its hash by open addressing, 12
 * bytes a place, at most three quarters in use. By id and not by slot, because compaction
 * renumbers the slots.
 */
export class KeyTable {
  #hashes = new Uint32Array(INITIAL_CAPACITY);
  /** 0: free. */
  #ids = new Float64Array(INITIAL_CAPACITY);
  #used = 0;

  /** Every line of an article repeats its key; only the first is taken. */
  add(blogId: number, { id, key }: { readonly id: number; readonly key: KeyOf }): void {
    if (key !== undefined) this.#put(hashOf(blogId, key.key), id);
  }

  /** The ids put in with a key of this hash. */
  idsOf(blogId: number, key: string): readonly number[] {
    const found: number[] = [];
    const wanted = hashOf(blogId, key);
    let at = wanted & (this.#ids.length - 1);
    for (let id = this.#ids[at]; id !== undefined && id !== 0; id = this.#ids[at]) {
      if (this.#hashes[at] === wanted) found.push(id);
      at = (at + 1) & (this.#ids.length - 1);
    }
    return found;
  }

  copy(): KeyTable {
    const copy = new KeyTable();
    copy.#hashes = this.#hashes.slice();
    copy.#ids = this.#ids.slice();
    copy.#used = this.#used;
    return copy;
  }

  #put(hash: number, id: number): void {
    if (this.#used >= this.#ids.length * 0.75) this.#grow();
    let at = hash & (this.#ids.length - 1);
    for (; this.#ids[at] !== 0; at = (at + 1) & (this.#ids.length - 1)) {
      if (this.#ids[at] === id && this.#hashes[at] === hash) return;
    }
    this.#hashes[at] = hash;
    this.#ids[at] = id;
    this.#used += 1;
  }

  #grow(): void {
    const [hashes, ids] = [this.#hashes, this.#ids];
    this.#hashes = new Uint32Array(ids.length * 2);
    this.#ids = new Float64Array(ids.length * 2);
    this.#used = 0;
    for (const [at, id] of ids.entries()) if (id !== 0) this.#put(hashes[at] ?? 0, id);
  }
}

type KeyOf = { readonly key: string } | undefined;

/** A key is the hexadecimal text of a hash itself: its first digits will do. */
function hashOf(blogId: number, key: string): number {
  return (Number.parseInt(key.slice(0, 8), 16) ^ Math.imul(blogId, 0x9e3779b1)) >>> 0;
}
