import type { Hint } from '../errors.ts';
import type { KeyedEntry, KeyedRecord, KeyedReject, KeyedSkip } from './sources/keyed-entries.ts';
import { rejectOfEntry, type Reject } from './results.ts';
import { isPostFile } from './sources/file-kind.ts';
import { flagFor, isNotPublic } from './sources/publicity.ts';
import type { Notice, SourcePosition, Batch, SkipEntry, SkipReason } from './sources/source.ts';
import type { Outcome } from './sending/delivery.ts';

export type Counts = Readonly<Record<string, number>>;

/** What the first reading found; every record was looked at, nothing was written. */
export type ImportPlan = {
  readonly records: number;
  /** Records that can be sent. */
  readonly ready: number;
  readonly rejected: number;
  readonly errors: Counts;
  readonly skipped: Counts;
  readonly notices: Counts;
  readonly leftOut: readonly LeftOut[];
};

/** All records of a source were left out by one sign. */
export type LeftOut = {
  /** Undefined where those are all records of the import. */
  readonly source: string | undefined;
  readonly reason: SkipReason;
  /** Of the member that says so, where one does; its value where it is the same in all of them. */
  readonly name?: string | undefined;
  readonly value?: string | undefined;
};

export type PlanListener = {
  looked(records: number): void;
  rejected(reject: Reject): Promise<void>;
  skipped(entry: KeyedSkip): Promise<void>;
  noticed(place: SourcePosition, notice: Notice): void;
  ready(record: KeyedRecord): void;
};

/** The first of two passes. Throws the reason of `signal` when it is aborted. */
export async function planImport(
  batches: AsyncIterable<Batch<KeyedEntry>>,
  listener: PlanListener,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const plan = { records: 0, ready: 0, rejected: 0, errors: {}, skipped: {}, notices: {} };
  const signs = createSigns();

  async function reject(entry: KeyedReject): Promise<void> {
    plan.rejected += 1;
    countUp(plan.errors, entry.error.class);
    await listener.rejected(rejectOfEntry(entry));
  }

  for await (const batch of batches) {
    for (const entry of batch) {
      signal.throwIfAborted();
      for (const notice of noticesOf(entry)) {
        listener.noticed(entry.place, notice);
        countUp(plan.notices, notice.kind);
      }
      if (entry.kind === 'notice') continue;
      plan.records += 1;
      listener.looked(plan.records);
      signs.see(entry);
      if (entry.kind === 'record') {
        plan.ready += 1;
        listener.ready(entry);
      } else if (entry.kind === 'skip') {
        countUp(plan.skipped, entry.reason);
        await listener.skipped(entry);
      } else await reject(entry);
    }
  }
  return { ...plan, leftOut: signs.leftOut() };
}

/** Finds the sources that have nothing but records which one sign leaves out. */
function createSigns() {
  type Seen = { records: number; reason?: SkipReason; name?: string; value?: string };
  const all: Seen = { records: 0 };
  const files = new Map<string, Seen>();

  function note(seen: Seen, entry: KeyedEntry): void {
    const { reason, sign }: Partial<SkipEntry> = entry.kind === 'skip' ? entry : {};
    seen.records += 1;
    if (seen.records === 1) Object.assign(seen, { reason, ...sign });
    if (seen.reason !== reason || seen.name !== sign?.name) delete seen.reason;
    if (seen.value !== sign?.value) delete seen.value;
  }

  return {
    see(entry: KeyedEntry): void {
      note(all, entry);
      const { source } = entry.place;
      if (isPostFile(source)) return;
      const seen = files.get(source) ?? { records: 0 };
      files.set(source, seen);
      note(seen, entry);
    },
    leftOut(): LeftOut[] {
      // One record alone is named by what it is left out for.
      const found = [...files].filter(([, { records }]) => records > 1);
      const each = all.reason === undefined ? found : [[undefined, all] as const];
      return each.flatMap(([source, { reason, name, value }]) =>
        reason === undefined || !isNotPublic(reason) ? [] : [{ source, reason, name, value }],
      );
    },
  };
}

/** Said once for all of them (decisions 45). */
const knownByText: readonly Notice[] = [
  { kind: 'known-by-text', message: 'It is known by its title and content alone.' },
];

function noticesOf(entry: KeyedEntry): readonly Notice[] {
  if (entry.kind === 'notice') return [entry.notice];
  if (entry.kind === 'reject') return [];
  const notices = entry.notices ?? [];
  if (entry.kind === 'skip' || entry.name !== undefined) return notices;
  return notices.length === 0 ? knownByText : [...notices, ...knownByText];
}

