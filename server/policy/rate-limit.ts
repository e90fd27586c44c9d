import { Refusal } from '../errors.ts';
import type { TokenLookup } from '../store/tokens.ts';
import { createBudget } from './budget.ts';
import { tooMany } from './token-desk.ts';
import type { Presented } from './token-desk.ts';

/**
 * Takes so many requests a second of each known token, else of each address; one more is 429 with
 * Retry-After (decisions 35). What nobody knows as a token counts for its address, or a new one
 * each time would never be counted.
 */
export function createRateLimit(
  perSecond: number,
  lookup: TokenLookup,
): (presented: Presented) => Promise<void> {
  const budget = createBudget({ perSecond, burst: Math.max(1, Math.ceil(perSecond)) });
  return async ({ token, address, now }) => {
    const known = token !== undefined && (await isKnown(lookup, token));
    const who = known ? `token ${token}` : `address ${address}`;
    const wait = budget.wait(who, now);
    if (wait !== undefined)
      throw tooMany(`At most ${perSecond} requests a second are taken.`, wait);
    budget.spend(who, now);
  };
}

/** Where nobody can tell at present, a read must not fail for it. */
async function isKnown(lookup: TokenLookup, token: string): Promise<boolean> {
  try {
    return (await lookup(token)) !== undefined;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Reads `10/s`, requests a second; undefined where it is none. */
export function parseRate(text: string): number | undefined {
  const [, number] = /^(\d{1,6}(?:\.\d{1,3})?)\/s$/.exec(text) ?? [];
  return Number(number) > 0 ? Number(number) : undefined;
}
