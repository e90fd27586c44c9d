import type { OpenFile } from '../../file-system/file-system.ts';
import { ArticleIndex } from '../index/article-index.ts';
import { tagValueAt } from '../format/article-line.ts';
import { checksumHolds, markAt } from '../format/checksum.ts';
import { NEWLINE, keyOfLine, lineStart, noLineStart } from '../format/line-bytes.ts';
import { type BlogRecord, headText } from '../format/head.ts';
import { LineSums } from '../format/footer.ts';
import type { OpenDocument } from '../open-document.ts';
import { StoreError } from '../../store.ts';
import { beginNewFile, type NewFile } from '../format/new-file.ts';
import type { WriteQueue } from './write-queue.ts';

/** A change of the blogs, which only a new file can have; made of them as they are at both its ends. */
export type Amend = (blogs: readonly BlogRecord[]) => readonly BlogRecord[];

type Compaction = {
  readonly document: OpenDocument;
  readonly amend: Amend;
  /** What is copied. */
  readonly source: OpenFile;
  readonly newFile: NewFile;
  /** Of the new file. */
  readonly index: ArticleIndex;
  readonly sums: LineSums;
  readonly bodyStart: number;
  /** What was read last; a buffer for each run would be made of new pages every time. */
  readonly scratch: Buffer;
};

/** So much of what was committed meanwhile is copied at a time; less of it while commits wait. */
const TAIL_BYTES = 1024 * 1024;
/** What is read and summed up in one turn of the event loop. */
const RUN_BYTES = 512 * 1024;

/**
 * Writes the newest lines in id order into a new file, then what was committed meanwhile, and lets the
 * new file take the file's place. Commits go on until the last piece. On any failure before that the
 * file is what it was.
 */
export async function compact(
  document: OpenDocument,
  between: WriteQueue['between'],
  amend: Amend = (blogs) => blogs,
): Promise<void> {
  const head = { ...document.index.head(), blogs: amend(document.index.records()) };
  const cutoff = document.end;
  const slots = document.index.slots.length;
  const like = document.file.stat();
  const newFile = await beginNewFile(document.fileSystem, document.path, { head, like });
  const index = new ArticleIndex(head, document.index.nextId - 1);
  const compaction = {
    document,
    amend,
    source: document.file,
    newFile,
    index,
    sums: new LineSums(),
    bodyStart: Buffer.byteLength(headText(head)),
    scratch: Buffer.allocUnsafeSlow(Math.min(2 * RUN_BYTES, document.end)),
  };
  try {
    await copyNewest(compaction, slots, cutoff);
    let copied = cutoff;
    while (document.end - copied > TAIL_BYTES) copied = await copyTail(compaction, copied);
    await newFile.settle();
    await between(() => finish(compaction, copied));
  } catch (error) {
    if (document.file !== newFile.file) await newFile.discard();
    throw error;
  }
}

/**
 * The line each slot points at, one copy for lines that stand together. Deletions from before the
 * cut-off are in the head; later ones need their tombstone here, so that ids keep ascending.
 */
async function copyNewest(compaction: Compaction, slots: number, cutoff: number): Promise<void> {
  const { index } = compaction.document;
  let run: CopiedRun | undefined;
  for (let slot = 0; slot < slots; slot += 1) {
    const offset = index.slots.offsetOf(slot);
    const blogIndex = index.blogOfSlot(slot);
    const isTombstone = blogIndex?.tombstones.has(slot) === true;
    if (
      blogIndex === undefined ||
      (isTombstone && offset < cutoff && !index.keyedTombstones.has(slot))
    )
      continue;
    const line = {
      id: index.slots.idOf(slot),
      blog: index.blogMember(blogIndex.id),
      isTombstone,
      keyed: index.keyedTombstones.has(slot),
      offset,
      length: index.slots.lengthOf(slot),
      mark: index.slots.markOf(slot),
    };
    if (run === undefined || offset !== run.end + 2 || run.end - run.start > RUN_BYTES) {
      await copyRun(compaction, run);
      run = { start: offset, end: offset, lines: [] };
    }
    run.lines.push(line);
    run.end = offset + line.length;
  }
  await copyRun(compaction, run);
}

