import { BlogctlError, type Hint } from '../errors.ts';
import { parsedUrl } from './parsed-url.ts';
import type { Transport } from './transport.ts';

/** Where requests may go. What a service links to is no word of the user's. */
export type Reach = {
  /** The origin of the blog that the user named. */
  readonly home: string;
  /** Other origins the user named (--allow-origin). */
  readonly allowed?: readonly string[] | undefined;
  /** From https, the same host by http too (--allow-insecure-links). */
  readonly insecure?: boolean | undefined;
};

export type Objection = { readonly what: string; readonly hint: Hint };

/** Sends nothing to where a link must not lead: no request, no text and no token. */
export const withinReach =
  (next: Transport, reach: Reach): Transport =>
  (request) => {
    const { method, url } = request;
    const objection = objectionTo(url, reach);
    if (objection === undefined) return next(request);
    const message = `A link of ${reach.home} ${objection.what}: ${url}`;
    const context = { method, url, hint: objection.hint };
    return Promise.reject(new BlogctlError('broken-contract', message, context));
  };

/** Why nothing is sent to an address; undefined where it may be. */
export function objectionTo(
  url: string,
  { home, allowed = [], insecure }: Reach,
): Objection | undefined {
  const { origin } = parsedUrl(url);
  if (origin === home) return undefined;
  const [from, to] = [new URL(home), new URL(url)];
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    return { what: 'is no address of HTTP', hint: 'Tell the operator of the service.' };
  }
  if (allowed.includes(origin)) return undefined;
  if (from.protocol === 'https:' && to.protocol === 'http:' && from.hostname === to.hostname) {
    if (insecure === true) return undefined;
    const hint = 'Tell its operator; --allow-insecure-links goes there, where anybody may listen.';
    return { what: 'leads to where nothing is encrypted', hint };
  }
  const hint: Hint = `If you trust that place, allow it with --allow-origin ${origin}, or use it as the address: --blog <url>.`;
  return { what: 'leads to another origin', hint };
}
