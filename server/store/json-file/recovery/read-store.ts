import { canonicalLine, withId } from '../any-layout/canonical-line.ts';
import { positionOf } from '../any-layout/position.ts';
import { readAnyLayout, type Readout } from '../any-layout/read-any-layout.ts';
import type { OpenFile } from '../files/file-system.ts';
import { readArticleLine } from '../format/article-line.ts';
import type { Head } from '../format/head.ts';
import { LAST_TIME } from '../format/time-text.ts';
import { ArticleIndex } from '../index/article-index.ts';
import { KeyTable } from '../keys/key-table.ts';
import { sharedDate } from '../../store.ts';
import { UnusableStore } from '../unusable-store.ts';
import type { Document } from './document.ts';
import type { EntryList, FoundEntry } from './entry-list.ts';
import { inspect } from './inspect.ts';
import {
  bytesOf,
  judgeVersions,
  missingIds,
  rangesInWords,
  type Contradiction,
  type Finding,
  type Judgement,
} from './judge-versions.ts';
import { findTornTail, type TornTail } from './torn-tail.ts';

/** What a file is found to be. */
export type Recovery = {
  readonly kind:
    | 'trusted'
    /** Every line is there, the commit record is not. */
    | 'no-footer'
    /** A crash left half a batch: what was never acknowledged is left out. */
    | 'torn-tail'
    /** Articles or blogs were changed by hand, or damaged. */
    | 'edited'
    /** Every checksum holds, and yet the file is not as the store wrote it. */
    | 'reformatted';
  /** Articles whose text no checksum vouches for: they are shown as new versions. */
  readonly edited: readonly number[];
  readonly cutBytes: number;
  /** Whole lines found behind the cut and kept. */
  readonly salvaged: number;
  /** All of this for people. */
  readonly findings: readonly Finding[];
};

/** How the file becomes what it was read as. */
export type Mending =
  /** What stands from here on goes, and a new commit record comes. */
  | { readonly kind: 'cut'; readonly tail: TornTail }
  | {
      readonly kind: 'rewrite';
      readonly readout: Pick<Readout, 'head' | 'entries'>;
      /** Bytes that no new file has. */
      readonly dropped: readonly { readonly offset: number; readonly length: number }[];
    };

export type Reading = {
  readonly document: Document;
  readonly recovery: Recovery;
};

export type ReadFile = {
  readonly file: OpenFile;
  readonly path: string;
  /** Left by a holder that died after it began to write. */
  readonly crash: { readonly bytesAtOpen: number } | undefined;
};

/** The file is as the store wrote it. */
export const UNTOUCHED: Recovery = {
  kind: 'trusted',
  edited: [],
  cutBytes: 0,
  salvaged: 0,
  findings: [],
};

/**
 * Reads a store file and writes nothing: as the store wrote it, as a crash left it, or as anything
 * else wrote it. What cannot be decided is refused (UnusableStore).
 */
export function readStore(reading: ReadFile): Reading {
  const { file, path, crash } = reading;
  const changedMs = changedMsOf(file);
  const finding = inspect(file, path, changedMs);
  if (finding.kind === 'trusted') {
    return { document: finding.document, recovery: UNTOUCHED };
  }
  const evidence = finding.kind === 'torn-batch' ? { batchFrom: finding.from } : { ...crash };
  const tail = finding.kind === 'edited' ? undefined : findTornTail(file, { evidence, changedMs });
  const torn = tail === undefined ? undefined : readTorn(reading, tail, changedMs);
  return torn ?? readForeign(reading, changedMs);
}

/** The one date that a change of a file from outside has. */
export function changedMsOf(file: OpenFile): number {
  return Math.min(LAST_TIME, Math.max(0, Math.floor(file.stat().modifiedMs)));
}

function readTorn(
  { file, path }: ReadFile,
  tail: TornTail,
  changedMs: number,
): Reading | undefined {
  const { lines: entries, start, cut, restBytes, onlyFooter, salvaged } = tail;
  const judged = judgeVersions(entries, { file, contradiction: refuse(file, path) });
  const head = withChanges(start.head, { entries, judged, changedMs });
  const asWritten = salvaged === 0 && judged.inOrder;
  const dropped = onlyFooter ? [] : [{ offset: cut, length: restBytes }];
  const mending: Mending = asWritten
    ? { kind: 'cut', tail }
    : { kind: 'rewrite', readout: { head, entries }, dropped };
  const document = indexed({ file, head, entries, mending, changedMs });
  if (document === undefined) return undefined;
  const recovery: Recovery = {
    kind: onlyFooter ? 'no-footer' : 'torn-tail',
    edited: [],
    cutBytes: onlyFooter ? 0 : restBytes,
    salvaged,
    findings: [...judged.findings, tailFinding(tail)],
  };
  return { document, recovery };
}

