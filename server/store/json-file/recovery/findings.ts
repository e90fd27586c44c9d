import { lineNumbers, positionOf } from '../any-layout/byte-window.ts';
import type { AnyLayout } from '../any-layout/read-any-layout.ts';
import type { OpenFile } from '../../file-system/file-system.ts';
import type { TagValue } from '../format/checksum.ts';
import { LineSums, type Count } from '../format/footer.ts';
import { type Head, idsInWords, rangesInWords, rangesOf } from '../format/head.ts';
import { inShell, UnusableStore } from '../../unusable-store.ts';
import type { EntryList, FoundEntry } from '../index/entry-list.ts';
import {
  type Contradiction,
  type Finding,
  highestId,
  missingFindings,
  missingIds,
} from './judge-versions.ts';
import type { Recovery, TornTail } from './document.ts';

/** What stands before the articles. */
export function headFindings({ blogs, doubts = [] }: Head): readonly Finding[] {
  const unverified = blogs.filter((blog) => blog.unverified === true);
  return [
    ...unverified.map(({ id }) => ({
      what: `blog ${id} was changed by hand or damaged: its checksum fails`,
    })),
    ...doubts.map((what) => ({ what })),
  ];
}

/** The commit record counts lines and articles, and every id up to the highest was given to one. */
export function countFindings(
  { head, entries, record }: AnyLayout,
  unread: readonly Claim[] = [],
): Account {
  if (record.count !== undefined) return accountFor({ head, entries }, record.count, unread);
  if (record.articles === undefined || !record.holds) {
    const how = record.articles === undefined && record.holds ? 'missing' : 'damaged';
    const what = `the commit record is ${how}: ${missingInWords(head, entries)}`;
    return { findings: [{ what }], unnamed: undefined };
  }
  const live = entries.liveCount();
  const findings = missingFindings(missingIds(head, entries));
  if (live !== record.articles) {
    findings.push({
      what: `the commit record counts ${record.articles} articles, and ${live} are there`,
    });
  }
  return { findings, unnamed: undefined };
}

function missingInWords(head: Head, entries: EntryList): string {
  const highest = highestId(head, entries);
  const known = rangesInWords([[1, highest]]);
  const which = highest === 0 ? 'any article' : `article ${known} or of any above ${highest}`;
  return `nothing tells whether a line is missing of ${which}`;
}

/** No checksum covers what stands between the lines. */
export function layoutFinding(file: OpenFile, { record }: Pick<AnyLayout, 'record'>): Finding {
  if (record.count === undefined) {
    return { what: `${NOT_AS_WRITTEN}: its layout was changed, or which ids were deleted` };
  }
  const start = Buffer.alloc(LAYOUT_BYTES);
  const text = start.toString('latin1', 0, file.read(start, 0));
  const signs = [
    ...(text.startsWith('\xef\xbb\xbf') ? ['it begins with a byte order mark'] : []),
    ...(text.includes('\r\n') ? ['its lines end as on Windows (CRLF)'] : []),
  ];
  const how = signs.length === 0 ? '' : ` (${signs.join(', and ')})`;
  return { what: `${NOT_AS_WRITTEN}: only its layout was changed${how}`, isHarmless: true };
}

const LAYOUT_BYTES = 512;
const NOT_AS_WRITTEN = 'every checksum holds, but the file is not as the store wrote it';

/** The checksum of all that stands before it proves that nothing else is. */
export function recordFinding({ cut }: TornTail): Finding {
  return { offset: cut, what: 'the commit record is damaged; all before it is as it was written' };
}

