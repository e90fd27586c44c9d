import { type OriginPolicy, withOriginPolicy, withRedirects } from './origin-policy.ts';
import { type HttpRequest, type HttpResponse, parsedUrl, type Transport } from './transport.ts';
import { type RetryOptions, withRetry } from './with-retry.ts';
import { withTrace } from './with-trace.ts';

export type Credential = {
  /** Scheme, host and port the token belongs to. */
  readonly origin: string;
  readonly token: string;
};

export type ConnectionOptions = {
  readonly credential?: Credential | undefined;
  readonly origins: OriginPolicy;
  readonly retry: RetryOptions;
  /** How much of the exchange is told, and to whom; 0 is nothing. */
  readonly trace: { readonly level: number; readonly write: (line: string) => void };
};

/**
 * A transport with everything the command wants of one. The token is added beneath redirects and
 * repetitions, so that each request is asked anew where it goes, and so is whether it may go there;
 * the trace sees what is sent.
 */
export function createConnection(send: Transport, options: ConnectionOptions): Transport {
  const { credential, origins, retry, trace } = options;
  const traced = trace.level > 0 ? withTrace(send, trace) : send;
  const trusted = credential === undefined ? traced : withToken(traced, credential);
  const followed = withRedirects(withOriginPolicy(trusted, origins), origins);
  return retry.retries > 0 ? withRetry(followed, retry) : followed;
}

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
