import { BlogctlError, type Hint, messageOf } from '../errors.ts';
import {
  hintOfDoubt,
  type HttpRequest,
  type HttpResponse,
  parsedUrl,
  type Transport,
} from './transport.ts';
import { type RetryOptions, withRetry } from './with-retry.ts';
import { inShell } from '../terminal/text.ts';

export type Credential = {
  /** Scheme, host and port the token belongs to. */
  readonly origin: string;
  readonly token: string;
};

/** Where requests may go. What a service links to is no word of the user's. */
type OriginPolicy = {
  /** The origin of the blog that the user named. */
  readonly home: string;
  /** Other origins the user named (--allow-origin). */
  readonly allowed?: readonly string[] | undefined;
  /** From https, the same host by http too (--allow-insecure-links). */
  readonly insecure?: boolean | undefined;
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

export const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Adds X-Access-Token to requests that change something (interface, Authentication, rules 1 and 2), and
 * only towards the token's own origin: links of other places get none. A request that brings one keeps it.
 */
export const withToken =
  (next: Transport, { origin, token }: Credential): Transport =>
  (request) =>
    reads.has(request.method) ||
    parsedUrl(request.url).origin !== origin ||
    request.headers['x-access-token'] !== undefined
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

type Objection = { readonly what: string; readonly hint: Hint };

/** Sends nothing to where a link must not lead: no request, no text and no token. */
const withOriginPolicy =
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
  const hint: Hint = `If you trust that place, allow it with --allow-origin ${inShell(origin)}, or use it as the address: --blog <url>.`;
  return { what: 'leads to another origin', hint };
}

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects of GET and HEAD to where links may lead. Any other redirect is named and not
 * followed: a request that changes something is not repeated elsewhere.
 */
const withRedirects =
  (next: Transport, policy: OriginPolicy): Transport =>
  (first) => {
    const send = (request: HttpRequest, hops: number, redirect?: number): Promise<HttpResponse> =>
      next(request).then((response) => {
        const target = targetOf(response, request.url);
        if (target === undefined)
          return redirect ? { ...response, url: request.url, redirect } : response;
        if (hops === mostRedirects) throw tooMany(first, response);
        const url = follow(request, response, { target, policy });
        return send({ ...request, url }, hops + 1, redirect ?? response.status);
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

const useIt: Hint = 'If you trust that place, use it as the address: --blog <url>.';
const sentOnce: Hint =
  'A change goes where the links of the service lead, and no further: its operator has to mend those, and blogctl check <blog-url> shows the rule.';

type Redirect = { readonly target: string; readonly policy: OriginPolicy };

function follow(
  request: HttpRequest,
  response: HttpResponse,
  { target, policy }: Redirect,
): string {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const objection = URL.canParse(target) ? objectionTo(target, policy) : undefined;
  if (isRead && URL.canParse(target) && objection === undefined) return target;
  // By these a service also leads away from what it has done (RFC 9110, 15.4).
  const doubt = [302, 303].includes(response.status) ? hintOfDoubt(request) : undefined;
  // A change is not led to another origin that is allowed either.
  const away = objection === undefined ? sentOnce : useIt;
  throw new BlogctlError('broken-contract', `Redirected to ${target}, which is not followed.`, {
    status: response.status,
    method: request.method,
    url: request.url,
    maybeDone: doubt !== undefined,
    hint: doubt ?? (isRead ? (objection?.hint ?? useIt) : away),
  });
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
      const reason = messageOf(error);
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
