import { type Article, StoreError } from '../../store.ts';
import { writeFully } from '../../file-system/file-system.ts';
import { isFull } from '../../unusable-store.ts';
import {
  articleOfLine,
  type ComposedLine,
  composeLine,
  type NewLine,
  tagValueAt,
} from '../format/article-line.ts';
import { checksum, markAt } from '../format/checksum.ts';
import { LineSums, FOOTER_BYTES, footerText, SPACE } from '../format/footer.ts';
import { noteChange } from '../index/article-index.ts';
import { type OpenDocument, outsideChangeInWords } from '../open-document.ts';

const RETRY_AFTER_SECONDS = 30;
/** Of the kernel's cache, where it is smallest. */
const PAGE = 4096;
/** What kernels keep as one piece of their cache where it was written as one (Linux 6.16, ext4). */
const FOLIO = 64 * 1024;
/** More than this would make the disk write twice what it gets once. */
const SMALL_BATCH = FOLIO / 2;
const MOST_PREALLOCATED = 1024 * 1024;
const PADDING = Buffer.alloc(256 * 1024, SPACE);

/**
 * Makes changes durable: room, one write of their lines and a new footer over the old one, then one
 * sync; only then does the index know them. Throws StoreError, the index untouched.
 */
export async function writeBatch(
  document: OpenDocument,
  changes: readonly Change[],
): Promise<void> {
  const batch = composeBatch(document, changes);
  document.footerNamesBatch = true;
  try {
    preallocate(document, { from: document.end, to: document.end + batch.bytes.length });
    await writeFully(document.file, batch.bytes, document.end);
  } catch (error) {
    await rollBack(document, error);
    throw writeFailure(error);
  }
  try {
    document.noteWritten();
    await document.file.syncData();
  } catch (error) {
    // What a failed sync left on the disk nobody can say, and asking again would lie.
    throw new StoreError('outcome-unknown', 'The disk did not confirm the change.', {
      cause: error,
    });
  }
  requireStillOwn(document);
  applyToIndex(document, changes);
  document.end = batch.end;
  document.checksum = batch.checksum;
  document.sums = batch.sums;
}

/**
 * A file that lost its name or its bytes while it was written may have lost the change, too; and whoever
 * took the lock meanwhile may have read the file before our lines were there.
 */
function requireStillOwn(document: OpenDocument): void {
  const change = document.outsideChange();
  if (change === undefined || change === 'was removed') return;
  if (change === 'lost its lock') {
    throw new StoreError('outcome-unknown', 'The lock was lost while the change was written.');
  }
  const what = outsideChangeInWords(document.path, change).slice(0, -1);
  const message = `${what} while it was written.`;
  throw new StoreError('outcome-unknown', message, { retryAfterSeconds: 1 });
}

type Extent = { readonly from: number; readonly to: number };

type Batch = {
  readonly bytes: Buffer;
  readonly end: number;
  readonly checksum: number;
  readonly sums: LineSums;
};

function composeBatch(document: OpenDocument, changes: readonly Change[]): Batch {
  // The first line of a file has no comma before it.
  const skip = document.isEmpty ? 1 : 0;
  const linesLength = changes.reduce((total, { bytes }) => total + bytes.length, -skip);
  const bytes = Buffer.allocUnsafe(linesLength + FOOTER_BYTES);
  const added = new LineSums();
  let lastId = document.index.nextId - 1;
  let at = -skip;
  for (const change of changes) {
    change.bytes.copy(bytes, Math.max(0, at), at < 0 ? 1 : 0);
    at += change.bytes.length;
    added.add(change.line.id, tagValueAt(change.bytes, change.bytes.length - 1));
    lastId = Math.max(lastId, change.line.id);
  }
  const end = document.end + linesLength;
  const sum = checksum(bytes.subarray(0, linesLength), document.checksum);
  const effect = changes.reduce((total, change) => total + change.effect, 0);
  const sums = document.sums.plus(added);
  const footer = {
    articles: document.index.liveCount + effect,
    lastId,
    sums,
    bytes: end,
    checksum: sum,
    from: document.end,
    fromChecksum: document.checksum,
  };
  const length = linesLength + bytes.write(footerText(footer), linesLength, 'latin1');
  return { bytes: bytes.subarray(0, length), end, checksum: sum, sums };
}

/**
 * A kill -9 can stop a write between two pieces of the kernel's cache, and a full disk can too. So
 * spaces, which may stand behind a JSON document, go first: a whole piece for batches smaller than
 * one, so that few lie across two of them. At once, and not for what is longer than a batch of
 * many: the sync must not wait.
 */
function preallocate({ file, size }: OpenDocument, { from, to }: Extent): void {
  if (upTo(PAGE, to) <= upTo(PAGE, size) || to - size > MOST_PREALLOCATED) return;
  const end = to - from > SMALL_BATCH ? to : upTo(FOLIO, to);
  let at = size;
  try {
    for (let count = -1; at < end && count !== 0; at += count) {
      count = file.write(PADDING.subarray(0, end - at), at);
    }
  } catch (error) {
    if (at < to) throw error;
  }
}

function upTo(multiple: number, bytes: number): number {
  return Math.ceil(bytes / multiple) * multiple;
}

/** The old footer goes back to where it was, which needs no new room on the disk. */
async function rollBack(document: OpenDocument, cause: unknown): Promise<void> {
  try {
    await document.writeCleanFooter();
  } catch (error) {
    const message = 'The disk took part of the change and would not give it back.';
    const both = `${String(cause)}, and then ${String(error)}`;
    throw new StoreError('outcome-unknown', message, {
      cause: new AggregateError([cause, error], both),
    });
  }
}

/** What a failed write means, nothing being changed. */
export function writeFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return isFull(error)
    ? new StoreError('no-room', 'There is no room on the disk for the change.', {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    : new StoreError('degraded', 'The disk refused the change; the store takes no more writes.', {
        cause: error,
      });
}

function applyToIndex({ index, end, isEmpty }: OpenDocument, changes: readonly Change[]): void {
  let offset = isEmpty ? end - 1 : end;
  for (const change of changes) {
    const { id, blog, isTombstone, key, updatedAt } = change.line;
    const keyed = key !== undefined;
    index.apply({
      id,
      blog,
      isTombstone,
      keyed,
      offset: offset + 1,
      length: change.bytes.length - 2,
      mark: markAt(change.bytes, change.bytes.length - 1),
    });
    offset += change.bytes.length;
    const blogIndex = index.blogs.get(change.blogId);
    if (blogIndex !== undefined) noteChange(blogIndex, updatedAt);
  }
}

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

type NewChange = Pick<Change, 'blogId' | 'effect' | 'newKey'> & { readonly line: NewLine };

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
