import type { KeyedEntry, KeyedReject } from './identity/keyed-entries.ts';
import { rejectOfEntry, type Reject } from './rejects.ts';
import type { Notice, Place, Portion, SkipEntry } from './sources/source.ts';

export type Counts = Readonly<Record<string, number>>;

/** What the first reading found; every record was looked at, nothing was written. */
export type Plan = {
  readonly records: number;
  /** Records that can be sent. */
  readonly ready: number;
  readonly rejected: number;
  readonly flaws: Counts;
  readonly skipped: Counts;
  readonly notices: Counts;
};

export type PlanListener = {
  looked(records: number): void;
  rejected(reject: Reject): Promise<void>;
  skipped(entry: SkipEntry): Promise<void>;
  noticed(place: Place, notice: Notice): void;
};

/** The first of two passes. Throws the reason of `signal` when it is aborted. */
export async function planImport(
  portions: AsyncIterable<Portion<KeyedEntry>>,
  listener: PlanListener,
  signal: AbortSignal,
): Promise<Plan> {
  const plan = { records: 0, ready: 0, rejected: 0, flaws: {}, skipped: {}, notices: {} };

  async function reject(entry: KeyedReject): Promise<void> {
    plan.rejected += 1;
    countUp(plan.flaws, entry.flaw.class);
    await listener.rejected(rejectOfEntry(entry));
  }

  for await (const portion of portions) {
    for (const entry of portion) {
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
