/** From a 32-bit hash to ids, by open addressing: 12 bytes a place, at most three quarters in use. */
export class KeyTable {
  #hashes = new Uint32Array(1024);
  /** 0: free. */
  #ids = new Float64Array(1024);
  #used = 0;

  add(hash: number, id: number): void {
    if (this.#used >= this.#ids.length * 0.75) this.#grow();
    let at = hash & (this.#ids.length - 1);
    while (this.#ids[at] !== 0) at = (at + 1) & (this.#ids.length - 1);
    this.#hashes[at] = hash;
    this.#ids[at] = id;
    this.#used += 1;
  }

  /** The ids put in with this hash. */
  *idsOf(hash: number): Iterable<number> {
    const wanted = hash >>> 0;
    let at = hash & (this.#ids.length - 1);
    for (let id = this.#ids[at]; id !== undefined && id !== 0; id = this.#ids[at]) {
      if (this.#hashes[at] === wanted) yield id;
      at = (at + 1) & (this.#ids.length - 1);
    }
  }

  #grow(): void {
    const [hashes, ids] = [this.#hashes, this.#ids];
    this.#hashes = new Uint32Array(ids.length * 2);
    this.#ids = new Float64Array(ids.length * 2);
    this.#used = 0;
    for (const [at, id] of ids.entries()) if (id !== 0) this.add(hashes[at] ?? 0, id);
  }
}
