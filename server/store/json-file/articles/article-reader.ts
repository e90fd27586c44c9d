import { hasCode } from '../../file-system/file-system.ts';
import { readArticleLine, articleOfLine, type ArticleLine } from '../format/article-line.ts';
import { idsInWords } from '../format/head.ts';
import { BLOG, LINE_END_BYTES, readLineEnd, lineStart, noLineStart } from '../format/line-bytes.ts';
import { changedOutside, type OpenDocument } from '../open-document.ts';
import { StoreError, type Article, type ArticleSummary, type FoundArticle } from '../../store.ts';

/** What is longer is sent in pieces, each of which may ask for it again. */
const PIECE_BYTES = 64 * 1024;
const MOST_SHARED = 1000;
/** Lines so close together are read in one go. */
const GAP_BYTES = 4096;
const LONG_LINE = 256 * 1024;
const LARGEST_READ = 4 * 1024 * 1024;
/** Most reads fit in here; a buffer for each would be garbage at once. */
const SCRATCH_BYTES = 2 * 1024 * 1024;

export type LineFound = { readonly bytes: Buffer; readonly line: ArticleLine };

/** Reads what is durable. */
export class ArticleReader {
  readonly #document: OpenDocument;
  /** Bytes that were read a moment ago. */
  #scratch = Buffer.alloc(0);
  /** Long articles by id, so that many readers of one hold its bytes once. */
  readonly #shared = new Map<number, WeakRef<Article>>();

  constructor(document: OpenDocument) {
    this.#document = document;
  }

  get damage(): StoreError | undefined {
    const { damaged } = this.#document;
    return damaged.size === 0 ? undefined : damageOf([...damaged]);
  }

  find(blogId: number, id: number): FoundArticle {
    const place = this.#document.index.find(blogId, id);
    if (place.kind !== 'article') return { kind: place.kind };
    return {
      kind: 'article',
      article: this.#shared.get(id)?.deref() ?? this.#read(blogId, place.slot),
    };
  }

  /** Whether reading an article would hold up others for long. */
  isLong(id: number): boolean {
    const { slots } = this.#document.index;
    const slot = slots.find(id);
    return slot >= 0 && slots.lengthOf(slot) > LONG_LINE;
  }

  isCached(id: number): boolean {
    return this.#shared.get(id)?.deref() !== undefined;
  }