type CopiedRun = { start: number; end: number; lines: Parameters<ArticleIndex['apply']>[0][] };

async function copyRun(
  { document, newFile, index, sums, scratch }: Compaction,
  run: CopiedRun | undefined,
): Promise<void> {
  if (run === undefined) return;
  const length = run.end + 1 - run.start;
  const bytes = length > scratch.length ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
  if (document.file.read(bytes, run.start) < bytes.length) throw writtenByOthers();
  for (const { id, offset, length: lineLength } of run.lines) {
    const start = offset - run.start;
    if (!checksumHolds(bytes.subarray(start, start + lineLength))) throw damagedLine(document, id);
    sums.add(id, tagValueAt(bytes, start + lineLength));
  }
  const shift = (await newFile.append(bytes)) - run.start;
  for (const line of run.lines) index.apply({ ...line, offset: line.offset + shift });
}

/** Copies the next piece of what was committed from `from` on, as it stands; answers where it ends. */
async function copyTail(
  { document, newFile, index, sums }: Compaction,
  from: number,
): Promise<number> {
  const lines = wholeLines(document, from);
  const skip = from === document.bodyStart ? 0 : 1;
  const shift = (await newFile.append(lines.subarray(skip))) - skip;
  const entry = { ...noLineStart(), keyed: false, offset: 0, length: 0, mark: 0 };
  for (let start = skip; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    lineStart(lines, start, entry);
    entry.keyed = entry.isTombstone && keyOfLine(lines, start, end) !== undefined;
    entry.offset = start + shift;
    entry.length = end - start;
    entry.mark = markAt(lines, end);
    index.apply(entry);
    sums.add(entry.id, tagValueAt(lines, end));
    start = end + 2; // The newline, and the comma of the next line.
  }
  return from + lines.length;
}

/** At least one; not much more than `PIECE`. */
function wholeLines(document: OpenDocument, from: number): Buffer {
  for (let size = TAIL_BYTES; ; size *= 2) {
    const bytes = Buffer.allocUnsafe(Math.min(size, document.end - from));
    if (document.file.read(bytes, from) < bytes.length) throw writtenByOthers();
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || bytes.length < size) return bytes.subarray(0, end);
  }
}

/** Until the folder is synced nothing may be acknowledged that is only in the new file. */
async function finish(compaction: Compaction, copied: number): Promise<void> {
  const { document, amend, newFile, index, sums, bodyStart } = compaction;
  for (let at = copied; at < document.end;) at = await copyTail(compaction, at);
  // What was written meanwhile dated each blog as it was: what is amended is seen after that.
  for (const { id, changedAt } of amend(document.index.records())) {
    const [blog, before] = [index.blogs.get(id), document.index.blogs.get(id)];
    if (blog && before && before.changedAt >= blog.changedAt) blog.changedAt = changedAt;
  }
  const { end, checksum } = await newFile.finish({
    articles: index.liveCount,
    lastId: index.nextId - 1,
    sums,
  });
  refuseOtherFile(compaction);
  newFile.rename();
  const { keys } = document;
  const { file } = newFile;
  const written = { index, keys, end, checksum, sums, bodyStart };
  document.replace({ file, seen: file.stat(), document: written });
  try {
    await newFile.syncName();
  } catch (error) {
    throw new StoreError('degraded', 'The disk did not confirm the new file.', { cause: error });
  }
}

/** A file that was removed comes back; one that others wrote is theirs, as the next batch will find. */
function refuseOtherFile({ document, source }: Compaction): void {
  const change = document.outsideChange();
  const isTheirs = change !== undefined && change !== 'was removed';
  if (isTheirs || document.file !== source) {
    throw writtenByOthers();
  }
}

/** A new file would vouch for what nobody wrote. */
function damagedLine(document: OpenDocument, id: number): StoreError {
  if (document.outsideChange() !== undefined) return writtenByOthers();
  document.damaged.add(id);
  const message = `article ${id} is damaged on the disk: its checksum does not hold`;
  return new StoreError('damaged', message);
}

function writtenByOthers(): StoreError {
  return new StoreError('changed-outside', 'another program wrote the file meanwhile');
}
