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
