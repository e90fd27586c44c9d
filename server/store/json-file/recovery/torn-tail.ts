import type { OpenFile } from '../files/file-system.ts';
import { readArticleLine } from '../format/article-line.ts';
import { checksum } from '../format/checksum.ts';
import { FOOTER_BYTES, FOOTER_START } from '../format/footer.ts';
import { endBeforeSpaces } from '../format/trailing-space.ts';
import { EntryList } from './entry-list.ts';
import { readHead, type HeadBytes } from './read-head.ts';
import { scanLines } from './scan-lines.ts';

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
  /** Whole lines behind the cut that were kept. */
  readonly salvaged: number;
  /** Ids of lines behind the cut that are not whole. */
  readonly torn: readonly number[];
};

/** What is known of the crash that may have torn the file. */
export type Evidence = {
  /** The footer's word for where the last batch began, the part before it found whole. */
  readonly batchFrom?: number;
  /** Where the footer stood when a process that died began to write. */
  readonly bytesAtOpen?: number;
};

/** A crash tears one batch: at most this much, an article of any size that a service takes included. */
const LARGEST_BATCH = 64 * 1024 * 1024;
const COMMA = 0x2c;

/** Undefined where the file is not one that a crash can have left. */
export function findTornTail(
  file: OpenFile,
  { evidence, changedMs }: { readonly evidence: Evidence; readonly changedMs: number },
): TornTail | undefined {
  const size = endBeforeSpaces(file);
  const start = readHead(file, size, changedMs);
  if (start === undefined) return undefined;
  const lines = new EntryList();
  const found = sealedLines(file, { start, size, lines });
  if (size - found.cut > LARGEST_BATCH) return undefined;
  const rest = Buffer.alloc(size - found.cut);
  file.read(rest, found.cut);
  if (!isCrash(found.cut, rest, evidence)) return undefined;
  const kept = salvage(lines, rest, found.cut);
  return { start, lines, ...found, ...kept, restBytes: rest.length, onlyFooter: hasNoLine(rest) };
}

function sealedLines(
  file: OpenFile,
  { start, size, lines }: { start: HeadBytes; size: number; lines: EntryList },
): { cut: number; checksum: number } {
  const bodyStart = start.bytes.length;
  let cut = bodyStart;
  let sum = checksum(start.bytes);
  let whole = true;
  scanLines(file, { from: bodyStart, to: size }, (bytes, from, end, offset) => {
    whole = whole && pushSealed(lines, { bytes, from, end, offset, first: offset === bodyStart });
    if (!whole) return;
    sum = checksum(bytes.subarray(from, end + 1), sum);
    cut = offset + end + 1 - from;
  });
  return { cut, checksum: sum };
}

type Found = { bytes: Buffer; from: number; end: number; offset: number; first: boolean };

function pushSealed(lines: EntryList, { bytes, from, end, offset, first }: Found): boolean {
  if ((bytes[from] === COMMA) === first) return false;
  const skip = first ? 0 : 1;
  const line = readArticleLine(bytes.subarray(from + skip, end));
  if (line === undefined || !(line.id >= 1)) return false;
  const { id, blog, dead, key, revision, updatedAt } = line;
  lines.push({
    id,
    blog,
    dead,
    keyed: key !== undefined,
    revision,
    verified: true,
    updatedAt,
    offset: offset + skip,
    length: end - from - skip,
  });
  return true;
}

/**
 * A footer cut short tells that the list of articles was whole. Anything else behind the last
 * line is taken for a torn batch only where something says that a batch began there or before.
 */
function isCrash(cut: number, rest: Buffer, { batchFrom, bytesAtOpen }: Evidence): boolean {
  if (batchFrom !== undefined) return cut >= batchFrom;
  if (bytesAtOpen !== undefined) return cut >= bytesAtOpen;
  return isFooterPiece(rest);
}

function hasNoLine(rest: Buffer): boolean {
  return rest.length === 0 || isFooterPiece(rest);
}

function isFooterPiece(rest: Buffer): boolean {
  const text = rest.toString('latin1', 0, FOOTER_BYTES);
  const piece = FOOTER_START.startsWith(text) || text.startsWith(FOOTER_START);
  return rest.length > 0 && rest.length <= FOOTER_BYTES && piece && !text.includes('\0');
}

const LINE_START = /^,?\{"id":([1-9]\d{0,15})\b/;

/** Behind a cut: lines whose checksums hold are kept, more than was promised; others are named. */
function salvage(
  lines: EntryList,
  rest: Buffer,
  cut: number,
): { salvaged: number; torn: readonly number[] } {
  const torn: number[] = [];
  let salvaged = 0;
  for (let start = 0; start < rest.length;) {
    const newline = rest.indexOf('\n', start);
    const end = newline < 0 ? rest.length : newline;
    const first = rest[start] !== COMMA;
    const found = { bytes: rest, from: start, end, offset: cut + start, first };
    if (pushSealed(lines, found)) salvaged += 1;
    else {
      const id = LINE_START.exec(rest.toString('latin1', start, Math.min(end, start + 40)))?.[1];
      if (id !== undefined) torn.push(Number(id));
    }
    start = end + 1;
  }
  return { salvaged, torn };
}
