import { type HttpRequest, type HttpResponse, parsedUrl, type Transport } from './transport.ts';

export type Credential = {
  /** Scheme, host and port the token belongs to. */
  readonly origin: string;
  readonly token: string;
};

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Adds X-Access-Token to requests that change something (interface, Authentication, rules 1 and 2), and
 * only towards the token's own origin: links of other places get none.
 */
export const withToken =
  (next: Transport, { origin, token }: Credential): Transport =>
  (request) =>
    reads.has(request.method) || parsedUrl(request.url).origin !== origin
      ? next(request)
      : next(withField(request, { 'x-access-token': token })).then(markRefusal);

function markRefusal(response: HttpResponse): HttpResponse {
  return response.status === 401 ? { ...response, tokenRefused: true } : response;
}

/**
 * Assigned, not spread: what was spread is slow to read for V8 ever after, and an import sends a
 * million requests.
 */
function withField(request: HttpRequest, field: HttpRequest['headers']): HttpRequest {
  return Object.assign({}, request, { headers: Object.assign({}, request.headers, field) });
}
