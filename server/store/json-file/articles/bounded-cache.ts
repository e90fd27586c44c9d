/**
 * Keeps what was used last, up to a sum of sizes, in two generations: when the young one has half
 * of the room, the old one goes and the young one takes its place. What is used again moves back
 * into the young one. No list is kept in order and nothing is ever searched.
 */
export class BoundedCache<K, V> {
  readonly #half: number;
  #young = new Map<K, Sized<V>>();
  #old = new Map<K, Sized<V>>();
  #youngSize = 0;

  constructor(limit: number) {
    this.#half = limit / 2;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old.value, old.size);
    return old?.value;
  }

  set(key: K, value: V, size: number): void {
    this.delete(key);
    if (size > this.#half) return;
    this.#young.set(key, { value, size });
    this.#youngSize += size;
    if (this.#youngSize > this.#half) this.#age();
  }

  delete(key: K): void {
    this.#youngSize -= this.#young.get(key)?.size ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#age();
    this.#old = new Map();
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }
}

type Sized<V> = { readonly value: V; readonly size: number };
