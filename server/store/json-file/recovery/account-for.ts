import type { Count } from '../format/footer.ts';
import { mergeRanges, rangesInWords, type Head } from '../format/head.ts';
import { LineSums } from '../format/line-sums.ts';
import type { EntryList } from './entry-list.ts';
import { missingFindings, missingIds, type Finding } from './judge-versions.ts';

export type Account = {
  readonly findings: readonly Finding[];
  /** The article of the one line that makes the difference, where it is one. */
  readonly id?: number;
  /** What is lost, and nothing tells of which articles; undefined where all of it is named. */
  readonly unnamed: string | undefined;
};

type Found = { readonly head: Head; readonly entries: EntryList };

/**
 * Holds what was found against what the commit record counts. One line that is missing, or is another,
 * is known by its article; where an older text, or a deleted one, may stand in the place of a newer
 * one and nothing tells which, the file says less than it did.
 */
export function accountFor({ head, entries }: Found, count: Count): Account {
  const { lastId } = count;
  const { sums, live, added, untagged } = tallied(entries, lastId);
  // Above the last there is none that was ever given.
  const missing = missingIds(head, entries, lastId).flatMap(([first, last]) =>
    first > lastId ? [] : [[first, Math.min(last, lastId)] as const],
  );
  const findings: Finding[] = added.map((id) => ({ id, what: `article ${id} was added by hand` }));
  const isMissing = (id: number) => missing.some(([first, last]) => first <= id && id <= last);
  findings.push(...missingFindings(missing));
  const lost = count.sums.minus(sums);
  if (live !== count.articles) findings.push({ what: counts('articles', count.articles, live) });
  else if (lost.lines !== 0) findings.push({ what: counts('lines', count.sums.lines, sums.lines) });
  if (lost.isNothing) return { findings, unnamed: undefined };
  const id = lost.id;
  const isOne = Math.abs(lost.lines) <= 1 && id >= 1 && id <= lastId;
  if (isOne && !isMissing(id)) findings.push({ id, what: `${ONE_LINE[lost.lines + 1]} ${id}` });
  const explained = missing.reduce((sum, [first, last]) => sum + last - first + 1, untagged);
  const isNamed = isOne || (lost.lines > 0 && lost.lines === explained);
  const comesBack = lost.lines > 0 && live > count.articles;
  const one = isOne ? { id } : {};
  if (isNamed && !comesBack) return { findings, unnamed: undefined, ...one };
  const what = comesBack
    ? `a deletion is missing${isOne ? `, of article ${id}` : ''}: what was deleted stands there again`
    : 'lines are missing, or are others than were written';
  const unnamed = `${what}, and nothing tells whose: older may be shown of any article ${knownIds(entries)}`;
  return { findings, unnamed, ...one };
}

function knownIds(entries: EntryList): string {
  return rangesInWords(mergeRanges([...entries.newest()].map(({ id }) => [id, id] as const)));
}

/** By how many lines fewer there are: minus one, none, one. */
const ONE_LINE = [
  'a line too many is there of article',
  'the line that was written is not there of article',
  'a line is missing, and an older one may be shown, of article',
];

function counts(what: string, counted: number, found: number): string {
  return `the commit record counts ${counted} ${what}, and ${found} are there`;
}

/** Each line once; one that was added by hand was never counted. */
function tallied(entries: EntryList, lastId: number) {
  const sums = new LineSums();
  const added: number[] = [];
  let [live, untagged] = [0, 0];
  for (const { newest, others } of entries.versions()) {
    const { id, dead, verified } = newest;
    const isAdded = id > lastId;
    if (isAdded && verified) added.push(id);
    if (!isAdded && !dead && !entries.isLeftOut(id)) live += 1;
    const crcs = new Set<number>();
    for (const { crc, revision } of isAdded ? [] : [newest, ...others]) {
      if (crc < 0) untagged += 1;
      else if (!crcs.has(crc)) sums.add(id, { crc, revision });
      crcs.add(crc);
    }
  }
  return { sums, live, added, untagged };
}
