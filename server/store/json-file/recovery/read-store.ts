import { storedLine } from '../any-layout/read-article.ts';
import { readAnyLayout } from '../any-layout/read-any-layout.ts';
import type { OpenFile } from '../../file-system/file-system.ts';
import { readArticleLine } from '../format/article-line.ts';
import { markOf } from '../format/checksum.ts';
import { type Count, LineSums } from '../format/footer.ts';
import { type Head, mergeRanges } from '../format/head.ts';
import { LAST_TIME } from '../format/line-bytes.ts';
import type { Crash } from '../lock-text.ts';
import { ArticleIndex, noteLines } from '../index/article-index.ts';
import { sharedDate } from '../../store.ts';
import {
  accountFor,
  countFindings,
  headFindings,
  layoutFinding,
  recordFinding,
  refusal,
  refuse,
  tailFinding,
} from './findings.ts';
import { KeyTable } from '../index/slots.ts';
import type { Document, Mending, ParsedStore, Recovery, TornTail } from './document.ts';
import type { EntryList, FoundEntry } from '../index/entry-list.ts';
import { inspect } from './load.ts';
import {
  bytesOf,
  highestId,
  judgeVersions,
  missingFindings,
  missingIds,
  type Finding,
  type Judgement,
} from './judge-versions.ts';
import { findTornTail } from './torn-tail.ts';

export type Reading = {
  readonly document: Document;
  readonly recovery: Recovery;
  /** Undefined where the file is as the store wrote it. */
  readonly parsed: ParsedStore | undefined;
};

export type ReadFile = {
  readonly file: OpenFile;
  readonly path: string;
  /** Left by a holder that died after it began to write; looked for where the file is not as written. */
  readonly crash?: () => Crash | undefined;
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
  const { file, path } = reading;
  const changedMs = changedMsOf(file);
  const finding = inspect(file, path, changedMs);
  if (finding.kind === 'trusted') {
    return { document: finding.document, recovery: UNTOUCHED, parsed: undefined };
  }
  const crash = reading.crash?.();
  const evidence = 'from' in finding ? { batchFrom: finding.from } : { ...crash };
  const tail = finding.kind === 'edited' ? undefined : findTornTail(file, { evidence, changedMs });
  const count = finding.kind === 'torn-batch' ? finding.count : undefined;
  const isWhole = finding.kind === 'whole';
  const torn = tail && readTorn(reading, { tail, isWhole, count, crash, changedMs });
  return torn ?? readForeign(reading, changedMs);
}

/** The one date that a change of a file from outside has. */
export function changedMsOf(file: OpenFile): number {
  return Math.min(LAST_TIME, Math.max(0, Math.floor(file.stat().modifiedMs)));
}

type Torn = {
  readonly tail: TornTail;
  /** Only the commit record is damaged. */
  readonly isWhole: boolean;
  /** What the commit record counts, with the batch that was torn. */
  readonly count: Count | undefined;
  readonly crash: Crash | undefined;
  readonly changedMs: number;
};

/** Undefined where no crash is known of that explains what is lost. */
function readTorn(
  { file, path }: ReadFile,
  { tail, isWhole, count, crash, changedMs }: Torn,
): Reading | undefined {
  const { lines: entries, start, cut, restBytes, onlyFooter, salvaged } = tail;
  const judging = { file, head: start.head, contradiction: refuse(file, path) };
  const judged = judgeVersions(entries, judging);
  const account = count && accountFor({ head: start.head, entries }, count);
  if (account?.unnamed !== undefined && crash === undefined) return undefined;
  const { undone = [] } = account ?? {};
  const kept = withDeletions(start.head, entries, undone);
  const head = withChanges(kept, { entries, judged, changedMs });
  const ofHead = headFindings(head);
  const asWritten = salvaged === 0 && judged.inOrder && ofHead.length === 0 && undone.length === 0;
  const dropped = onlyFooter ? [] : [{ offset: cut, length: restBytes }];
  const parsed = parsedOf(head, entries, count);
  const mending: Mending = asWritten
    ? { kind: 'cut', tail, lastId: parsed.lastId }
    : { kind: 'rewrite', parsed, dropped };
  const document = indexed({ file, parsed, mending, changedMs });
  if (document === undefined) return undefined;
  const unnamed = account?.unnamed === undefined ? [] : [{ offset: cut, what: account.unnamed }];
  const recovery: Recovery = {
    kind: onlyFooter ? 'no-footer' : 'torn-tail',
    edited: [],
    cutBytes: onlyFooter ? 0 : restBytes,
    salvaged,
    findings: [
      ...ofHead,
      ...judged.findings,
      isWhole ? recordFinding(tail) : tailFinding(tail, account),
      ...(account?.findings ?? missingFindings(missingIds(head, entries))),
      ...unnamed,
      ...undone.map((entry) => staysDeleted(entry)),
    ],
  };
  return { document, recovery, parsed };
}

