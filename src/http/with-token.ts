import { targetOf } from './target.ts';
import { type Transport, withFields } from './transport.ts';

export type Credential = {
  /** Scheme, host and port the token belongs to. */
  readonly origin: string;
  readonly token: string;
};

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Adds X-Access-Token to requests that change something (api.md, Authentication 1 and 2), and
 * only towards the token's own origin: links of other places get none.
 */
export const withToken =
  (next: Transport, { origin, token }: Credential): Transport =>
  (request) =>
    reads.has(request.method) || targetOf(request.url).origin !== origin
      ? next(request)
      : next(withFields(request, { 'x-access-token': token }));