/** A write that was cut short, and whose it was. */
export function tailFinding(tail: TornTail, account: Account | undefined): Finding {
  const { cut, restBytes, onlyFooter, record, torn, salvaged } = tail;
  const doubt = missingInWords(tail.start.head, tail.lines);
  if (onlyFooter) {
    const why = record === 'damaged' ? doubt : 'what was written last may be missing';
    const how = record === 'damaged' ? record : 'cut short';
    return { offset: cut, what: `the commit record is ${how}: ${why}` };
  }
  const ids = rangesOf(account?.id === undefined ? torn : [account.id]);
  const named = ids.length === 0 ? '' : ` (of article ${rangesInWords(ids)})`;
  const kept = salvaged === 0 ? '' : `; ${salvaged} whole lines in them are kept`;
  const how = record === 'none' ? 'missing' : 'not whole';
  const more = account === undefined ? `; the commit record is ${how}: ${doubt}` : '';
  const what = `${restBytes} bytes from here on are a write that was cut short${named} and are left out${kept}${more}`;
  return { offset: cut, ...(ids.length > 0 && { ids }), what };
}

/** Of two lines nothing says which counts. */
export function refuse(file: OpenFile, path: string): (found: Contradiction) => never {
  return ({ line, against = line, what }) => {
    const [first, second] = [line, against].sort((a, b) => a.offset - b.offset);
    const [one, two] = [
      positionOf(file, first?.offset ?? 0),
      positionOf(file, second?.offset ?? 0),
    ];
    const where = line === against ? '' : `, in line ${one.line} and here`;
    const message = `${path}:${two.line}:${two.column} ${what}${where}. Nothing was changed.`;
    throw new UnusableStore('damaged', message, {
      hint: 'Remove the line that is not meant.',
      place: { line: two.line, offset: second?.offset ?? 0 },
    });
  };
}

/** Something is lost, and nothing tells of which articles. */
export function refusal(path: string, what: string): UnusableStore {
  return new UnusableStore('damaged', `${path}: ${what}. Nothing was changed.`, {
    hint: `Bring a copy back, or write what is there into a new file: \`blogctl store repair --store ${inShell(path)}\`.`,
  });
}

const TOLD = 20;

/** What an opening found, in sentences; nothing where the file is as the store wrote it. */
export function describeRecovery(
  file: OpenFile,
  path: string,
  { findings }: Pick<Recovery, 'findings'>,
): readonly string[] {
  if (findings.length === 0) return [];
  const told = findings.slice(0, TOLD);
  const lines = lineNumbers(file, told);
  const places = lines.map((line) => (line === undefined ? path : `${path}, line ${line}`));
  const sentences = told.map((finding, at) => `${places[at]}: ${finding.what}.`);
  const more = findings.length - told.length;
  const store = `--store ${inShell(path)}`;
  if (more > 0)
    sentences.push(`${path}: ${more} more; \`blogctl store check ${store}\` lists them.`);
  const confirm = `\`blogctl store check --accept-edits ${store}\``;
  return [
    ...sentences,
    `${path} is shown so and was left as it is: the next change, or ${confirm}, makes it so.`,
  ];
}

type Account = {
  readonly findings: readonly Finding[];
  /** The article of the one line that makes the difference, where it is one. */
  readonly id?: number;
  /** What is lost, and nothing tells of which articles; undefined where all of it is named. */
  readonly unnamed: string | undefined;
  /** Articles that stand there again: their deletions are proven to be missing. */
  readonly undone?: readonly FoundEntry[];
};

type HeadAndEntries = { readonly head: Head; readonly entries: EntryList };

/**
 * Holds what was found against what the commit record counts. One line that is missing, or is another,
 * is known by its article; where an older text, or a deleted one, may stand in the place of a newer
 * one and nothing tells which, the file says less than it did.
 */
