import { FOOTER, type Gap } from '../any-layout/read-any-layout.ts';
import type { OpenFile } from '../../file-system/file-system.ts';
import { readArticleLine, tagValue } from '../format/article-line.ts';
import { checksum, createRestorer, type Restorer } from '../format/checksum.ts';
import { isId } from '../format/parse-head.ts';
import { FOOTER_BYTES, FOOTER_START, parseRecord, endBeforeSpaces } from '../format/footer.ts';
import { COMMA, ETAG, ID, TAG } from '../format/line-bytes.ts';
import { EntryList, type FoundEntry } from '../index/entry-list.ts';
import type { HeadBytes, ParsedStore, TornTail } from './document.ts';
import type { Claim } from './findings.ts';
import { bytesOf } from './judge-versions.ts';
import { readHead, scanLines } from './load.ts';

/** What is known of the crash that may have torn the file. */
export type Evidence = {
  /** The footer's word for where the last batch began, the part before it found whole. */
  readonly batchFrom?: number;
  /** Where the footer stood when a process that died began to write. */
  readonly bytesAtOpen?: number;
};

/** A crash tears one batch: at most this much, an article of any size that a service takes included. */
const LARGEST_BATCH = 64 * 1024 * 1024;

/** Undefined where the file is not one that a crash can have left. */
export function findTornTail(
  file: OpenFile,
  { evidence, changedMs }: { readonly evidence: Evidence; readonly changedMs: number },
): TornTail | undefined {
  const size = endBeforeSpaces(file);
  const start = readHead(file, size, changedMs);
  if (start === undefined) return undefined;
  const lines = new EntryList();
  const found = verifiedLines(file, { start, size, lines });
  if (size - found.cut > LARGEST_BATCH) return undefined;
  const rest = Buffer.alloc(size - found.cut);
  file.read(rest, found.cut);
  if (!isCrash(found.cut, rest, evidence) || hasMovedRecord(rest, found.cut)) return undefined;
  const kept = keepWholeLines(lines, rest, found.cut);
  const restBytes = rest.length;
  const onlyFooter = hasNoLine(rest);
  return { start, lines, ...found, ...kept, restBytes, onlyFooter, record: stateOfRecord(rest) };
}

function verifiedLines(
  file: OpenFile,
  { start, size, lines }: { start: HeadBytes; size: number; lines: EntryList },
): { cut: number; checksum: number } {
  const bodyStart = start.bytes.length;
  let cut = bodyStart;
  let sum = checksum(start.bytes);
  let whole = true;
  scanLines(file, { from: bodyStart, to: size }, (bytes, from, end, offset) => {
    whole = whole && pushVerified(lines, { bytes, from, end, offset, first: offset === bodyStart });
    if (!whole) return;
    sum = checksum(bytes.subarray(from, end + 1), sum);
    cut = offset + end + 1 - from;
  });
  return { cut, checksum: sum };
}

type TailLine = { bytes: Buffer; from: number; end: number; offset: number; first: boolean };

function pushVerified(lines: EntryList, { bytes, from, end, offset, first }: TailLine): boolean {
  if ((bytes[from] === COMMA) === first) return false;
  const skip = first ? 0 : 1;
  const place = { offset: offset + skip, length: end - from - skip };
  return pushLine(lines, bytes.subarray(from + skip, end), { ...place, restored: false });
}

type LinePlace = Pick<FoundEntry, 'offset' | 'length' | 'restored'>;

function pushLine(lines: EntryList, text: Buffer, place: LinePlace): boolean {
  const line = readArticleLine(text);
  if (line === undefined || !isId(line.id)) return false;
  const { id, blog, isTombstone, key, updatedAt, tag } = line;
  const { revision, crc } = tagValue(tag) ?? { revision: 0, crc: -1 };
  const keyed = key !== undefined;
  lines.push({ id, blog, isTombstone, keyed, revision, crc, verified: true, updatedAt, ...place });
  return true;
}

