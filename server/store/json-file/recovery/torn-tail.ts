import type { OpenFile } from '../files/file-system.ts';
import { readArticleLine } from '../format/article-line.ts';
import { checksum } from '../format/checksum.ts';
import { FOOTER_BYTES, FOOTER_START } from '../format/footer.ts';
import { endBeforeSpaces } from '../format/trailing-space.ts';
import type { EntryList } from './entry-list.ts';
import { readHead, type HeadBytes } from './read-head.ts';
import { scanLines } from './scan-lines.ts';

/** What a crash left of a file in the store's own layout. */
export type TornTail = {
  readonly start: HeadBytes;
  /** The sealed lines from the beginning, and where the first other thing stands. */
  readonly lines: EntryList;
  readonly cut: number;
  readonly checksum: number;
  /** From `cut` to the end of the file, spaces there left out. */
  readonly rest: Buffer;
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
  { evidence, lines, now }: { evidence: Evidence; lines: EntryList; now: number },
): TornTail | undefined {
  const size = endBeforeSpaces(file);
  const start = readHead(file, size, now);
  if (start === undefined) return undefined;
  const found = sealedLines(file, { start, size, lines });
  if (size - found.cut > LARGEST_BATCH) return undefined;
  const rest = Buffer.alloc(size - found.cut);
  file.read(rest, found.cut);
  const tail = { start, lines, rest, ...found };
  return isCrash(tail, evidence) ? tail : undefined;
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
  const { id, blog, dead, key, revision } = line;
  lines.push({
    id,
    blog,
    dead,
    keyed: key !== undefined,
    revision,
    offset: offset + skip,
    length: end - from - skip,
  });
  return true;
}

/**
 * A footer cut short tells that the list of articles was whole. Anything else behind the last
 * line is taken for a torn batch only where something says that a batch began there or before.
 */
function isCrash({ cut, rest }: TornTail, { batchFrom, bytesAtOpen }: Evidence): boolean {
  if (batchFrom !== undefined) return cut >= batchFrom;
  if (bytesAtOpen !== undefined) return cut >= bytesAtOpen;
  return isFooterPiece(rest);
}

export function isFooterPiece(rest: Buffer): boolean {
  const text = rest.toString('latin1', 0, FOOTER_BYTES);
  const piece = FOOTER_START.startsWith(text) || text.startsWith(FOOTER_START);
  return rest.length > 0 && rest.length <= FOOTER_BYTES && piece && !text.includes('\0');
}

/** The lines in a torn rest whose seals hold: more than was promised, but somebody's words. */
export function salvage({ lines, rest, cut }: TornTail): number {
  let kept = 0;
  let start = 0;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', start)) {
    const found = {
      bytes: rest,
      from: start,
      end,
      offset: cut + start,
      first: rest[start] !== COMMA,
    };
    if (pushSealed(lines, found)) kept += 1;
    start = end + 1;
  }
  return kept;
}
