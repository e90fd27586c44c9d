import { type OriginPolicy, withOriginPolicy, withRedirects } from './origin-policy.ts';
import { type HttpRequest, type HttpResponse, parsedUrl, type Transport } from './transport.ts';
import { type RetryOptions, withRetry } from './with-retry.ts';

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

type TraceOptions = {
  /** 1: a line for each exchange; 2: header fields too; 3: bodies too. */
  readonly level: number;
  readonly write: (line: string) => void;
  readonly now?: () => number;
};

/** Header fields whose values are secrets: only their presence is shown. */
const secret = new Set([
  'x-access-token',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
]);

/** Writes what goes over the wire, never a token. */
function withTrace(next: Transport, options: TraceOptions): Transport {
  const now = options.now ?? Date.now;
  return async (request) => {
    const startedAt = now();
    const trace = (line: string) => options.write(line);
    if (options.level > 1) traceRequest(request, options);
    try {
      const response = await next(request);
      const took = Math.round(now() - startedAt);
      trace(`${request.method} ${request.url} -> ${response.status} (${took} ms)`);
      if (options.level > 1) traceResponse(response, options);
      return response;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      trace(`${request.method} ${request.url} -> no answer: ${reason}`);
      throw error;
    }
  };
}

function traceRequest(request: HttpRequest, { level, write }: TraceOptions): void {
  write(`> ${request.method} ${request.url}`);
  traceHeaders('> ', request.headers, write);
  if (level > 2 && request.body !== undefined) write(`> ${textOf(request.body)}`);
}

function traceResponse(response: HttpResponse, { level, write }: TraceOptions): void {
  traceHeaders('< ', response.headers, write);
  if (level > 2 && response.body.length > 0) write(`< ${textOf(response.body)}`);
}

function traceHeaders(
  mark: string,
  headers: HttpResponse['headers'],
  write: TraceOptions['write'],
): void {
  for (const [name, value] of Object.entries(headers)) {
    write(`${mark}${name}: ${secret.has(name) ? '(not shown)' : value}`);
  }
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
