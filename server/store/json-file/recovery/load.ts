import type { OpenFile } from '../../file-system/file-system.ts';
import { readArticleLine, tagValueAt } from '../format/article-line.ts';
import { checksum, markAt } from '../format/checksum.ts';
import {
  LineSums,
  type Count,
  endBeforeSpaces,
  FOOTER_BYTES,
  type FoundFooter,
  parseFooter,
} from '../format/footer.ts';
import { ARTICLES_START, membersOf } from '../format/head.ts';
import { COMMA, NEWLINE, keyOfLine, lineStart, noLineStart } from '../format/line-bytes.ts';
import { isId, parseHead } from '../format/parse-head.ts';
import { ArticleIndex, noteLines } from '../index/article-index.ts';
import { inShell, UnusableStore } from '../../unusable-store.ts';
import { KeyTable } from '../index/slots.ts';
import type { Document, HeadBytes } from './document.ts';

type Loaded =
  | { readonly kind: 'trusted'; readonly document: Document }
  /** `torn-batch`: what stands before the last batch is what was written; `isWhole`: all of it is. */
  | { readonly kind: 'torn-batch' | 'edited'; readonly isWhole: boolean };

/** Reads the file in one pass, trusting its lines if in the end the checksum holds. */
export function load(file: OpenFile, footer: FoundFooter, changedMs: number): Loaded {
  const start = readHead(file, footer.bytes, changedMs);
  if (start === undefined) return { kind: 'edited', isWhole: false };
  const bodyStart = start.bytes.length;
  const { count } = footer;
  const index = new ArticleIndex(start.head, count?.lastId);
  const keys = new KeyTable();
  // A file of the time before its lines were counted: they are counted now.
  const counted = count === undefined ? new LineSums() : undefined;
  const reader = indexing(index, keys, counted);
  const before = checksum(start.bytes);
  // In two stretches, to learn on the way whether the part before the last batch holds.
  const middle = Math.max(bodyStart, footer.from);
  const first = scanLines(file, { from: bodyStart, to: middle, before }, reader.visit);
  const rest = { from: first.end, to: footer.bytes, before: first.checksum };
  const last = scanLines(file, rest, reader.visit);
  const isWhole = last.end === footer.bytes && last.checksum === footer.checksum;
  const { head } = start;
  const isKnown = head.doubts === undefined || head.doubts.length === 0;
  const isHeld = footer.holds && isKnown && !head.blogs.some(({ unverified }) => unverified);
  if (isWhole && isHeld && reader.inOrder() && index.liveCount === footer.articles) {
    const sums = count?.sums ?? counted ?? new LineSums();
    noteChanges(file, index, reader.lastLines());
    return {
      kind: 'trusted',
      document: { index, keys, end: last.end, checksum: last.checksum, sums, bodyStart },
    };
  }
  const holds = first.end === footer.from && first.checksum === footer.fromChecksum;
  return { kind: holds && footer.from < footer.bytes ? 'torn-batch' : 'edited', isWhole };
}

type LastLine = {
  readonly blog: number | undefined;
  offset: number;
  length: number;
  /** The line of the blog before it. */
  offsetBefore: number;
  lengthBefore: number;
};

/** Takes lines into an index; remembers the last two lines of each blog. */
type Indexing = {
  readonly visit: LineVisitor;
  inOrder(): boolean;
  lastLines(): Iterable<LastLine>;
};

function indexing(index: ArticleIndex, keys: KeyTable, counted?: LineSums): Indexing {
  const lastLines = new Map<number | undefined, LastLine>();
  const entry = { ...noLineStart(), keyed: false, offset: 0, length: 0, mark: 0 };
  let last = lastLineOf(lastLines, undefined);
  let inOrder = true;
  return {
    visit: (bytes, start, end, offset) => {
      if (!inOrder) return;
      const skip = bytes[start] === COMMA ? 1 : 0;
      lineStart(bytes, start + skip, entry);
      const key = keyOfLine(bytes, start, end);
      if (key !== undefined) keys.add(index.blogIdOf(entry.blog), { id: entry.id, key: { key } });
      entry.keyed = entry.isTombstone && key !== undefined;
      entry.offset = offset + skip;
      entry.length = end - start - skip;
      entry.mark = markAt(bytes, end);
      inOrder = isId(entry.id) && index.apply(entry);
      counted?.add(entry.id, tagValueAt(bytes, end));
      if (last.blog !== entry.blog) last = lastLineOf(lastLines, entry.blog);
      last.offsetBefore = last.offset;
      last.lengthBefore = last.length;
      last.offset = entry.offset;
      last.length = entry.length;
    },
    inOrder: () => inOrder,
    lastLines: () => lastLines.values(),
  };
}

function lastLineOf(lines: Map<number | undefined, LastLine>, blog: number | undefined): LastLine {
  const line = lines.get(blog) ?? {
    blog,
    offset: 0,
    length: 0,
    offsetBefore: 0,
    lengthBefore: 0,
  };
  lines.set(blog, line);
  return line;
}

function noteChanges(file: OpenFile, index: ArticleIndex, lines: Iterable<LastLine>): void {
  for (const { blog: member, offset, length, offsetBefore, lengthBefore } of lines) {
    const blog = index.blogs.get(index.blogIdOf(member));
    const before = updatedAtOf(file, offsetBefore, lengthBefore);
    if (blog !== undefined) noteLines(blog, { last: updatedAtOf(file, offset, length), before });
  }
}

