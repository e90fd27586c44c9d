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

/** Beyond these the articles that changed are not told apart any more. */
const MOST_CHANGED = 10_000;

/** Counts changes: of everything that can be read, and of each article that has changed lately. */
export class Versions {
  #last = 0;
  /** Articles that are not among the changed ones are of this version. */
  #others = 0;
  readonly #changed = new Map<number, number>();

  of(articleId: number | undefined): number {
    return articleId === undefined ? this.#last : (this.#changed.get(articleId) ?? this.#others);
  }

  changed(articleIds: readonly number[]): void {
    this.#last += 1;
    if (this.#changed.size + articleIds.length > MOST_CHANGED) this.all();
    for (const id of articleIds) this.#changed.set(id, this.#last);
  }

  /** Blogs, or another file. */
  all(): void {
    this.#last += 1;
    this.#others = this.#last;
    this.#changed.clear();
  }
}
