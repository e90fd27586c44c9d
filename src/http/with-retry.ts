import { setTimeout as wait } from 'node:timers/promises';
import { BlogctlError, hintOfWait, type Hint } from '../errors.ts';
import {
  hintOfDoubt,
  lookFirst,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './transport.ts';

export type RetryOptions = {
  /** Attempts after the first. */
  readonly retries: number;
  /** The longest single wait; where Retry-After asks for more, nothing is repeated. Milliseconds. */
  readonly maxWaitMs: number;
  /** Told before each wait. */
  readonly notice?: (text: string) => void;
  readonly now?: () => number;
  readonly random?: () => number;
  /** Ends a wait; its reason is what the request fails with. One of the request's own goes first. */
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const worthRepeating = new Set([429, 500, 502, 503, 504]);
const repeatable = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const firstWaitMs = 250;

/**
 * Repeats what may be repeated: GET, HEAD, PUT and DELETE, and POST only under an Idempotency-Key
 * (decisions 38), after no answer or a status that says "later". Full jitter, Retry-After honoured.
 * The last answer or failure is passed on.
 */
export function withRetry(next: Transport, options: RetryOptions): Transport {
  const sleep = options.sleep ?? ((ms, signal) => wait(ms, undefined, signal && { signal }));
  return async (request) => {
    const attempts = mayRepeat(request) ? options.retries : 0;
    let isOpen = false;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await next(request).catch(asFailure);
      const outcome = isOpen ? stillOpen(answer, request) : answer;
      isOpen ||= leavesOpen(answer);
      const waitMs = waitBefore(attempt, outcome, options);
      if (attempt >= attempts || !isWorthRepeating(outcome)) return passOn(outcome, attempt > 0);
      if (waitMs > options.maxWaitMs) return passOn(outcome, attempt > 0, true);
      options.notice?.(`${reason(outcome)} ${tryingAgain(waitMs, attempt + 1, attempts)}`);
      const signal = request.signal ?? options.signal;
      await sleep(waitMs, signal).catch((aborted: unknown) => {
        if (signal?.aborted !== true) throw aborted;
        throw isOpen ? stopped(request, signal.reason) : signal.reason;
      });
    }
  };
}

/** Whether what was asked may have been done, for all that came back. */
function leavesOpen(outcome: HttpResponse | BlogctlError): boolean {
  if (outcome instanceof BlogctlError) return outcome.context.maybeDone === true;
  return outcome.status >= 500 && !saysNo(outcome.status);
}

/** A failure to send once more says nothing of what was sent before. */
function stillOpen(
  outcome: HttpResponse | BlogctlError,
  request: HttpRequest,
): HttpResponse | BlogctlError {
  const doubt = hintOfDoubt(request);
  if (!(outcome instanceof BlogctlError) || doubt === undefined) return outcome;
  const { code, message, context } = outcome;
  if (context.maybeDone === true) return outcome;
  return new BlogctlError(code, message, { ...context, maybeDone: true }).hinting(doubt);
}

/** Whether sending the same request twice does no harm. */
export function mayRepeat({ method, headers }: HttpRequest): boolean {
  return repeatable.has(method) || (method === 'POST' && headers['idempotency-key'] !== undefined);
}

/** Why a request that was under way was given up; of a change that leaves open what was done, but of a keyed one. */
export function stopped(request: HttpRequest, end: unknown): unknown {
  const isKeyed = request.headers?.['idempotency-key'] !== undefined;
  const hint = isKeyed ? undefined : hintOfDoubt(request);
  if (hint === undefined || !(end instanceof BlogctlError)) return end;
  const { code, message, context } = end;
  return new BlogctlError(code, message, { ...context, maybeDone: true, hint });
}

/** Words for `code` by which our own service says that it changed nothing (decisions 36). */
const nothingChanged: ReadonlySet<string | undefined> = new Set(['unavailable', 'store-changed']);

/**
 * A refusal, not a failure while it was done. 503 alone is none: a proxy answers it for a service that
 * goes on working.
 */
export function saysNo(status: number, code?: string): boolean {
  const isRefused = (status >= 400 && status < 500) || [501, 507].includes(status);
  return isRefused || (status === 503 && nothingChanged.has(code));
}

export function asFailure(error: unknown): BlogctlError {
  if (error instanceof BlogctlError) return error;
  throw error;
}

function isWorthRepeating(outcome: HttpResponse | BlogctlError): boolean {
  if (outcome instanceof BlogctlError) return outcome.context.retryable === true;
  // The first request under this key still runs, says such a 409 (decisions 32).
  const isForLater = outcome.status === 409 && outcome.headers['retry-after'] !== undefined;
  return isForLater || worthRepeating.has(outcome.status);
}

function passOn(
  outcome: HttpResponse | BlogctlError,
  isRepetition: boolean,
  isWaitTooLong = false,
): HttpResponse {
  if (outcome instanceof BlogctlError) throw outcome;
  const waited = isWaitTooLong ? { ...outcome, isWaitTooLong } : outcome;
  return isRepetition ? { ...waited, afterUnclearAnswer: true } : waited;
}

function waitBefore(
  attempt: number,
  outcome: HttpResponse | BlogctlError,
  { maxWaitMs, random = Math.random, now = Date.now }: RetryOptions,
): number {
  const asked = outcome instanceof BlogctlError ? undefined : retryAfterMs(outcome, now());
  return asked ?? Math.min(random() * firstWaitMs * 2 ** attempt, maxWaitMs);
}

/** Retry-After as seconds or as a date (RFC 9110, 10.2.3), in milliseconds from now; no other number is a date. */
export function retryAfterMs({ headers }: HttpResponse, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  if (!/[a-z]/i.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** What to do where a service says for how long it wants to be left alone. */
export function waitHint(response: HttpResponse): Hint | undefined {
  const { status, isWaitTooLong, afterUnclearAnswer } = response;
  const ms = retryAfterMs(response, Date.now()) ?? 0;
  if (ms === 0 || ![409, 429, 503].includes(status)) return undefined;
  if (isWaitTooLong === true) return hintOfWait(ms, 'too long');
  return hintOfWait(ms, afterUnclearAnswer === true ? 'tried' : 'once');
}

/** What may have been created by a service that wants to be left alone. */
export function lookAndWait(response: HttpResponse): Hint {
  const later = waitHint(response);
  return later === undefined ? lookFirst : `${lookFirst} Where it was not: ${later}`;
}

function reason(outcome: HttpResponse | BlogctlError): string {
  return outcome instanceof BlogctlError
    ? outcome.message
    : `The service answered ${outcome.status}.`;
}

function tryingAgain(waitMs: number, attempt: number, attempts: number): string {
  const seconds = waitMs < 950 ? 'shortly' : `in ${Math.round(waitMs / 1000)} s`;
  return `Trying again ${seconds} (${attempt} of ${attempts}).`;
}

/** What is not waited for when a signal comes: its reason is what that fails with. */
export async function endedBy<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** How long to wait before the same request; undefined where the answer is one to look at. */
export function waitAskedFor(response: HttpResponse, doubled: number): number | undefined {
  const { status } = response;
  const asked = retryAfterMs(response, Date.now());
  if (status === 429) return asked ?? doubled;
  return status === 503 ? asked : undefined;
}
