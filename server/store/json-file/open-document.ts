import {
  writeFully,
  type FileStat,
  type FileSystem,
  type OpenFile,
} from '../file-system/file-system.ts';
import { footerText, type LineSums } from './format/footer.ts';
import type { ArticleIndex } from './index/article-index.ts';
import type { KeyTable } from './index/slots.ts';
import type { Document, Unconfirmed } from './recovery/document.ts';
import { StoreError } from '../store.ts';

/**
 * `lost its lock`: another process may have the right to write. `lost its link`: what it was named by leads
 * to another file, or to none.
 */
export type OutsideChange =
  | 'lost its lock'
  | 'lost its link'
  | 'was removed'
  /** It has another name now, under which another process may open it. */
  | 'was moved'
  | 'was replaced'
  | 'was changed';

/** A store as it was at one moment: its file, and what would be read from that. */
export type StoreImage = { readonly bytes: Buffer; readonly document: Document };

type DocumentPlace = {
  readonly fileSystem: FileSystem;
  /** Links resolved. */
  readonly path: string;
  /** As it was named when it was opened. */
  readonly name: string;
  /** Whether the right to write is still ours. */
  readonly isOurs: () => boolean;
};

type ReadDocument = {
  readonly file: OpenFile;
  /** The file as it was before it was read: what others write meanwhile is noticed. */
  readonly seen: FileStat;
  readonly document: Document;
};

/** The store file while it is open: what is durable in it, and where the next batch goes. */
export class OpenDocument {
  readonly fileSystem: FileSystem;
  readonly path: string;
  readonly name: string;
  file: OpenFile;
  index: ArticleIndex;
  keys: KeyTable;
  /** Where the footer stands. */
  end: number;
  /** Of everything before the footer. */
  checksum: number;
  /** Over the lines of articles. */
  sums: LineSums;
  bodyStart: number;
  /** Present where the file is not as the store wrote it; the first change writes it anew. */
  unconfirmed: Unconfirmed | undefined;
  /** Articles that were found damaged and have not been written since. */
  readonly damaged = new Set<number>();
  /** The last footer has a batch in front of it: not closed cleanly. */
  footerNamesBatch = false;
  /** Nothing more is read: its descriptor may be another file's by then. */
  isClosed = false;
  readonly #isOurs: () => boolean;
  /** The file as it was before it was read, or as our last write left it. */
  #seen: FileStat;

  constructor(place: DocumentPlace, { file, seen, document }: ReadDocument) {
    this.fileSystem = place.fileSystem;
    this.path = place.path;
    this.name = place.name;
    this.#isOurs = place.isOurs;
    this.file = file;
    this.index = document.index;
    this.keys = document.keys;
    this.end = document.end;
    this.checksum = document.checksum;
    this.sums = document.sums;
    this.bodyStart = document.bodyStart;
    this.unconfirmed = document.unconfirmed;
    this.#seen = seen;
  }

  /** Puts another file and index in the place of these, as compaction does. */
  replace({ file, seen, document }: ReadDocument): void {
    const before = this.file;
    this.file = file;
    this.index = document.index;
    this.keys = document.keys;
    this.end = document.end;
    this.checksum = document.checksum;
    this.sums = document.sums;
    this.bodyStart = document.bodyStart;
    this.unconfirmed = document.unconfirmed;
    this.footerNamesBatch = false;
    this.#seen = seen;
    before.closeLater();
  }

  /** Goes on with a copy of the file. */
  moveTo(file: OpenFile): void {
    this.file.closeLater();
    this.file = file;
    this.noteWritten();
  }

  close(): void {
    this.isClosed = true;
    this.file.close();
  }

  /** Of the file, its footer included. */
  get size(): number {
    return this.#seen.size;
  }

  get isEmpty(): boolean {
    return this.end === this.bodyStart;
  }

  /** To be called after each own write, so that others' writes can be told from them. */
  noteWritten(): void {
    this.#seen = this.file.stat();
  }

  /** What another program did to the file since our last write; undefined where nothing. */
  outsideChange(): OutsideChange | undefined {
    if (!this.#isOurs()) return 'lost its lock';
    // A link would lead another process to the file by a name of its own, with a lock of its own.
    const there = this.fileSystem.statOfName(this.path);
    if (there === undefined) return this.file.stat().links > 0 ? 'was moved' : 'was removed';
    if (!this.#isFile(there)) return 'was replaced';
    const isLinked = this.name !== this.path;
    if (isLinked && !this.#isFile(this.fileSystem.stat(this.name))) return 'lost its link';
    return this.#isAsSeen(there) ? undefined : 'was changed';
  }

  /** Whether the file is as it was and has a name, whatever that is now. */
  get isWhole(): boolean {
    const stat = this.file.stat();
    return stat.links > 0 && this.#isAsSeen(stat);
  }

  #isFile(stat: FileStat | undefined): boolean {
    return stat?.ino === this.#seen.ino && stat.dev === this.#seen.dev;
  }

  #isAsSeen({ size, modifiedMs }: FileStat): boolean {
    return size === this.#seen.size && modifiedMs === this.#seen.modifiedMs;
  }

  /** What is durable now, apart from this document. For files in memory, which are read at once. */
  image(): StoreImage {
    const { index, keys, end, checksum, sums, bodyStart } = this;
    const footer = this.#cleanFooter();
    const bytes = Buffer.allocUnsafe(end + footer.length);
    this.file.read(bytes.subarray(0, end), 0);
    footer.copy(bytes, end);
    const document = { index: index.copy(), keys: keys.copy(), end, checksum, sums, bodyStart };
    return { bytes, document };
  }

  /** As a closed file is: a footer whose last batch needs no telling apart, and nothing behind it. */
  async writeCleanFooter(): Promise<void> {
    const { end } = this;
    const bytes = this.#cleanFooter();
    await writeFully(this.file, bytes, end);
    this.file.truncate(end + bytes.length);
    this.footerNamesBatch = false;
    this.noteWritten();
    await this.file.syncData();
  }

  #cleanFooter(): Buffer {
    const { end, checksum, sums } = this;
    const [articles, lastId] = [this.index.liveCount, this.index.nextId - 1];
    const count = { articles, lastId, sums };
    const footer = { ...count, bytes: end, checksum, from: end, fromChecksum: checksum };
    return Buffer.from(footerText(footer));
  }
}

/** The store file is not the one that this process wrote: nothing more is written to it. */
export function changedOutside(path: string, change: OutsideChange): StoreError {
  const failure = change === 'lost its lock' ? 'degraded' : 'changed-outside';
  return new StoreError(failure, outsideChangeInWords(path, change));
}

export function outsideChangeInWords(path: string, change: OutsideChange): string {
  if (change === 'lost its lock') return `${path}.lock was removed or replaced by another program.`;
  if (change === 'lost its link')
    return `The link to ${path} was led elsewhere by another program.`;
  return `${path} ${change} by another program.`;
}

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