/** 0 where there is no line. */
function updatedAtOf(file: OpenFile, offset: number, length: number): number {
  const bytes = Buffer.allocUnsafe(length);
  file.read(bytes, offset);
  return readArticleLine(bytes)?.updatedAt ?? 0;
}

/** What the end of a file and its checksums say of it. */
export type Inspection =
  | { readonly kind: 'trusted'; readonly document: Document }
  | { readonly kind: 'torn-batch'; readonly from: number; readonly count: Count | undefined }
  /** The commit record is damaged, and what it says of all bytes before `from` holds: they are whole. */
  | { readonly kind: 'whole'; readonly from: number }
  | { readonly kind: 'edited' }
  /** No commit record that could be believed. */
  | { readonly kind: 'no-footer' };

/** Reads the file once; the index comes with it where the commit record holds. */
export function inspect(file: OpenFile, path: string, changedMs: number): Inspection {
  const nothing = nothingOf(file, path);
  if (nothing !== undefined) throw nothing;
  const end = endBeforeSpaces(file);
  const tail = Buffer.alloc(Math.min(FOOTER_BYTES, end));
  file.read(tail, end - tail.length);
  const footer = parseFooter(tail);
  if (footer === undefined) return { kind: 'no-footer' };
  const { bytes, from, count, holds } = footer;
  if (bytes + footer.length !== end) return { kind: holds ? 'edited' : 'no-footer' };
  const loaded = load(file, footer, changedMs);
  if (loaded.kind === 'trusted') return loaded;
  if (!holds) return loaded.isWhole ? { kind: 'whole', from: bytes } : { kind: 'no-footer' };
  return loaded.kind === 'torn-batch' ? { kind: 'torn-batch', from, count } : { kind: 'edited' };
}

/** Why there is no byte of a store in a file; undefined where that is not to be seen at once. */
export function nothingOf(file: OpenFile, path: string): UnusableStore | undefined {
  if (file.stat().size === 0) {
    return new UnusableStore('empty', `${path} is empty. Nothing was changed.`, {
      hint: `Put the lost content back, or remove the file and run \`blogctl store init --store ${inShell(path)}\`.`,
    });
  }
  const first = Buffer.alloc(2);
  file.read(first, 0);
  if (!UTF_16_BYTE_ORDER_MARKS.has(first.toString('latin1'))) return undefined;
  return new UnusableStore('foreign', `${path} is UTF-16. Nothing was changed.`, {
    hint: `Save it as UTF-8, as it was: \`iconv -f UTF-16 -t UTF-8 ${inShell(path)}\` prints it so.`,
  });
}

/** Windows writes them. */
const UTF_16_BYTE_ORDER_MARKS = new Set(['\xff\xfe', '\xfe\xff']);

/** Called with one line: `bytes` from `start` to `end`, the newline left out; `offset` in the file. */
type LineVisitor = (bytes: Buffer, start: number, end: number, offset: number) => void;

type Scanned = {
  /** Behind the last newline. */
  readonly end: number;
  /** Of the bytes up to there. */
  readonly checksum: number;
};

const CHUNK = 1024 * 1024;

/** Visits the lines between two offsets, in one pass with the checksum. */
export function scanLines(
  file: OpenFile,
  {
    from,
    to,
    before = 0,
  }: { readonly from: number; readonly to: number; readonly before?: number },
  visit: LineVisitor,
): Scanned {
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, to - from)));
  let position = from;
  let sum = before;
  while (position < to) {
    const wanted = buffer.subarray(0, Math.min(buffer.length, to - position));
    const count = file.read(wanted, position);
    const chunk = wanted.subarray(0, count);
    const whole = visitLines(chunk, position, visit);
    if (whole > 0) {
      sum = checksum(chunk.subarray(0, whole), sum);
      position += whole;
    } else if (count < buffer.length || position + count >= to) {
      break;
    } else {
      buffer = Buffer.allocUnsafe(buffer.length * 2);
    }
  }
  return { end: position, checksum: sum };
}

/** How many bytes the whole lines of a chunk take. */
function visitLines(chunk: Buffer, position: number, visit: LineVisitor): number {
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    visit(chunk, start, end, position + start);
    start = end + 1;
  }
  return start;
}

const HEAD_CHUNK = 64 * 1024;
const MARK = `\n${ARTICLES_START}`;

/** The head of a file in the store's own layout; undefined where it has another. */
export function readHead(file: OpenFile, size: number, changedMs: number): HeadBytes | undefined {
  for (let length = HEAD_CHUNK; ; length *= 8) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size));
    const count = file.read(bytes, 0);
    const mark = bytes.subarray(0, count).indexOf(MARK);
    // A string holds no raw newline, so this one stands between members.
    if (mark >= 0) return parsed(bytes.subarray(0, mark + MARK.length), changedMs);
    if (length >= size) return undefined;
  }
}

function parsed(bytes: Buffer, changedMs: number): HeadBytes | undefined {
  const text = `${bytes.toString('utf8')}]}`;
  try {
    JSON.parse(text);
    return { head: parseHead(membersOf(text), changedMs), bytes };
  } catch {
    return undefined; // The reading of any layout says what is wrong and where.
  }
}