/**
 * A footer cut short tells that the list of articles was whole; one that is there to its end, and
 * damaged, tells nothing. Anything else behind the last line is taken for a torn batch only where something says that a batch began there or before.
 */
function isCrash(cut: number, rest: Buffer, { batchFrom, bytesAtOpen }: Evidence): boolean {
  if (batchFrom !== undefined) return cut >= batchFrom;
  if (bytesAtOpen !== undefined) return cut >= bytesAtOpen;
  return isFooterPiece(rest) && !rest.includes('}');
}

/** No crash moves a commit record: one that stands elsewhere than it says tells that lines are missing. */
function hasMovedRecord(rest: Buffer, cut: number): boolean {
  let at = rest.indexOf(FOOTER_START);
  for (; at >= 0; at = rest.indexOf(FOOTER_START, at + 1)) {
    const record = RECORD.exec(rest.toString('latin1', at, at + FOOTER_BYTES))?.[1];
    const found = record === undefined ? undefined : parseRecord(record);
    if (found?.holds === true && found.bytes !== cut + at) return true;
  }
  return false;
}

const RECORD = /^\],\n"end":(\{[^{}\n]*\})/;

function stateOfRecord(rest: Buffer): TornTail['record'] {
  const at = rest.lastIndexOf('"end":');
  if (at < 0) return 'none';
  return rest.includes('}', at) ? 'damaged' : 'cut short';
}

function hasNoLine(rest: Buffer): boolean {
  return rest.length === 0 || isFooterPiece(rest);
}

function isFooterPiece(rest: Buffer): boolean {
  const text = rest.toString('latin1', 0, FOOTER_BYTES);
  const piece = FOOTER_START.startsWith(text) || text.startsWith(FOOTER_START);
  return rest.length > 0 && rest.length <= FOOTER_BYTES && piece && !text.includes('\0');
}

/**
 * Behind a cut: lines whose checksums hold are kept, more than was promised; others are named. A
 * line break that is damaged makes one of two: inside a text no quote stands alone, so where the next
 * line begins and ends can be told.
 */
function keepWholeLines(
  lines: EntryList,
  rest: Buffer,
  cut: number,
): { salvaged: number; torn: readonly number[] } {
  const torn: number[] = [];
  const restore = createRestorer();
  let salvaged = 0;
  for (let start = 0; start < rest.length;) {
    const newline = rest.indexOf('\n', start);
    const end = newline < 0 ? rest.length : newline;
    const first = rest[start] !== COMMA;
    if (pushVerified(lines, { bytes: rest, from: start, end, offset: cut + start, first })) {
      salvaged += 1;
    } else {
      for (const piece of piecesOf(rest.subarray(start, end))) {
        const offset = cut + start + piece.at;
        if (pushPiece(lines, { ...piece, offset }, restore)) salvaged += 1;
        else torn.push(piece.id);
      }
    }
    start = end + 1;
  }
  return { salvaged, torn };
}

type Piece = { readonly at: number; readonly bytes: Buffer; readonly id: number };

const LINE_START = new RegExp(`\\${ID}([1-9]\\d{0,15})\\b`, 'g');
const LINE_END = new RegExp(`${ETAG}${TAG}"\\}`, 'g');

/** What begins like a line, up to where a line ends. */
function* piecesOf(broken: Buffer): Iterable<Piece> {
  const text = broken.toString('latin1');
  const ends = [...text.matchAll(LINE_END)].map((end) => end.index + end[0].length);
  let next = 0;
  for (const { index, 1: id } of text.matchAll(LINE_START)) {
    while ((ends[next] ?? Infinity) < index) next += 1;
    yield { at: index, bytes: broken.subarray(index, ends[next]), id: Number(id) };
  }
}

