/** Counts what each of many strangers does, without letting them fill the memory. */
export type Budget = {
  /** Whole seconds until `who` may go on; undefined when they may now. */
  wait(who: string, now: number): number | undefined;
  /** Takes one unit from what `who` may do. */
  spend(who: string, now: number): void;
};

export type BudgetSize = {
  /** Units given back each second. */
  readonly perSecond: number;
  /** Units that can be spent at once. */
  readonly burst: number;
};

type Account = { readonly left: number; readonly at: number };

/** Strangers remembered at a time; forgetting one gives them their whole budget back. */
const mostAccounts = 10_000;

export function createBudget({ perSecond, burst }: BudgetSize): Budget {
  const accounts = new Map<string, Account>();
  const leftOf = (who: string, now: number): number => {
    const { left, at } = accounts.get(who) ?? { left: burst, at: now };
    return Math.min(burst, left + ((now - at) / 1000) * perSecond);
  };
  return {
    wait(who, now) {
      const missing = 1 - leftOf(who, now);
      return missing <= 0 ? undefined : Math.max(1, Math.ceil(missing / perSecond));
    },
    spend(who, now) {
      const left = leftOf(who, now) - 1;
      accounts.delete(who);
      accounts.set(who, { left, at: now });
      const [oldest] = accounts.keys();
      if (accounts.size > mostAccounts && oldest !== undefined) accounts.delete(oldest);
    },
  };
}
