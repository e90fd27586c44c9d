import type { OpenFile } from '../../file-system/file-system.ts';
import { type ArticleLine, readArticleLine } from '../format/article-line.ts';
import type { ArticleIndex } from '../index/article-index.ts';
import type { LineSums } from '../format/footer.ts';
import type { Head } from '../format/head.ts';
import type { EntryList } from '../index/entry-list.ts';
import type { KeyTable } from '../index/slots.ts';
import type { Finding } from './judge-versions.ts';

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
  /** A line of it that was of article `id`, in the store's own writing; undefined where it is that no more. */
  canonical(line: Buffer, id: number): Buffer | undefined;
  readonly mending: Mending;
  /** When the file was last changed. */
  readonly changedMs: number;
};

/** What a file is found to be. */
export type Recovery = {
  readonly kind:
    | 'trusted'
    /** Every line is there, the commit record is not. */
    | 'no-footer'
    /** A crash left half a batch: what was never acknowledged is left out. */
    | 'torn-tail'
    /** Articles or blogs were changed by hand, or damaged. */
    | 'edited'
    /** Every checksum holds, and yet the file is not as the store wrote it. */
    | 'reformatted';
  /** Articles whose text no checksum vouches for: they are shown as new versions. */
  readonly edited: readonly number[];
  readonly cutBytes: number;
  /** Whole lines found behind the cut and kept. */
  readonly salvaged: number;
  /** All of this for people. */
  readonly findings: readonly Finding[];
};

/** How the file becomes what it was read as. */
export type Mending =
  /** What stands from here on goes, and a new commit record comes. */
  | { readonly kind: 'cut'; readonly tail: TornTail; readonly lastId: number }
  | {
      readonly kind: 'rewrite';
      readonly parsed: ParsedStore;
      /** Bytes that no new file has. */
      readonly dropped: readonly { readonly offset: number; readonly length: number }[];
    };

/** What a new file is written from. */
export type ParsedStore = {
  readonly head: Head;
  readonly entries: EntryList;
  /** The highest id that was ever given, as far as it is known. */
  readonly lastId: number;
};

/** The head as it stands in the file. */
export type HeadBytes = { readonly head: Head; readonly bytes: Buffer };

/** What a crash left of a file in the store's own layout. */
export type TornTail = {
  readonly start: HeadBytes;
  /** The lines from the beginning whose checksums hold, and those behind the cut. */
  readonly lines: EntryList;
  /** Where the first other thing stands. */
  readonly cut: number;
  readonly checksum: number;
  /** Bytes from `cut` to the end of the file, spaces there left out. */
  readonly restBytes: number;
  /** The rest is a piece of a commit record and nothing else. */
  readonly onlyFooter: boolean;
  /** What stands of a commit record behind the cut: there to its end, it is damaged. */
  readonly record: 'none' | 'cut short' | 'damaged';
  /** Whole lines behind the cut that were kept. */
  readonly salvaged: number;
  /** Ids of lines behind the cut that are not whole. */
  readonly torn: readonly number[];
};

export type Lines = Pick<Document, 'index'> & {
  readonly unconfirmed?: Unconfirmed | undefined;
};

export type LineRead = {
  /** As it stands there. */
  readonly found: Buffer;
  /** In the store's own writing. */
  readonly bytes: Buffer;
  readonly line: ArticleLine;
};

/** Undefined where it is no line of the article any more: the file was written into. */
export function lineIn(
  file: OpenFile,
  { index, unconfirmed }: Lines,
  slot: number,
): LineRead | undefined {
  const id = index.slots.idOf(slot);
  const found = rawLine(file, index, slot);
  const bytes = readArticleLine(found) === undefined ? unconfirmed?.canonical(found, id) : found;
  const line = bytes && readArticleLine(bytes);
  return bytes === undefined || line?.id !== id ? undefined : { found, bytes, line };
}

export function rawLine(file: OpenFile, { slots }: ArticleIndex, slot: number): Buffer {
  const found = Buffer.alloc(slots.lengthOf(slot));
  file.read(found, slots.offsetOf(slot));
  return found;
}
