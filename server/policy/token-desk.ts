import { Refusal } from '../errors.ts';
import type { TokenGrant, TokenLookup } from '../store/tokens.ts';
import { createBudget } from './budget.ts';

export type Presented = {
  readonly token: string | undefined;
  /** Of the client; empty within the process. */
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** Twenty unknown tokens at once, then one every ten seconds (decisions 27). */
const guessing = { burst: 20, perSecond: 0.1 };

/**
 * Tells what a presented token grants: 401 for none, an unknown or an expired one (interface,
 * Authentication, rule 4; decisions 26). An address that tried many unknown ones may try no others
 * for a while; a known one is always heard, because behind a proxy all come from one address.
 */
export function createTokenDesk(
  lookup: TokenLookup,
): (presented: Presented) => Promise<TokenGrant> {
  const guesses = createBudget(guessing);
  return async ({ token, address, now }) => {
    if (token === undefined || token === '') {
      throw anonymous('Send a token in the header X-Access-Token.');
    }
    const grant = await lookup(token);
    if (grant === undefined) {
      const wait = guesses.wait(address, now);
      if (wait !== undefined)
        throw tooMany('Too many unknown tokens came from this address.', wait);
      if (address !== '') guesses.spend(address, now);
      throw anonymous('This token is not known here.');
    }
    if (grant.expiresAt === undefined || grant.expiresAt > now) return grant;
    throw anonymous(`This token expired on ${new Date(grant.expiresAt).toISOString()}.`);
  };
}

export function tooMany(message: string, waitSeconds: number): Refusal {
  const headers = { 'Retry-After': String(waitSeconds) };
  return new Refusal('too-many-requests', message, { headers });
}

/** An answer of 401 names the way to authenticate (RFC 9110, 11.6.1). */
function anonymous(message: string): Refusal {
  const headers = { 'WWW-Authenticate': 'X-Access-Token realm="blog"' };
  return new Refusal('anonymous', message, { headers });
}
