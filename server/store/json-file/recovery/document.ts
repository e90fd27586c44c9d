import type { ArticleIndex } from '../index/article-index.ts';
import type { LineSums } from '../format/line-sums.ts';
import type { Mending } from './read-store.ts';
import type { KeyTable } from '../index/key-table.ts';

/** A store file as far as it is read: its index, and where the next batch goes. */
export type Document = {
  readonly index: ArticleIndex;
  readonly keys: KeyTable;
  /** Where the footer stands. */
  readonly end: number;
  /** Of everything before the footer. */
  readonly checksum: number;
  /** Over the lines, as the commit record has them. */
  readonly sums: LineSums;
  /** Where the first line of an article starts, or would. */
  readonly bodyStart: number;
  /** Present where the file is not as the store wrote it: the next change writes it anew. */
  readonly unconfirmed?: Unconfirmed;
};

/** How a file is read that is not as the store wrote it. */
export type Unconfirmed = {
  /** A line of it, which is of article `id`, in the store's own writing. */
  canonical(line: Buffer, id: number): Buffer;
  readonly mending: Mending;
  /** When the file was last changed. */
  readonly changedMs: number;
};
