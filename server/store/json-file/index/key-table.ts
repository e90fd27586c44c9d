const FIRST_PLACES = 16;

/**
 * From an idempotency key to the ids it may have made: 32 bits of its hash by open addressing, 12
 * bytes a place, at most three quarters in use. By id and not by slot, because compaction
 * renumbers the slots.
 */
export class KeyTable {
  #hashes = new Uint32Array(FIRST_PLACES);
  /** 0: free. */
  #ids = new Float64Array(FIRST_PLACES);
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
