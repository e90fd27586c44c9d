import { composeLine, type ComposedLine, type NewLine } from '../format/compose-line.ts';
import { articleOfLine } from '../format/article-line.ts';
import type { Article } from '../../store.ts';

/** A line on its way to the file. */
export type Change = ComposedLine & {
  readonly blogId: number;
  /** What it does to the number of live articles. */
  readonly effect: 1 | 0 | -1;
  /** The scoped key this change brings in. */
  readonly newKey: string | undefined;
  /** What its writer is told: the new version, or what was removed. */
  readonly article: Article;
};

export type NewChange = Pick<Change, 'blogId' | 'effect' | 'newKey'> & { readonly line: NewLine };

/** `removed`: what a deletion takes away. */
export function composeChange(
  { blogId, effect, newKey, line: newLine }: NewChange,
  removed?: Article,
): Change {
  const { bytes, line } = composeLine(newLine);
  const article = removed ?? articleOfLine(bytes.subarray(1, -1), line, blogId);
  return { blogId, line, bytes, effect, newKey, article };
}

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
