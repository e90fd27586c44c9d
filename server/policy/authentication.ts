import { Refusal } from '../errors.ts';
import type { Right, TokenGrant, TokenLookup } from '../store/tokens.ts';

/** What a request is about to do, and to which blog. */
export type Deed = { readonly right: Right; readonly blogId: number };

export type Presented = { readonly token: string | undefined; readonly now: number };

/**
 * Lets a deed pass that the presented token grants (api.md, Authentication, rules 1 and 4;
 * decisions 26): otherwise 401 for a token that is none, 403 for one that does not reach so far.
 */
export function authorize(deed: Deed, presented: Presented, lookup: TokenLookup): TokenGrant {
  const grant = authenticate(presented, lookup);
  const { right, blogId } = deed;
  if (!grant.rights.includes(right)) {
    throw new Refusal('forbidden', `This token may not ${right} articles.`);
  }
  if (grant.blogs !== undefined && !grant.blogs.includes(blogId)) {
    throw new Refusal('forbidden', `This token is not for blog ${blogId}.`);
  }
  return grant;
}

function authenticate({ token, now }: Presented, lookup: TokenLookup): TokenGrant {
  if (token === undefined || token === '') {
    throw anonymous('Send a token in the header X-Access-Token.');
  }
  const grant = lookup(token);
  if (grant === undefined) throw anonymous('This token is not known here.');
  if (grant.expiresAt !== undefined && grant.expiresAt <= now) {
    throw anonymous(`This token expired on ${new Date(grant.expiresAt).toISOString()}.`);
  }
  return grant;
}

/** An answer of 401 names the way to authenticate (RFC 9110, 11.6.1). */
function anonymous(message: string): Refusal {
  const headers = { 'WWW-Authenticate': 'X-Access-Token realm="blog"' };
  return new Refusal('anonymous', message, { headers });
}
