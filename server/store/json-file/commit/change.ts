import { composeLine, type ComposedLine, type NewLine } from '../format/compose-line.ts';
import { articleOfLine } from '../reading/article-of-line.ts';
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
