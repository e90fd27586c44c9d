import { BlogctlError } from '../errors.ts';
import { objectionTo, type Reach } from './reach.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects of GET and HEAD to where links may lead. Any other redirect is named and not
 * followed: a request that changes something is not repeated elsewhere.
 */
export const withRedirects =
  (next: Transport, reach: Reach): Transport =>
  (first) => {
    const send = (request: HttpRequest, hops: number): Promise<HttpResponse> =>
      next(request).then((response) => {
        const target = targetOf(response, request.url);
        if (target === undefined) return response;
        if (hops === mostRedirects) throw tooMany(first, response);
        return send({ ...request, url: follow(request, response, { target, reach }) }, hops + 1);
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

type Redirect = { readonly target: string; readonly reach: Reach };

function follow(request: HttpRequest, response: HttpResponse, { target, reach }: Redirect): string {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const objection = URL.canParse(target) ? objectionTo(target, reach) : undefined;
  if (isRead && URL.canParse(target) && objection === undefined) return target;
  throw new BlogctlError('broken-contract', `Redirected to ${target}, which is not followed.`, {
    status: response.status,
    method: request.method,
    url: request.url,
    hint: objection?.hint ?? 'If you trust that place, use it as the address: --blog <url>.',
  });
}
