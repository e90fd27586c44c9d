import { readArticleLine, type ArticleLine } from '../format/article-line.ts';
import { articleLineText, type NewLine } from '../format/compose-line.ts';
import { articleOfLine } from '../reading/article-of-line.ts';
import type { Article } from '../../store.ts';

/** A line on its way to the file. */
export type Change = {
  readonly blogId: number;
  readonly line: ArticleLine;
  /** With its leading comma and its newline. */
  readonly bytes: Buffer;
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
  const bytes = Buffer.from(`,${articleLineText(newLine)}\n`);
  const own = bytes.subarray(1, -1);
  const line = readArticleLine(own);
  if (line === undefined) throw new TypeError('A line was composed that does not read.');
  const article = removed ?? articleOfLine(own, line, blogId);
  return { blogId, line, bytes, effect, newKey, article };
}