function readForeign({ file, path }: ReadFile, changedMs: number): Reading {
  const found = readAnyLayout(file, path, changedMs);
  const { entries, record } = found;
  const judging = { file, head: found.head, contradiction: refuse(file, path) };
  const judged = judgeVersions(entries, judging);
  const { findings, unnamed } = countFindings(found);
  if (unnamed !== undefined) throw refusal(path, unnamed);
  const head = withChanges(found.head, { entries, judged, changedMs });
  const parsed = parsedOf(head, entries, record.count);
  const mending: Mending = { kind: 'rewrite', parsed, dropped: judged.leftOut };
  const document = indexed({ file, parsed, mending, changedMs });
  if (document === undefined) throw new RangeError(`${path} has an article of no blog`);
  const told = [...headFindings(head), ...judged.findings, ...findings];
  const isDoubtful = judged.edited.length + judged.leftOut.length > 0;
  const isEdited = isDoubtful || head.blogs.some(({ unverified }) => unverified);
  const recovery: Recovery = {
    kind: isEdited ? 'edited' : 'reformatted',
    edited: judged.edited,
    cutBytes: 0,
    salvaged: 0,
    findings: told.length === 0 ? [layoutFinding(file, found)] : told,
  };
  return { document, recovery, parsed };
}

type Deletion = { readonly id: number; readonly blog: number | undefined };

/** In doubt nothing is published again. */
export function withDeletions(
  head: Head,
  entries: EntryList,
  deletions: readonly Deletion[],
): Head {
  const ranges = new Map([...head.deleted].map(([blog, known]) => [blog, [...known]]));
  for (const { id, blog = head.blogs[0]?.id ?? 1 } of deletions) {
    entries.leaveOut(id);
    ranges.set(blog, ranges.get(blog) ?? []);
    ranges.get(blog)?.push([id, id]);
  }
  const deleted = [...ranges].map(
    ([blog, all]) => [blog, mergeRanges(all.sort((a, b) => a[0] - b[0]))] as const,
  );
  return { ...head, deleted: new Map(deleted) };
}

export function staysDeleted({ id }: FoundEntry): Finding {
  return { id, what: `article ${id} is kept deleted` };
}

type Known = {
  readonly entries: EntryList;
  readonly judged: Judgement;
  readonly changedMs: number;
};

function withChanges(head: Head, { entries, judged, changedMs }: Known): Head {
  const changedAt = judged.edited.length > 0 ? changedMs : 0;
  const blogs = head.blogs.map((blog, at) => {
    const lines = entries.dates.get(blog.id)?.latest ?? 0;
    const first = at === 0 ? (entries.dates.get(undefined)?.latest ?? 0) : 0;
    const last = Math.max(blog.changedAt, changedAt, lines, first);
    return { ...blog, changedAt: sharedDate(last) };
  });
  return { ...head, blogs };
}

export function parsedOf(head: Head, entries: EntryList, count: Count | undefined): ParsedStore {
  return { head, entries, lastId: Math.max(count?.lastId ?? 0, highestId(head, entries)) };
}

type Indexing = {
  readonly file: OpenFile;
  readonly parsed: ParsedStore;
  readonly mending: Mending;
  readonly changedMs: number;
};

/** Undefined where a line is of a blog that is not listed. */
function indexed({ file, parsed, mending, changedMs }: Indexing): Document | undefined {
  const { entries, lastId } = parsed;
  // What is only cut off is read again as it was written: with the dates of its lines.
  const head = mending.kind === 'cut' ? mending.tail.start.head : parsed.head;
  const index = new ArticleIndex(head, lastId);
  const keys = new KeyTable();
  const unverified = new Set<number>();
  const canonical = (line: Buffer, id: number) =>
    storedLine(line, { id, verified: !unverified.has(id) }, changedMs);
  const keyOf = (entry: FoundEntry) => {
    const line = canonical(bytesOf(file, entry), entry.id);
    return line && readArticleLine(line)?.key;
  };
  for (const entry of entries.newest()) {
    if (!entry.verified) unverified.add(entry.id);
    if (!index.apply({ ...entry, mark: markOf(entry.crc) })) return undefined;
    const key = entry.keyed ? keyOf(entry) : undefined;
    if (key !== undefined) keys.add(index.blogIdOf(entry.blog), { id: entry.id, key });
  }
  for (const [member, dates] of mending.kind === 'cut' ? entries.dates : []) {
    const blog = index.blogs.get(index.blogIdOf(member));
    if (blog !== undefined) noteLines(blog, dates);
  }
  const unconfirmed = { canonical, mending, changedMs };
  const sums = new LineSums();
  return { index, keys, end: 0, checksum: 0, sums, bodyStart: 0, unconfirmed };
}
