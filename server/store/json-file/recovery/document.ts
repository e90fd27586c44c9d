import type { ArticleIndex } from '../index/article-index.ts';
import type { KeyTable } from '../keys/key-table.ts';

/** A store file as far as it is read: its index, and where the next batch goes. */
export type Document = {
  readonly index: ArticleIndex;
  readonly keys: KeyTable;
  /** Where the footer stands. */
  readonly end: number;
  /** Of everything before the footer. */
  readonly checksum: number;
  /** Where the first line of an article starts, or would. */
  readonly bodyStart: number;
};
