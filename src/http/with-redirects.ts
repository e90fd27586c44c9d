import { BlogctlError } from '../errors.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects of GET and HEAD within the same origin. Any other redirect is named and not
 * followed: a request that changes something is not repeated elsewhere, and nothing a service
 * says leads to a stranger.
 */
export const withRedirects =
  (next: Transport): Transport =>
  (first) => {
    const send = (request: HttpRequest, hops: number): Promise<HttpResponse> =>
      next(request).then((response) => {
        const target = targetOf(response, request.url);
        if (target === undefined) return response;
        if (hops === mostRedirects) throw tooMany(first);
        return send({ ...request, url: follow(request, response, target) }, hops + 1);
      });
    return send(first, 0);
  };

function tooMany({ method, url }: HttpRequest): BlogctlError {
  return new BlogctlError('broken-contract', `More than ${mostRedirects} redirects.`, {
    method,
    url,
    hint: 'check the address of the blog',
  });
}

function targetOf(response: HttpResponse, base: string): string | undefined {
  const location = response.headers['location'];
  if (!redirects.has(response.status) || location === undefined) return undefined;
  return URL.canParse(location, base) ? new URL(location, base).href : location;
}

function follow(request: HttpRequest, response: HttpResponse, target: string): string {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isNear = URL.canParse(target) && new URL(target).origin === new URL(request.url).origin;
  if (isRead && isNear) return target;
  throw new BlogctlError('broken-contract', `Redirected to ${target}, which is not followed.`, {
    status: response.status,
    method: request.method,
    url: request.url,
    hint: `if you trust that place, use it as the address: --blog <url>`,
  });
}
