import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { Right, TokenGrant, TokenLookup } from '../store/tokens.ts';
import { createTokenBuckets, type Credentials, tooMany } from './rate-limit.ts';

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
      const wait = guesses.wait(address, now);
      if (wait !== undefined)
        throw tooMany('Too many unknown tokens came from this address.', wait);
      if (address !== '') guesses.take(address, now);
      const scheme = /^(?:bearer|token|basic)\s/i.exec(token)?.[0].trim();
      const hint = scheme === undefined ? '' : ` Send it alone, without "${scheme}".`;
      throw new Refusal('anonymous', `This token is not known here.${hint}`);
    }
    if (grant.expiresAt === undefined || grant.expiresAt > now) return grant;
    throw new Refusal(
      'anonymous',
      `This token expired on ${new Date(grant.expiresAt).toISOString()}.`,
    );
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
