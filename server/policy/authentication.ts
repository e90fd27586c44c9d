import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { Right, TokenGrant, TokenLookup } from '../store/tokens.ts';

/** Twenty unknown tokens at once, then one every ten seconds (decisions 27). */
const guessing = { burst: 20, perSecond: 0.1 };

/**
 * Tells what a presented token grants: 401 for none, an unknown or an expired one (interface,
 * Authentication, rule 4; decisions 26). An address that tried many unknown ones may try no others
 * for a while; a known one is always heard, because behind a proxy all come from one address.
 */
export function createAuthenticator(
  lookup: TokenLookup,
): (presented: Credentials) => Promise<TokenGrant> {
  const guesses = createTokenBuckets(guessing);
  return async ({ token, address, now }) => {
    if (token === undefined || token === '') {
      throw new Refusal(
        'anonymous',
        'Send a token in the header X-Access-Token; Authorization is not read.',
      );
    }
    const grant = await lookup(token);
    if (grant === undefined) {
      const wait = guesses.wait(address);
      if (wait !== undefined)
        throw tooMany('Too many unknown tokens came from this address.', wait);
      if (address !== '') guesses.take(address);
      const scheme = /^(?:bearer|token|basic)\s/i.exec(token)?.[0].trim();
      const hint = scheme === undefined ? '' : ` Send it alone, without "${scheme}".`;
      throw new Refusal('anonymous', `This token is not known here.${hint}`);
    }
    const { expiresAt, isExpired = expiresAt !== undefined && expiresAt <= now } = grant;
    if (!isExpired || expiresAt === undefined) return grant;
    throw new Refusal('anonymous', `This token expired on ${new Date(expiresAt).toISOString()}.`);
  };
}

/** Tokens known from the start, by name, with every right on every blog (decisions 27). */
export function fixedTokens(tokens: ReadonlyMap<string, string>): TokenLookup {
  const known = Array.from(tokens, ([name, token]) => {
    const grant: TokenGrant = { name, rights: ['create', 'update', 'delete'] };
    return { digest: digest(token), grant };
  });
  return (presented) => {
    const own = digest(presented);
    return known.find((token) => timingSafeEqual(token.digest, own))?.grant;
  };
}

/** The first of several sources that knows a token. */
export function anyOf(lookups: readonly TokenLookup[]): TokenLookup {
  return async (presented) => {
    for (const lookup of lookups) {
      const grant = await lookup(presented);
      if (grant !== undefined) return grant;
    }
    return undefined;
  };
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** What a request is about to do, and to which blog. */
type Action = { readonly right: Right; readonly blogId: number };

/** 403 for a token that does not reach so far (interface, Authentication, rule 4; decisions 26). */
export function authorize({ right, blogId }: Action, grant: TokenGrant): void {
  if (!grant.rights.includes(right)) {
    throw new Refusal('forbidden', `This token may not ${right} articles.`);
  }
  if (grant.blogs !== undefined && !grant.blogs.includes(blogId)) {
    throw new Refusal('forbidden', `This token is not for blog ${blogId}.`);
  }
}

type Credentials = {
  readonly token: string | undefined;
  /** Of the client; empty within the process. */
  readonly address: string;
  /** Milliseconds since the epoch, by which tokens expire. */
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
  return async ({ token, address }) => {
    const known = token !== undefined && (await isKnown(lookup, token));
    const client = known ? `token ${token}` : `address ${address}`;
    const wait = buckets.wait(client);
    if (wait !== undefined)
      throw tooMany(`At most ${perSecond} requests a second are taken.`, wait);
    buckets.take(client);
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
  wait(client: string): number | undefined;
  /** Takes one token out of the client's bucket. */
  take(client: string): void;
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

/**
 * Milliseconds that only go forward: the clock of the day is put back at times. Where it is put forward, as by a
 * test that fakes it, so much has passed.
 */
function onwards(): () => number {
  const lead = () => Date.now() - performance.now();
  let [ahead, seen] = [0, lead()];
  return () => {
    const now = lead();
    // What is less is the rounding of a date.
    if (now - seen > 2) ahead += now - seen;
    seen = now;
    return performance.now() + ahead;
  };
}

export function createTokenBuckets(
  { perSecond, burst }: BucketSize,
  clock = onwards(),
): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  const leftOf = (client: string, now: number): number => {
    const { left, at } = buckets.get(client) ?? { left: burst, at: now };
    return Math.min(burst, left + (Math.max(0, now - at) / 1000) * perSecond);
  };
  return {
    wait(client) {
      const missing = 1 - leftOf(client, clock());
      return missing <= 0 ? undefined : Math.max(1, Math.ceil(missing / perSecond));
    },
    take(client) {
      const now = clock();
      const left = leftOf(client, now) - 1;
      buckets.delete(client);
      buckets.set(client, { left, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > mostBuckets && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