export function accountFor(
  { head, entries }: HeadAndEntries,
  count: Count,
  unread: readonly Claim[] = [],
): Account {
  const { lastId } = count;
  const { sums, live, added, untagged, leftOut } = tallied(entries, lastId);
  // Above the last there is none that was ever given.
  const missing = missingIds(head, entries, lastId).flatMap(([first, last]) =>
    first > lastId ? [] : [[first, Math.min(last, lastId)] as const],
  );
  const findings: Finding[] = added.map((id) => ({ id, what: `article ${id} was added by hand` }));
  const isMissing = (id: number) => missing.some(([first, last]) => first <= id && id <= last);
  for (const each of missingFindings(missing)) findings.push(each);
  const lost = count.sums.minus(sums);
  if (live !== count.articles) findings.push({ what: counts('articles', count.articles, live) });
  else if (lost.lines !== 0) findings.push({ what: counts('lines', count.sums.lines, sums.lines) });
  if (lost.isNothing) return { findings, unnamed: undefined };
  const id = lost.id;
  const isOne = Math.abs(lost.lines) <= 1 && id >= 1 && id <= lastId;
  const claims = [...leftOut, ...unread];
  // These lines and no others are missing, as all three sums say.
  const isTold = claims.length > 0 && lost.minus(LineSums.over(claims)).isNothing;
  const told = isTold ? unread.map((line) => line.id) : isOne ? [id] : [];
  const how = isTold ? 1 : lost.lines;
  const isLeftOut = (one: number) =>
    (how === 1 && leftOut.some((line) => line.id === one)) || entries.isLeftOut(one);
  const unsaid = told.filter((one) => !isMissing(one) && !isLeftOut(one));
  for (const one of unsaid) findings.push({ id: one, what: `${ONE_LINE[how + 1]} ${one}` });
  const explained = missing.reduce((sum, [first, last]) => sum + last - first + 1, untagged);
  // Where the list of deleted ids is in doubt, what is missing may be what it had, and no line that is lost.
  const isExplained = head.deletedHolds === true && lost.lines > 0 && lost.lines === explained;
  const isNamed = isTold || isOne || isExplained;
  const comesBack = lost.lines > 0 && live > count.articles;
  const one = isOne ? { id } : {};
  if (isNamed && !comesBack) return { findings, unnamed: undefined, ...one };
  const deletions = isTold ? claims.flatMap((it) => (it.isTombstone ? [it.id] : [])) : told;
  const whose = deletions.length === 0 ? '' : `, of article ${idsInWords(deletions)}`;
  const what = comesBack
    ? `a deletion is missing${whose}: what was deleted stands there again`
    : 'lines are missing, or are others than were written';
  const shown = [...entries.newest()];
  const known = idsInWords(shown.map((entry) => entry.id));
  const deleted = new Set(comesBack ? deletions : []);
  const undone = shown.filter((entry) => deleted.has(entry.id));
  const doubt = `, and nothing tells whose: older may be shown of any article ${known}`;
  return { findings, unnamed: `${what}${isNamed ? '' : doubt}`, undone, ...one };
}

/** What a line that does not count says of itself: the account can prove it. */
export type Claim = TagValue & { readonly id: number; readonly isTombstone: boolean };

/** By how many lines fewer there are: minus one, none, one. */
const ONE_LINE = [
  'a line too many is there of article',
  'the line that was written is not there of article',
  'a line is missing, and an older one may be shown, of article',
];

function counts(what: string, counted: number, found: number): string {
  return `the commit record counts ${counted} ${what}, and ${found} are there`;
}

/**
 * Each line once; one that was added by hand was never counted. Where another line of an article holds,
 * one whose checksum fails may be any article's: its beginning can come from elsewhere.
 */
function tallied(entries: EntryList, lastId: number) {
  const sums = new LineSums();
  const added: number[] = [];
  const leftOut: Claim[] = [];
  let [live, untagged] = [0, 0];
  for (const { newest, others } of entries.versions()) {
    const { id, isTombstone, verified } = newest;
    const isAdded = id > lastId;
    if (isAdded && verified) added.push(id);
    if (!isAdded && !isTombstone && !entries.isLeftOut(id)) live += 1;
    const crcs = new Set<number>();
    for (const line of isAdded ? [] : [newest, ...others]) {
      const { crc, revision } = line;
      if (crc < 0) untagged += verified ? 0 : 1;
      else if (verified && !line.verified && !crcs.has(crc)) leftOut.push(line);
      else if (!crcs.has(crc)) sums.add(id, { crc, revision });
      crcs.add(crc);
    }
  }
  return { sums, live, added, untagged, leftOut };
}
