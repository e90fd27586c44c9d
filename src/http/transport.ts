import { isNativeError } from 'node:util/types';
import { BlogctlError, type Hint } from '../errors.ts';
import { inShell } from '../terminal/text.ts';

/** One HTTP exchange in plain values; what adds behaviour wraps it (token, trace, retry, rate gate). */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export type HttpRequest = {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Field names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** Field names in lower case; repeated fields joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole body, decoded from its transfer coding; empty where there is none. */
  readonly body: Uint8Array;
  /** Where it came from, if redirects led away from what was asked. */
  readonly url?: string;
  /** The request was sent before without a clear answer: it may have been carried out then. */
  readonly afterUnclearAnswer?: boolean;
  /** The status of the first redirect behind which it came. */
  readonly redirect?: number;
  /** It asks for a longer wait (Retry-After) than was allowed; with more it would have been sent again. */
  readonly isWaitTooLong?: boolean;
  /** A token went with the request, and the answer is 401. */
  readonly tokenRefused?: boolean;
  /** None would go with the request: only a project's file names the service. */
  readonly tokenWithheld?: boolean;
};

/** An address as a request needs it. */
type UrlParts = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
};

export function parsedUrl(text: string): UrlParts {
  const { origin, pathname, search } = new URL(text);
  return { origin, path: pathname + search };
}

type Peer = { readonly host: string; readonly timeoutMs: number };

type Diagnosis = {
  readonly what: (place: Peer) => string;
  readonly hint: Hint;
  /** The same request may be answered later. */
  readonly retryable: boolean;
};

export type Failure = {
  readonly kind: NoAnswerKind;
  readonly cause: unknown;
  readonly timeoutMs: number;
};

/** Why there was no answer, in words that lead to the next step; the socket's words are the cause. */
export function noAnswer(request: HttpRequest, { kind, cause, timeoutMs }: Failure): BlogctlError {
  const { method, url } = request;
  const { host, hostname, port } = new URL(url);
  const isNear = isOf(cause, { hostname, port });
  const { what, hint, retryable } = diagnoses[isNear ? kind : 'proxy-away'];
  const wasSent = (retryable && !isUnconnected(kind, cause)) || kind === 'too-long';
  const doubt = wasSent ? hintOfDoubt(request) : undefined;
  const code = kind === 'too-long' ? 'answer-too-long' : 'unreachable';
  return new BlogctlError(code, what({ host, timeoutMs }), {
    method,
    url,
    cause,
    maybeDone: doubt !== undefined,
    retryable,
    hint: doubt ?? hint,
  });
}

export const lookFirst: Hint =
  'It may have been created all the same: look with blogctl articles list.';
export const lookAgain = (url: string): Hint =>
  `It may have been done all the same: look with blogctl articles get ${inShell(url)}.`;

/** What to do where a request was sent and not answered; undefined where that changes nothing. */
export function hintOfDoubt({ method, url }: HttpRequest): Hint | undefined {
  if (method === 'POST') return lookFirst;
  return method === 'PUT' || method === 'DELETE' ? lookAgain(url) : undefined;
}

