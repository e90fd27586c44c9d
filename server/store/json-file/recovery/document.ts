import type { ArticleIndex } from '../index/article-index.ts';
import type { LineSums } from '../format/checksum.ts';
import type { Head } from '../format/head.ts';
import type { EntryList } from '../index/entry-list.ts';
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
  /** A line of it, which is of article `id`, in the store's own writing. */
  canonical(line: Buffer, id: number): Buffer;
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

const FIRST_PLACES = 16;

/**
 * From an idempotency key to the ids it may have made: 32 bits of its hash by open addressing, 12
 * bytes a place, at most three quarters in use. By id and not by slot, because compaction
 * renumbers the slots.
 */
export class KeyTable {
  #hashes = new Uint32Array(FIRST_PLACES);
  /** 0: free. */
  #ids = new Float64Array(FIRST_PLACES);
  #used = 0;

  /** Every line of an article repeats its key; only the first is taken. */
  add(blogId: number, { id, key }: { readonly id: number; readonly key: KeyOf }): void {
    if (key !== undefined) this.#put(hashOf(blogId, key.key), id);
  }

  /** The ids put in with a key of this hash. */
  idsOf(blogId: number, key: string): readonly number[] {
    const found: number[] = [];
    const wanted = hashOf(blogId, key);
    let at = wanted & (this.#ids.length - 1);
    for (let id = this.#ids[at]; id !== undefined && id !== 0; id = this.#ids[at]) {
      if (this.#hashes[at] === wanted) found.push(id);
      at = (at + 1) & (this.#ids.length - 1);
    }
    return found;
  }

  copy(): KeyTable {
    const copy = new KeyTable();
    copy.#hashes = this.#hashes.slice();
    copy.#ids = this.#ids.slice();
    copy.#used = this.#used;
    return copy;
  }

  #put(hash: number, id: number): void {
    if (this.#used >= this.#ids.length * 0.75) this.#grow();
    let at = hash & (this.#ids.length - 1);
    for (; this.#ids[at] !== 0; at = (at + 1) & (this.#ids.length - 1)) {
      if (this.#ids[at] === id && this.#hashes[at] === hash) return;
    }
    this.#hashes[at] = hash;
    this.#ids[at] = id;
    this.#used += 1;
  }

  #grow(): void {
    const [hashes, ids] = [this.#hashes, this.#ids];
    this.#hashes = new Uint32Array(ids.length * 2);
    this.#ids = new Float64Array(ids.length * 2);
    this.#used = 0;
    for (const [at, id] of ids.entries()) if (id !== 0) this.#put(hashes[at] ?? 0, id);
  }
}

type KeyOf = { readonly key: string } | undefined;

/** A key is the hexadecimal text of a hash itself: its first digits will do. */
function hashOf(blogId: number, key: string): number {
  return (Number.parseInt(key.slice(0, 8), 16) ^ Math.imul(blogId, 0x9e3779b1)) >>> 0;
}
