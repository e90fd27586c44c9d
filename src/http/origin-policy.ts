import { BlogctlError, type Hint } from '../errors.ts';
import { type HttpRequest, type HttpResponse, parsedUrl, type Transport } from './transport.ts';

/** Where requests may go. What a service links to is no word of the user's. */
export type OriginPolicy = {
  /** The origin of the blog that the user named. */
  readonly home: string;
  /** Other origins the user named (--allow-origin). */
  readonly allowed?: readonly string[] | undefined;
  /** From https, the same host by http too (--allow-insecure-links). */
  readonly insecure?: boolean | undefined;
};

type Objection = { readonly what: string; readonly hint: Hint };

/** Sends nothing to where a link must not lead: no request, no text and no token. */
export const withOriginPolicy =
  (next: Transport, policy: OriginPolicy): Transport =>
  (request) => {
    const { method, url } = request;
    const objection = objectionTo(url, policy);
    if (objection === undefined) return next(request);
    const message = `A link of ${policy.home} ${objection.what}: ${url}`;
    const context = { method, url, hint: objection.hint };
    return Promise.reject(new BlogctlError('broken-contract', message, context));
  };

/** Why nothing is sent to an address; undefined where it may be. */
function objectionTo(
  url: string,
  { home, allowed = [], insecure }: OriginPolicy,
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

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects of GET and HEAD to where links may lead. Any other redirect is named and not
 * followed: a request that changes something is not repeated elsewhere.
 */
export const withRedirects =
  (next: Transport, policy: OriginPolicy): Transport =>
  (first) => {
    const send = (request: HttpRequest, hops: number): Promise<HttpResponse> =>
      next(request).then((response) => {
        const target = targetOf(response, request.url);
        if (target === undefined) return response;
        if (hops === mostRedirects) throw tooMany(first, response);
        return send({ ...request, url: follow(request, response, { target, policy }) }, hops + 1);
      });
    return send(first, 0);
  };

function tooMany({ method, url }: HttpRequest, { status }: HttpResponse): BlogctlError {
  return new BlogctlError('broken-contract', `More than ${mostRedirects} redirects.`, {
    status,
    method,
    url,
    hint: 'Check the address of the blog.',
  });
}

function targetOf(response: HttpResponse, base: string): string | undefined {
  const location = response.headers['location'];
  if (!redirects.has(response.status) || location === undefined) return undefined;
  return URL.canParse(location, base) ? new URL(location, base).href : location;
}

type Redirect = { readonly target: string; readonly policy: OriginPolicy };

function follow(
  request: HttpRequest,
  response: HttpResponse,
  { target, policy }: Redirect,
): string {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const objection = URL.canParse(target) ? objectionTo(target, policy) : undefined;
  if (isRead && URL.canParse(target) && objection === undefined) return target;
  throw new BlogctlError('broken-contract', `Redirected to ${target}, which is not followed.`, {
    status: response.status,
    method: request.method,
    url: request.url,
    hint: objection?.hint ?? 'If you trust that place, use it as the address: --blog <url>.',
  });
}
