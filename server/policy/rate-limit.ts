import { Refusal } from '../errors.ts';
import type { TokenLookup } from '../store/tokens.ts';

export type Credentials = {
  readonly token: string | undefined;
  /** Of the client; empty within the process. */
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/**
 * Takes so many requests a second of each known token, else of each address; one more is 429 with
 * Retry-After (decisions 35). What nobody knows as a token counts for its address, or a new one
 * each time would never be counted.
 */
export function createRateLimit(
  perSecond: number,
  lookup: TokenLookup,
): (presented: Credentials) => Promise<void> {
  const buckets = createTokenBuckets({ perSecond, burst: Math.max(1, Math.ceil(perSecond)) });
  return async ({ token, address, now }) => {
    const known = token !== undefined && (await isKnown(lookup, token));
    const client = known ? `token ${token}` : `address ${address}`;
    const wait = buckets.wait(client, now);
    if (wait !== undefined)
      throw tooMany(`At most ${perSecond} requests a second are taken.`, wait);
    buckets.take(client, now);
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

export function tooMany(message: string, waitSeconds: number): Refusal {
  const headers = { 'Retry-After': String(waitSeconds) };
  return new Refusal('too-many-requests', message, { headers });
}

/** A token bucket for each of many clients, which must not fill the memory. */
type TokenBuckets = {
  /** Whole seconds until the client may go on; undefined when it may now. */
  wait(client: string, now: number): number | undefined;
  /** Takes one token out of the client's bucket. */
  take(client: string, now: number): void;
};

type BucketSize = {
  /** Tokens put back each second. */
  readonly perSecond: number;
  /** Tokens that a full bucket holds. */
  readonly burst: number;
};

type Bucket = { readonly left: number; readonly at: number };

/** Clients remembered at a time; one that is forgotten has a full bucket again. */
const mostBuckets = 10_000;

export function createTokenBuckets({ perSecond, burst }: BucketSize): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  const leftOf = (client: string, now: number): number => {
    const { left, at } = buckets.get(client) ?? { left: burst, at: now };
    return Math.min(burst, left + ((now - at) / 1000) * perSecond);
  };
  return {
    wait(client, now) {
      const missing = 1 - leftOf(client, now);
      return missing <= 0 ? undefined : Math.max(1, Math.ceil(missing / perSecond));
    },
    take(client, now) {
      const left = leftOf(client, now) - 1;
      buckets.delete(client);
      buckets.set(client, { left, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > mostBuckets && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
