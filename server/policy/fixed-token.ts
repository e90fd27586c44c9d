import { hash, timingSafeEqual } from 'node:crypto';
import type { TokenGrant, TokenLookup } from '../store/tokens.ts';

/** A token known from the start, with every right on every blog (decisions 27). */
export function fixedToken(token: string, name: string): TokenLookup {
  const known = digest(token);
  const grant: TokenGrant = { name, rights: ['create', 'update', 'delete'] };
  return (presented) => (timingSafeEqual(digest(presented), known) ? grant : undefined);
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