function tailFinding({ cut, restBytes, onlyFooter, torn, salvaged }: TornTail): Finding {
  if (onlyFooter) {
    const what = 'the commit record is cut short: what was written last may be missing';
    return { offset: cut, what };
  }
  const ids = [...new Set(torn)];
  const named = ids.length === 0 ? '' : ` (of article ${rangesInWords(ids.map((id) => [id, id]))})`;
  const kept = salvaged === 0 ? '' : `; ${salvaged} whole lines in them are kept`;
  const what = `${restBytes} bytes from here on are a write that was cut short${named} and are left out${kept}`;
  return { offset: cut, what };
}

function readForeign({ file, path }: ReadFile, changedMs: number): Reading {
  const readout = readAnyLayout(file, path, changedMs);
  const { entries } = readout;
  const judged = judgeVersions(entries, { file, contradiction: refuse(file, path) });
  const head = withChanges(readout.head, { entries, judged, changedMs });
  const mending: Mending = {
    kind: 'rewrite',
    readout: { head, entries },
    dropped: judged.leftOut,
  };
  const document = indexed({ file, head, entries, mending, changedMs });
  if (document === undefined) throw new RangeError(`${path} has an article of no blog`);
  const told = [...blogFindings(head), ...judged.findings, ...countFindings(readout)];
  const isDoubtful = judged.edited.length + judged.leftOut.length > 0;
  const isEdited = isDoubtful || head.blogs.some(({ unverified }) => unverified);
  const recovery: Recovery = {
    kind: isEdited ? 'edited' : 'reformatted',
    edited: judged.edited,
    cutBytes: 0,
    salvaged: 0,
    findings: told.length === 0 ? [CHANGED_BETWEEN] : told,
  };
  return { document, recovery };
}

/** No checksum of a line covers what stands between the lines. */
export const CHANGED_BETWEEN: Finding = {
  what: 'every checksum holds, but the file is not as the store wrote it: its layout was changed, or which ids were deleted',
};

function refuse(file: OpenFile, path: string): (found: Contradiction) => never {
  return ({ line, against, what }) => {
    const [first, second] = [line, against].sort((a, b) => a.offset - b.offset);
    const [one, two] = [
      positionOf(file, first?.offset ?? 0),
      positionOf(file, second?.offset ?? 0),
    ];
    const message = `${path}:${two.line}:${two.column} ${what}, in line ${one.line} and here. Nothing was changed.`;
    throw new UnusableStore('damaged', message, {
      hint: 'Remove the line that is not meant.',
      place: { line: two.line, offset: second?.offset ?? 0 },
    });
  };
}

export function* blogFindings({ blogs }: Head): Iterable<Finding> {
  for (const { id, unverified } of blogs) {
    if (unverified === true) {
      yield { what: `blog ${id} was changed by hand or damaged: its checksum fails` };
    }
  }
}

/** The commit record counts the articles, and every id up to the highest was given to one. */
export function* countFindings({ head, entries, counted }: Readout): Iterable<Finding> {
  if (counted === undefined) {
    yield { what: 'the commit record is missing: nothing tells how many articles there were' };
    return;
  }
  const live = entries.liveCount();
  if (live !== counted) {
    yield { what: `the commit record counts ${counted} articles, and ${live} are there` };
  }
  const missing = missingIds(head, entries);
  if (missing.length > 0) {
    yield { what: `neither an article nor a deletion is there for id ${rangesInWords(missing)}` };
  }
}

type Known = {
  readonly entries: EntryList;
  readonly judged: Judgement;
  readonly changedMs: number;
};

function withChanges(head: Head, { entries, judged, changedMs }: Known): Head {
  const changedAt = judged.edited.length > 0 ? changedMs : 0;
  const blogs = head.blogs.map((blog, at) => {
    const lines = entries.changedAt.get(blog.id) ?? 0;
    const first = at === 0 ? (entries.changedAt.get(undefined) ?? 0) : 0;
    const last = Math.max(blog.changedAt, changedAt, lines, first);
    return { ...blog, changedAt: sharedDate(last) };
  });
  return { ...head, blogs };
}

type Indexing = {
  readonly file: OpenFile;
  readonly head: Head;
  readonly entries: EntryList;
  readonly mending: Mending;
  readonly changedMs: number;
};

/** Undefined where a line is of a blog that is not listed. */
function indexed({ file, head, entries, mending, changedMs }: Indexing): Document | undefined {
  const index = new ArticleIndex(head);
  const keys = new KeyTable();
  const canonical = (line: Buffer, id: number) => {
    JSON.parse(line.toString('utf8')); // It was JSON when it was found.
    return canonicalLine(withId(line, id), changedMs).text;
  };
  const keyOf = (entry: FoundEntry) =>
    readArticleLine(canonical(bytesOf(file, entry), entry.id))?.key;
  for (const entry of entries.newest()) {
    if (!index.apply(entry)) return undefined;
    const key = entry.keyed ? keyOf(entry) : undefined;
    if (key !== undefined) keys.add(index.blogIdOf(entry.blog), { id: entry.id, key });
  }
  const unconfirmed = { canonical, mending, changedMs };
  return { index, keys, end: 0, checksum: 0, bodyStart: 0, unconfirmed };
}