function countUp(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** records = created + replayed + skipped + rejected + inDoubt + unsent, always. */
export type ImportSummary = {
  readonly records: number;
  readonly created: number;
  /** On the blog already, from this import. */
  readonly replayed: number;
  readonly skipped: number;
  readonly rejected: number;
  /** Sent, without an answer that says whether they were created. */
  readonly inDoubt: number;
  /** Not sent, because the run ended before. */
  readonly unsent: number;
  readonly reasons: {
    readonly skipped: Counts;
    readonly rejected: Counts;
  };
  readonly notices: Counts;
};

/** Nothing is wrong with such records, they are counted by `rejected` all the same. */
export const otherText = 'known with another text';

/** How many records there were, and what became of them, in words. */
export function sentenceOf(summary: ImportSummary, dryRun: boolean): string {
  const { records, created, replayed, skipped, rejected, inDoubt, unsent } = summary;
  const { changed = 0, ...wrong } = summary.reasons.rejected;
  const parts = [
    [created, dryRun ? 'would be created' : 'created'],
    [replayed, 'already there'],
    [skipped, `skipped${inBrackets(summary.reasons.skipped)}`],
    [changed, otherText],
    [rejected - changed, `rejected${inBrackets(wrong)}`],
    [inDoubt, 'unknown'],
    [unsent, 'not sent'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${recordsOf(records)}${said.length > 0 ? `: ${said.join(', ')}` : ''}.`;
}

/** What left out all records of a source, and what publishes them in spite of it. */
export function leftOutSentence({ source, reason, name, value }: LeftOut): string {
  const which = source === undefined ? 'Every record' : `Every record of ${source}`;
  const sign =
    value === undefined
      ? `"${name}" says so`
      : `"${name}" is ${/^(?:no ".*)?$/.test(value) ? 'empty' : value}`;
  const why = name === undefined ? '' : `: ${sign}`;
  return `${which} is left out (${reason})${why}. ${flagFor(reason)} publishes such records all the same.`;
}

export function recordsOf(count: number): string {
  return `${count} ${count === 1 ? 'record' : 'records'}`;
}

function inBrackets(counts: Readonly<Record<string, number>>): string {
  const said = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  return said.length > 0 ? ` (${said.join(', ')})` : '';
}

export type Tally = {
  count(outcome: Outcome): void;
  /** Said of a record while it was sent. */
  notice(kind: Notice['kind']): void;
  /** Takes back doubt: `created` of them are on the blog after all, `missing` are unsent again. */
  settleDoubt(created: number, missing: number): void;
  /** Records that have an outcome. */
  readonly settled: number;
  /** Rejected while sending, other than for having changed. */
  readonly refused: number;
  /** What cures a refusal, else what brings what changed. */
  readonly cure: Hint | undefined;
  summary(): ImportSummary;
};

/** Counts outcomes on top of what the first reading found. */
export function createTally(plan: ImportPlan): Tally {
  const counts = { created: 0, replayed: 0, skipped: 0, rejected: 0, inDoubt: 0 };
  const skipped: Record<string, number> = { ...plan.skipped };
  const rejected: Record<string, number> = { ...plan.errors };
  const notices: Record<string, number> = { ...plan.notices };
  let settled = 0;
  let cure: Hint | undefined;
  let edit: Hint | undefined;
  return {
    count(outcome) {
      if (outcome.kind === 'rejected' && outcome.class === 'changed') edit ??= outcome.hint;
      else if (outcome.kind === 'rejected') cure ??= outcome.hint;
      counts[outcome.kind] += 1;
      settled += 1;
      if (outcome.kind === 'skipped') skipped[outcome.reason] = (skipped[outcome.reason] ?? 0) + 1;
      if (outcome.kind === 'rejected') rejected[outcome.class] = (rejected[outcome.class] ?? 0) + 1;
    },
    notice: (kind) => countUp(notices, kind),
    settleDoubt(created, missing) {
      counts.created += created;
      counts.inDoubt -= created + missing;
      settled -= missing;
    },
    get settled() {
      return settled;
    },
    get refused() {
      return counts.rejected - (rejected['changed'] ?? 0);
    },
    get cure() {
      return cure ?? edit;
    },
    summary: () => ({
      records: plan.records,
      created: counts.created,
      replayed: counts.replayed,
      skipped: counts.skipped + plan.records - plan.ready - plan.rejected,
      rejected: counts.rejected + plan.rejected,
      inDoubt: counts.inDoubt,
      unsent: plan.ready - settled,
      reasons: { skipped, rejected },
      notices,
    }),
  };
}