  /** Ascending slots of one blog. */
  readAll(blogId: number, slots: readonly number[]): Article[] {
    const { slots: places } = this.#document.index;
    const known = slots.map((slot) => this.#shared.get(places.idOf(slot))?.deref());
    const missing = slots.filter((_, index) => known[index] === undefined);
    const read = this.#readRuns(blogId, missing);
    return slots.map((slot, index) => known[index] ?? read.get(slot) ?? this.#read(blogId, slot));
  }

  /** What a page needs to know of an article; its checksum is looked at when it is read. */
  summarize(blogId: number, slot: number): ArticleSummary {
    const id = this.#document.index.slots.idOf(slot);
    const { start, end } = this.#spanOf(slot);
    const last = readLineEnd(this.#readAt(Math.max(start, end - LINE_END_BYTES), end));
    // A line that no checksum vouches for is another version than its end says.
    const isPlain = last !== undefined && this.#document.unconfirmed === undefined;
    if (!isPlain) return summaryOf(this.#read(blogId, slot));
    const { tag, updatedAt, locked, privateLength } = last;
    const { blog } = lineStart(this.#readAt(start, Math.min(end, start + 64)), 0, noLineStart());
    const blogLength = blog === undefined ? 0 : `${BLOG}${blog}`.length;
    const length = end - start - privateLength - blogLength + 1;
    return Object.freeze({ blogId, id, tag, updatedAt, locked, length });
  }

  /** The bytes of these lines, without reading them. */
  lengthOf(slots: readonly number[]): number {
    return slots.reduce((sum, slot) => sum + this.#document.index.slots.lengthOf(slot), 0);
  }

  /** The line of a slot with what only the store sees; throws StoreError `damaged`. */
  lineAt(slot: number): LineFound {
    const { start, end } = this.#spanOf(slot);
    return this.#checked(slot, this.bytesOf(start, end));
  }

  /** Bytes of the file; throws StoreError where the disk does not give them. */
  bytesOf(start: number, end: number): Buffer {
    return this.#filled(Buffer.allocUnsafe(end - start), start);
  }

  forgetAll(): void {
    this.#shared.clear();
    this.#document.damaged.clear();
  }

  /** What was known of an article is not so any more. */
  forget(id: number): void {
    this.#shared.delete(id);
    this.#document.damaged.delete(id);
  }

  #remember(article: Article): void {
    if (article.length <= PIECE_BYTES) return;
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear();
    this.#shared.set(article.id, new WeakRef(article));
  }

  #read(blogId: number, slot: number): Article {
    const { start, end } = this.#spanOf(slot);
    const { bytes, line } = this.#checked(slot, this.#readAt(start, end));
    const article = articleOfLine(bytes, line, blogId);
    this.#remember(article);
    return article;
  }

  #spanOf(slot: number): { readonly start: number; readonly end: number } {
    const { slots } = this.#document.index;
    const start = slots.offsetOf(slot);
    return { start, end: start + slots.lengthOf(slot) };
  }

  /** Bytes of the file, valid until the next call. */
  #readAt(start: number, end: number): Buffer {
    const length = end - start;
    if (length > SCRATCH_BYTES) return this.bytesOf(start, end);
    if (length > this.#scratch.length)
      this.#scratch = Buffer.allocUnsafeSlow(Math.min(SCRATCH_BYTES, 2 * length));
    return this.#filled(this.#scratch.subarray(0, length), start);
  }

  #filled(bytes: Buffer, start: number): Buffer {
    if (this.#document.isClosed) throw new StoreError('closing', 'The store is closed.');
    try {
      // What the file no longer has must not be made up by what was there before.
      bytes.fill(0, this.#document.file.read(bytes, start));
    } catch (error) {
      throw readFailure(error);
    }
    return bytes;
  }

  #checked(slot: number, bytes: Buffer): LineFound {
    const id = this.#document.index.slots.idOf(slot);
    const line = readArticleLine(bytes);
    if (line !== undefined && line.id === id) return { bytes, line };
    const change = this.#document.outsideChange();
    if (change !== undefined) throw changedOutside(this.#document.path, change);
    // Where the file was found to be so when it was opened.
    const shown = this.#document.unconfirmed?.canonical(bytes, id);
    const shownLine = shown && readArticleLine(shown);
    if (shown !== undefined && shownLine !== undefined) return { bytes: shown, line: shownLine };
    this.#document.damaged.add(id);
    throw damageOf([id]);
  }

  /** Lines that stand close together are read at once. */
  #readRuns(blogId: number, slots: readonly number[]): Map<number, Article> {
    const read = new Map<number, Article>();
    for (const run of runsOf(slots, this.#document)) {
      const bytes = this.#readAt(run.start, run.end);
      for (const slot of run.slots) {
        const offset = this.#document.index.slots.offsetOf(slot) - run.start;
        const own = bytes.subarray(offset, offset + this.#document.index.slots.lengthOf(slot));
        const found = this.#checked(slot, own);
        const article = articleOfLine(found.bytes, found.line, blogId);
        this.#remember(article);
        read.set(slot, article);
      }
    }
    return read;
  }
}

function summaryOf({ blogId, id, tag, updatedAt, locked, length }: Article): ArticleSummary {
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length });
}

function damageOf(ids: readonly number[]): StoreError {
  const which = idsInWords(ids);
  const what =
    ids.length === 1
      ? `Article ${which} is damaged on the disk: its checksum does not hold.`
      : `Articles ${which} are damaged on the disk: their checksums do not hold.`;
  return new StoreError('damaged', what);
}

function readFailure(error: unknown): StoreError {
  return hasCode(error, 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN')
    ? new StoreError('overloaded', 'The system is short of means to read.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    : new StoreError('damaged', 'The disk does not give the article.', { cause: error });
}

type LineRun = {
  readonly start: number;
  readonly end: number;
  readonly slots: readonly number[];
};

function* runsOf(slots: readonly number[], { index }: OpenDocument): Iterable<LineRun> {
  let run: { start: number; end: number; slots: number[] } | undefined;
  for (const slot of slots) {
    const start = index.slots.offsetOf(slot);
    const end = start + index.slots.lengthOf(slot);
    const near = run !== undefined && start >= run.end && start - run.end <= GAP_BYTES;
    if (run !== undefined && near && end - run.start <= LARGEST_READ) {
      run.slots.push(slot);
      run.end = end;
    } else {
      if (run !== undefined) yield run;
      run = { start, end, slots: [slot] };
    }
  }
  if (run !== undefined) yield run;
}
