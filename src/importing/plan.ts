import { BlogctlError, type ErrorDetail, type Hint } from '../errors.ts';
import type { KeyedEntry, KeyedReject } from './sources/keyed-entries.ts';
import { rejectOfEntry, type Reject } from './results.ts';
import type { Notice, SourcePosition, Batch, SkipEntry } from './sources/source.ts';
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
};

export type PlanListener = {
  looked(records: number): void;
  rejected(reject: Reject): Promise<void>;
  skipped(entry: SkipEntry): Promise<void>;
  noticed(place: SourcePosition, notice: Notice): void;
};

/** The first of two passes. Throws the reason of `signal` when it is aborted. */
export async function planImport(
  batches: AsyncIterable<Batch<KeyedEntry>>,
  listener: PlanListener,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const plan = { records: 0, ready: 0, rejected: 0, errors: {}, skipped: {}, notices: {} };

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
      if (entry.kind === 'record') plan.ready += 1;
      else if (entry.kind === 'skip') {
        countUp(plan.skipped, entry.reason);
        await listener.skipped(entry);
      } else await reject(entry);
    }
  }
  return plan;
}

/** Said once for all of them (decisions 45). */
const knownByText: readonly Notice[] = [
  {
    kind: 'known-by-text',
    message: 'It is known by its title and content alone.',
  },
];

function noticesOf(entry: KeyedEntry): readonly Notice[] {
  if (entry.kind === 'notice') return [entry.notice];
  if (entry.kind !== 'record') return [];
  const notices = entry.notices ?? [];
  if (entry.name !== undefined) return notices;
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

/** How many records there were, and what became of them, in words. */
export function sentenceOf(summary: ImportSummary, dryRun: boolean): string {
  const { records, created, replayed, skipped, rejected, inDoubt, unsent } = summary;
  const parts = [
    [created, dryRun ? 'would be created' : 'created'],
    [replayed, 'already there'],
    [skipped, `skipped${inBrackets(summary.reasons.skipped)}`],
    [rejected, `rejected${inBrackets(summary.reasons.rejected)}`],
    [inDoubt, 'unknown'],
    [unsent, 'not sent'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${recordsOf(records)}${said.length > 0 ? `: ${said.join(', ')}` : ''}.`;
}

function recordsOf(count: number): string {
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
  summary(): ImportSummary;
};

/** Counts outcomes on top of what the first reading found. */
export function createTally(plan: ImportPlan): Tally {
  const counts = { created: 0, replayed: 0, skipped: 0, rejected: 0, inDoubt: 0 };
  const skipped: Record<string, number> = { ...plan.skipped };
  const rejected: Record<string, number> = { ...plan.errors };
  const notices: Record<string, number> = { ...plan.notices };
  let settled = 0;
  return {
    count(outcome) {
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

/** What is left to do after everything that could be sent was sent. */
export function incomplete(
  summary: ImportSummary,
  details: readonly ErrorDetail[] | undefined,
): BlogctlError | undefined {
  const { records, rejected, inDoubt, unsent } = summary;
  const open = [
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(inDoubt > 0 ? [`${inDoubt} unknown`] : []),
    ...(unsent > 0 ? [`${unsent} not sent`] : []),
  ];
  if (open.length === 0) return undefined;
  return new BlogctlError('partly-failed', `Of ${recordsOf(records)}: ${open.join(', ')}.`, {
    hint: whatNext(summary),
    details,
  });
}

function whatNext({ rejected, created, inDoubt, reasons }: ImportSummary): Hint {
  if (inDoubt > 0)
    return 'Look which articles of the blog are such records, delete them with blogctl articles delete, and run the same import again. Where none is one, and they stay unknown, --no-resume sends them once more.';
  if (rejected === 0) return 'Run the same import again to go on: nothing is created twice.';
  const changed = reasons.rejected['changed'] ?? 0;
  if (changed > 0 && changed === rejected)
    return `Where posts of a folder were edited, blogctl sync plan <folder> shows what blogctl sync apply brings to the blog, and what somebody changed there; blogctl articles update changes any article. Where this is another source than the one imported before, ${created > 0 ? 'blogctl runs undo takes back what this run created, and ' : ''}--import-id names the source. --on-changed skip passes over such records.`;
  return 'Repair the source and run the same import again, or repair the rejects file and import that: nothing is created twice.';
}
