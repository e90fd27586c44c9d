import type { OpenFile } from '../files/file-system.ts';
import { lineStart, noLineStart } from '../format/line-start.ts';
import { checksum } from '../format/checksum.ts';
import { mergeRanges, type Head, type Range } from '../format/head.ts';
import { similarIds } from '../format/similar-ids.ts';
import type { EntryList, FoundEntry } from './entry-list.ts';

/** Something a person should know of a file; `offset` is where, in bytes. */
export type Finding = { readonly offset?: number; readonly id?: number; readonly what: string };

export type Judgement = {
  readonly findings: readonly Finding[];
  /** Articles whose text no checksum vouches for. */
  readonly edited: readonly number[];
  /** Lines that no checksum vouches for and that one with a checksum stands against. */
  readonly leftOut: readonly FoundEntry[];
  /** Of each id the last line is the newest, and ids first come up in order: as the store writes. */
  readonly inOrder: boolean;
};

export type Contradiction = {
  readonly line: FoundEntry;
  readonly against: FoundEntry;
  readonly what: string;
};

type Judging = {
  readonly file: OpenFile;
  /** Told of two lines of which nothing says which one counts. */
  readonly contradiction: (found: Contradiction) => void;
};

/** A file full of things to say is not held in memory: so many are kept, and the rest counted. */
const MOST_FINDINGS = 1000;

/** Which line of each article counts, and what has to be said of the others. */
export function judgeVersions(entries: EntryList, { file, contradiction }: Judging): Judgement {
  const findings: Finding[] = [...proveIds(file, entries)];
  const edited: number[] = [];
  const leftOut: FoundEntry[] = [];
  let inOrder = true;
  let firstOfLast = -1;
  for (const { newest, others } of entries.versions()) {
    const first = others.reduce((least, { offset }) => Math.min(least, offset), newest.offset);
    if (first < firstOfLast) inOrder = false;
    firstOfLast = first;
    if (!newest.verified) {
      edited.push(newest.id);
      findings.push(changedFinding(newest));
    }
    for (const other of others) {
      if (other.offset > newest.offset) inOrder = false;
      const what = contradicts(file, newest, other);
      if (what !== undefined) contradiction({ line: newest, against: other, what });
      if (other.verified || hasSameBytes(file, newest, other)) continue;
      leftOut.push(other);
      findings.push(leftOutFinding(other));
    }
  }
  return { findings: bounded(findings), edited, leftOut, inOrder };
}

function changedFinding({ id, dead, offset, revision }: FoundEntry): Finding {
  const what = dead ? 'the deletion of article' : 'article';
  return revision === 0
    ? { offset, id, what: `${what} ${id} has no checksum: it was written by hand` }
    : { offset, id, what: `${what} ${id} was changed by hand or damaged: its checksum fails` };
}

function leftOutFinding({ id, offset }: FoundEntry): Finding {
  const what = `a line of article ${id} whose checksum fails is left out: another line of it holds`;
  return { offset, id, what };
}

function bounded(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const more = { what: `${findings.length - MOST_FINDINGS} more articles like these` };
  return [...findings.slice(0, MOST_FINDINGS), more];
}

/** Undefined where it is clear which of the two lines counts. */
function contradicts(file: OpenFile, newest: FoundEntry, other: FoundEntry): string | undefined {
  // In doubt nothing is published: a damaged deletion does not bring its article back.
  if (newest.verified && !other.verified && other.dead && !newest.dead) {
    return `Article ${newest.id} stands there, and a deletion of it whose checksum fails`;
  }
  if (newest.verified !== other.verified || newest.revision !== other.revision) return undefined;
  return hasSameBytes(file, newest, other)
    ? undefined
    : `Article ${newest.id} stands there twice, with another text`;
}

function hasSameBytes(file: OpenFile, a: FoundEntry, b: FoundEntry): boolean {
  return a.length === b.length && bytesOf(file, a).equals(bytesOf(file, b));
}

export function bytesOf(
  file: OpenFile,
  { offset, length }: Pick<FoundEntry, 'offset' | 'length'>,
): Buffer {
  const bytes = Buffer.alloc(length);
  file.read(bytes, offset);
  return bytes;
}

/** Each costs some dozen checksums; a person changes more lines than damage does. */
const MOST_PROVEN = 100;

/**
 * A damaged digit makes a line one of another article. Where the checksum proves the number it had,
 * and that article has other lines, it is that article's line.
 */
function* proveIds(file: OpenFile, entries: EntryList): Iterable<Finding> {
  const proven: { readonly entry: FoundEntry; readonly id: number }[] = [];
  let tried = 0;
  for (const entry of entries.unverified()) {
    if ((tried += 1) > MOST_PROVEN) break;
    const id = provenId(bytesOf(file, entry), entry.id);
    if (id !== undefined && entries.hasVerified(id)) proven.push({ entry, id });
  }
  for (const { entry, id } of proven) {
    entries.prove(entry.offset, id);
    const what = `a line says article ${entry.id}, and its checksum is that of article ${id}: it is read as ${id}`;
    yield { offset: entry.offset, id, what };
  }
}

const ETAG = ',"etag":"';
const TAG_END = /-([0-9a-f]{8})"\}$/;

function provenId(line: Buffer, id: number): number | undefined {
  const cut = line.lastIndexOf(ETAG);
  const tag = TAG_END.exec(line.toString('latin1', Math.max(0, line.length - 12)))?.[1];
  if (cut < 0 || tag === undefined || lineStart(line, 0, noLineStart()).id !== id) return undefined;
  const rest = line.subarray(`{"id":${id}`.length, cut);
  const wanted = Number.parseInt(tag, 16);
  return similarIds(id).find((other) => checksum(rest, checksum(`{"id":${other}`)) === wanted);
}

/** The ids up to the highest that neither an article nor a deletion has, in ranges. */
export function missingIds({ deleted }: Head, entries: EntryList): Range[] {
  const taken = [...deleted.values()].flat();
  for (const { id } of entries.newest()) {
    const last = taken.at(-1);
    if (last !== undefined && last[1] === id - 1) taken[taken.length - 1] = [last[0], id];
    else taken.push([id, id]);
  }
  const missing: Range[] = [];
  let next = 1;
  for (const [first, last] of mergeRanges(taken.sort((a, b) => a[0] - b[0]))) {
    if (first > next) missing.push([next, first - 1]);
    next = last + 1;
  }
  return missing;
}

const LISTED = 20;

/** Ranges of ids as people write them: `3, 7-9`. */
export function rangesInWords(ranges: readonly Range[]): string {
  const words = ranges.slice(0, LISTED).map(([a, b]) => (a === b ? String(a) : `${a}-${b}`));
  return words.join(', ') + (ranges.length > LISTED ? ' …' : '');
}