const diagnoses = {
  refused: {
    what: ({ host }) => `Nothing listens at ${host}.`,
    hint: 'Start the service, or check the address of the blog.',
    retryable: true,
  },
  'proxy-away': {
    what: ({ host }) => `The proxy on the way to ${host} cannot be reached.`,
    hint: 'Check HTTP_PROXY and HTTPS_PROXY; NO_PROXY names the hosts that need none.',
    retryable: true,
  },
  'unknown-host': {
    what: ({ host }) => `There is no host called ${host}.`,
    hint: 'Check the address of the blog.',
    retryable: false,
  },
  'no-names': {
    what: ({ host }) => `The name ${host} cannot be looked up now.`,
    hint: 'Check the network connection.',
    retryable: true,
  },
  'too-late': {
    what: ({ host, timeoutMs }) => `No answer from ${host} within ${timeoutMs / 1000} s.`,
    hint: 'Try again, or allow more time with --timeout 2m.',
    retryable: true,
  },
  'not-whole': {
    what: ({ host, timeoutMs }) =>
      `The answer of ${host} was not whole within ${timeoutMs / 1000} s.`,
    hint: 'Try again, or allow more time with --timeout 2m.',
    retryable: true,
  },
  'cut-short': {
    what: ({ host }) => `The answer of ${host} broke off before its end.`,
    hint: 'Try again; where it stays so, look at the service and at what stands between.',
    retryable: true,
  },
  'too-long': {
    what: ({ host }) => `The answer of ${host} is longer than 64 MB.`,
    hint: 'Ask for less at once with a smaller page size, or check the address of the blog.',
    retryable: false,
  },
  untrusted: {
    what: ({ host }) => `The certificate of ${host} is not trusted.`,
    hint: 'Point NODE_EXTRA_CA_CERTS to the file of the authority that signed it.',
    retryable: false,
  },
  'out-of-date': {
    what: ({ host }) => `The certificate of ${host} is not valid now.`,
    hint: 'Check the clock of this machine; else its operator must renew it.',
    retryable: false,
  },
  'other-host': {
    what: ({ host }) => `The certificate of ${host} is for another host.`,
    hint: 'Check the address of the blog, and what stands between.',
    retryable: false,
  },
  'not-secure': {
    what: ({ host }) => `No secure connection to ${host}.`,
    hint: 'Check whether the address is http:// or https://.',
    retryable: false,
  },
  'not-http': {
    what: ({ host }) => `What ${host} sent is not a whole HTTP answer.`,
    hint: 'Check the address of the blog, and what stands between.',
    retryable: true,
  },
  'only-interim': {
    what: ({ host }) => `${host} sends interim answers (1xx) without end, and no answer.`,
    hint: 'Check the address of the blog, and what stands between.',
    retryable: true,
  },
  'no-way': {
    what: ({ host }) => `The proxy does not lead to ${host}.`,
    hint: 'Check HTTP_PROXY, HTTPS_PROXY (http://name:password@host:port) and NO_PROXY.',
    retryable: true,
  },
  unsendable: {
    what: ({ host }) => `The request to ${host} cannot be sent as it is.`,
    hint: 'A header field has visible ASCII alone: look at the ETag or key that was given.',
    retryable: false,
  },
  lost: {
    what: ({ host }) => `No answer from ${host}.`,
    hint: 'Check the network and the address of the blog.',
    retryable: true,
  },
} as const satisfies Readonly<Record<string, Diagnosis>>;

export type NoAnswerKind = keyof typeof diagnoses;

/** Codes of Node, OpenSSL and undici. */
const kinds: Readonly<Record<string, NoAnswerKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'no-names',
  ETIMEDOUT: 'too-late',
  UND_ERR_CONNECT_TIMEOUT: 'too-late',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_HAS_EXPIRED: 'out-of-date',
  CERT_NOT_YET_VALID: 'out-of-date',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other-host',
  EPROTO: 'not-secure',
  HTTPParserError: 'not-http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
  ANSWER_TOO_LONG: 'too-long',
  UND_ERR_HEADERS_OVERFLOW: 'not-http',
  UND_ERR_INVALID_ARG: 'unsendable',
  UND_ERR_ABORTED: 'no-way',
};

/** What a failure of the socket means. */
export function kindOf(error: unknown): NoAnswerKind {
  const code = codeOf(error);
  return kinds[code] ?? (/^ERR_(?:TLS|SSL)/.test(code) ? 'not-secure' : 'lost');
}

/** Whether nothing was sent, for want of a connection. */
function isUnconnected(kind: NoAnswerKind, cause: unknown): boolean {
  if (kind === 'refused' || kind === 'no-names') return true;
  const isOfConnecting = isNativeError(cause) && 'syscall' in cause && cause.syscall === 'connect';
  return isOfConnecting || codeOf(cause) === 'UND_ERR_CONNECT_TIMEOUT';
}

/** Whether what could not be reached is what was asked, and not what stands between. */
function isOf(
  cause: unknown,
  { hostname, port }: Readonly<Record<'hostname' | 'port', string>>,
): boolean {
  const error = isNativeError(cause) && 'errors' in cause ? firstOf(cause.errors) : cause;
  if (!isNativeError(error) || !('syscall' in error)) return true;
  if (error.syscall === 'getaddrinfo') return !('hostname' in error) || error.hostname === hostname;
  if (error.syscall !== 'connect' || !('port' in error)) return true;
  return port === '' || String(error.port) === port;
}

function firstOf(several: unknown): unknown {
  return Array.isArray(several) ? several[0] : undefined;
}

/** The code of the failure or of the first reason beneath it (undici wraps, happy eyeballs collects). */
function codeOf(error: unknown): string {
  if (!isNativeError(error)) return '';
  // undici gives most of its parser's failures no code.
  if (error.name === 'HTTPParserError') return error.name;
  // undici's word for what a proxy says of a request that it does not pass on.
  if (error.message.startsWith('Proxy Authentication Required')) return 'UND_ERR_ABORTED';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf('errors' in error ? firstOf(error.errors) : error.cause);
}
