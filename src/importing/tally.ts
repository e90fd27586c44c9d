import type { Outcome } from './sending/delivery.ts';
import type { Counts, Plan } from './plan.ts';

/** records = created + replayed + skipped + rejected + inDoubt + unsent, always. */
export type Summary = {
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

export type Tally = {
  count(outcome: Outcome): void;
  /** Takes back doubt: `created` of them are on the blog after all, `missing` are unsent again. */
  settleDoubt(created: number, missing: number): void;
  /** Records that have an outcome. */
  readonly settled: number;
  /** Rejected while sending, other than for having changed. */
  readonly refused: number;
  summary(): Summary;
};

/** Counts outcomes on top of what the first reading found. */
export function createTally(plan: Plan): Tally {
  const counts = { created: 0, replayed: 0, skipped: 0, rejected: 0, inDoubt: 0 };
  const skipped: Record<string, number> = { ...plan.skipped };
  const rejected: Record<string, number> = { ...plan.flaws };
  let settled = 0;
  return {
    count(outcome) {
      counts[outcome.kind] += 1;
      settled += 1;
      if (outcome.kind === 'skipped') skipped[outcome.reason] = (skipped[outcome.reason] ?? 0) + 1;
      if (outcome.kind === 'rejected') rejected[outcome.class] = (rejected[outcome.class] ?? 0) + 1;
    },
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
      notices: plan.notices,
    }),
  };
}
