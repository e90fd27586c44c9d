import type { Change } from './change.ts';

/** The changes that are queued or in flight: what later changes are judged by. */
export class PendingChanges {
  readonly #newest = new Map<number, Change>();
  readonly #keys = new Set<string>();

  newest(id: number): Change | undefined {
    return this.#newest.get(id);
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  get isEmpty(): boolean {
    return this.#newest.size === 0;
  }

  add(change: Change): void {
    this.#newest.set(change.line.id, change);
    if (change.newKey !== undefined) this.#keys.add(change.newKey);
  }

  remove(changes: readonly Change[]): void {
    for (const change of changes) {
      if (this.#newest.get(change.line.id) === change) this.#newest.delete(change.line.id);
      if (change.newKey !== undefined) this.#keys.delete(change.newKey);
    }
  }
}