function pushPiece(
  lines: EntryList,
  { bytes, offset }: Piece & { readonly offset: number },
  restore: Restorer,
): boolean {
  const place = { offset, length: bytes.length };
  if (pushLine(lines, bytes, { ...place, restored: false })) return true;
  const whole = restore(bytes);
  return whole !== undefined && pushLine(lines, whole, { ...place, restored: true });
}

/** A stretch that is no article. */
export type UnreadableRange = Gap & {
  /** The article that it names where it begins as a line. */
  readonly id?: number;
};

export type Unread = {
  readonly lost: UnreadableRange;
  readonly claim: Claim | undefined;
  /** Whether it says that its article was deleted; `open`: it is cut off before it could, `cut`: perhaps within its id. */
  readonly deletion: 'said' | 'open' | 'cut' | 'none';
  /** As the line says; the first one where it says none. */
  readonly blog: number | undefined;
};

const LOOSE_START = /\{\s*"id":\s*([1-9]\d{0,15})\b/g;
const LOOSE_END = /"etag":\s*("\d{1,15}-[0-9a-f]{8}")\s*\}$/;

const AFTER_ID = /^\{\s*"id":\s*\d+(?:\s*,\s*"blog":\s*(\d+))?[\s,]*(.*)/s;

/** A line that cannot be read still says whose it is, and which version, where its ends are whole. */
export function unreadIn(file: OpenFile, { offset, bytes }: Gap): readonly Unread[] {
  const found = bytesOf(file, { offset, length: bytes }).toString('latin1');
  const text = found.replaceAll(FOOTER, (footer) => ' '.repeat(footer.length));
  const starts = new Set([...text.matchAll(LOOSE_START)].map(({ index }) => index));
  return [...new Set([0, ...starts])].flatMap((from, at, cuts): Unread[] => {
    const [piece, before] = withoutSeparators(text.slice(from, cuts[at + 1]));
    if (piece === '') return [];
    const place = { offset: offset + from + before, bytes: piece.length };
    const id = Number(new RegExp(LOOSE_START, '').exec(piece)?.[1] ?? 0);
    if (!starts.has(from) || !isId(id) || isOfBlog(piece))
      return [{ lost: place, claim: undefined, deletion: 'none', blog: undefined }];
    const tag = tagValue(JSON.parse(LOOSE_END.exec(piece)?.[1] ?? 'null'));
    const [, blog, rest = ''] = AFTER_ID.exec(piece) ?? [];
    const isTombstone = piece.includes('"deleted":');
    // Cut off before its name told which member it is.
    const isOpen = rest === '' || rest === '"';
    const isWhole = text[from + before + piece.length] === ',' || !/\d$/.test(piece);
    const open = isWhole ? 'open' : 'cut';
    const deletion = isOpen ? open : saysDeleted(rest) ? 'said' : 'none';
    const claim = tag && { ...tag, id, isTombstone };
    return [{ lost: { ...place, id }, claim, deletion, blog: blog ? Number(blog) : undefined }];
  });
}

/** An id that is named as one of what could not be read is not given to another article. */
export function withoutIdsOf(unread: readonly Unread[], parsed: ParsedStore): ParsedStore {
  const lastId = unread.reduce((last, { lost }) => Math.max(last, lost.id ?? 0), parsed.lastId);
  return { ...parsed, lastId };
}

/** And how many bytes of them stand before it. */
function withoutSeparators(text: string): readonly [string, number] {
  const before = /^[\s,]*/.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > before && ' \t\r\n,'.includes(text[end - 1] ?? '-')) end -= 1;
  return [text.slice(before, end), before];
}

function isOfBlog(piece: string): boolean {
  return piece.includes('"description":') && !piece.includes('"updated":');
}

/** Its first member, as far as that is there: anything further on may come from elsewhere. */
function saysDeleted(rest: string): boolean {
  return rest.startsWith(DELETED) || DELETED.startsWith(rest);
}

const DELETED = '"deleted":';
