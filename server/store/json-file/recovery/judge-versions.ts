import type { OpenFile } from '../../file-system/file-system.ts';
import { lineStart, noLineStart } from '../format/line-bytes.ts';
import { mergeRanges, rangesInWords, IdRanges, type Head, type Range } from '../format/head.ts';
import type { EntryList, FoundEntry } from '../index/entry-list.ts';

/** Something a person should know of a file; `offset` is where, in bytes. */
export type Finding = {
  readonly offset?: number;
  readonly id?: number;
  /** All that `what` names, where it may name too many for people. */
  readonly ids?: readonly Range[];
  readonly what: string;
  /** Everything is there, as it was. */
  readonly isHarmless?: boolean;
};

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
  /** Absent where the list of deleted ids is what stands against it. */
  readonly against?: FoundEntry;
  readonly what: string;
};

type Judging = {
  readonly file: OpenFile;
  readonly head: Head;
  /** Told of two lines of which nothing says which one counts. */
  readonly contradiction: (found: Contradiction) => void;
};

/** A file full of things to say is not held in memory: so many are kept, and the rest counted. */
const MOST_FINDINGS = 1000;

/** Which line of each article counts, and what has to be said of the others. */
export function judgeVersions(entries: EntryList, judging: Judging): Judgement {
  const { file, head, contradiction } = judging;
  const deleted = new IdRanges(allDeleted(head));
  const findings: Finding[] = [];
  const edited: number[] = [];
  const leftOut: FoundEntry[] = [];
  let inOrder = true;
  let firstOfLast = -1;
  for (const { newest, others } of entries.versions()) {
    const first = others.reduce((least, { offset }) => Math.min(least, offset), newest.offset);
    if (first < firstOfLast) inOrder = false;
    firstOfLast = first;
    findings.push(...[newest, ...others].flatMap((line) => restoredFinding(file, line)));
    if (!newest.isTombstone && deleted.has(newest.id)) {
      const isDeleted = head.deletedHolds === true;
      const what = `Article ${newest.id} stands there, and the list of deleted ids has it`;
      if (isDeleted && newest.verified) contradiction({ line: newest, what });
      else if (isDeleted) {
        entries.leaveOut(newest.id);
        leftOut.push(newest, ...others.filter(({ verified }) => !verified));
        findings.push(leftOutFinding(newest, 'it was deleted'));
        continue;
      } else findings.push({ offset: newest.offset, id: newest.id, what });
    }
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
      findings.push(leftOutFinding(other, 'another line of it holds'));
    }
  }
  return { findings: bounded(findings), edited, leftOut, inOrder };
}

/** Which line it was is proven by what the line says of itself. */
function restoredFinding(file: OpenFile, { id, offset, length, restored }: FoundEntry): Finding[] {
  if (!restored) return [];
  const start = bytesOf(file, { offset, length: Math.min(length, LINE_START_BYTES) });
  const said = lineStart(start, 0, noLineStart()).id;
  const what =
    said === id
      ? `the name of the checksum of article ${id} is damaged, and its text holds`
      : `a line says article ${said}, and its checksum is that of article ${id}: it is read as ${id}`;
  return [{ offset, id, what }];
}

/** Of the id. */
const LINE_START_BYTES = 32;

function changedFinding({ id, isTombstone, offset, crc }: FoundEntry): Finding {
  const what = isTombstone ? 'the deletion of article' : 'article';
  return crc < 0
    ? { offset, id, what: `${what} ${id} has no checksum: it was written by hand or damaged` }
    : { offset, id, what: `${what} ${id} was changed by hand or damaged: its checksum fails` };
}

function leftOutFinding({ id, offset }: FoundEntry, why: string): Finding {
  const what = `a line of article ${id} whose checksum fails is left out: ${why}`;
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
  if (newest.verified && !other.verified && other.isTombstone && !newest.isTombstone) {
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

function allDeleted({ deleted }: Head): Range[] {
  return mergeRanges([...deleted.values()].flat().sort((a, b) => a[0] - b[0]));
}

/** Of the ids that nothing is there for. */
export function missingFindings(missing: readonly Range[]): Finding[] {
  if (missing.length === 0) return [];
  const what = `neither an article nor a deletion is there for id ${rangesInWords(missing)}`;
  return [{ ids: missing, what }];
}

/** The highest id of an article or a deletion; 0 where there is none. */
export function highestId({ deleted }: Head, entries: EntryList): number {
  let highest = 0;
  for (const { id } of entries.newest()) highest = Math.max(highest, id);
  for (const ranges of deleted.values()) highest = Math.max(highest, ranges.at(-1)?.[1] ?? 0);
  return highest;
}

/** The ids up to the highest that neither an article nor a deletion has, in ranges. */
export function missingIds(head: Head, entries: EntryList, lastId = 0): Range[] {
  const taken = allDeleted(head);
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
  if (next <= lastId) missing.push([next, lastId]);
  return missing;
}
