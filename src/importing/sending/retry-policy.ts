import { BlogctlError, hintOfWait } from '../../errors.ts';
import { createRateLimiter, type Clock } from './pace.ts';

export type RetryLimits = {
  /** How long a service that answers "later" (429, 503) is waited for in all. */
  readonly maxWaitMs: number;
  /** How long one that does not answer at all is waited for. */
  readonly maxSilenceMs: number;
  /** Requests a second at most. */
  readonly perSecond?: number | undefined;
  /** Attempts at one record that the service fails on (500, 502, 504). */
  readonly attempts: number;
  /** Attempts at anything, where somebody said how many. */
  readonly maxAttempts?: number | undefined;
  /** Told of waits that a person would notice. */
  readonly waits?: ((notice: string) => void) | undefined;
};

/**
 * Sends again what may be sent again; throws the last error once the limits are reached or `signal`
 * is aborted, the signal's reason where nothing was sent yet.
 */
export type RetryPolicy = <Answer>(
  send: () => Promise<Answer>,
  signal: AbortSignal,
) => Promise<Answer>;

type ErrorClass = 'later' | 'timeout' | 'transient';

/** From 1, and when its request was sent. */
type Attempt = { readonly attempt: number; readonly sentAt: number };

const firstBackoffMs = 100;
const longestBackoffMs = 8_000;
const noticeableMs = 3_000;
const toldAgainMs = 30_000;

/**
 * One retry policy for a whole import: its circuit breaker stops every sender, its waiting is counted
 * from the last answer anybody got, and its retries come out of one budget, so that a service in
 * trouble sees fewer requests than before, never more.
 */
export function createRetryPolicy(clock: Clock, limits: RetryLimits): RetryPolicy {
  const breaker = createCircuitBreaker(clock);
  const limiter = createRateLimiter(clock, limits.perSecond);
  const budget = createBudget();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | undefined;
  let failuresInARow = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  function answered(): void {
    answeredAt = clock.now();
    failingSince = undefined;
    failuresInARow = 0;
    budget.earn();
    limiter.answered();
    breaker.close();
  }

  /** Who waited for the breaker to close is paced again: not all of them at once. */
  async function enter(signal: AbortSignal): Promise<void> {
    do await limiter.acquire(signal);
    while ((await breaker.enter(signal)) === 'waited' && !signal.aborted);
  }

  /** A person is told of long waits, the first at once. */
  function tell(error: BlogctlError, pause: number, left: number): void {
    const failingMs = clock.now() - (failingSince ?? clock.now());
    if (failingMs + pause < noticeableMs || clock.now() - toldAt < toldAgainMs) return;
    toldAt = clock.now();
    const [soon, end] = [pause, left].map((ms) => Math.ceil(ms / 1000));
    limits.waits?.(`${error.message} Trying again in ${soon} s, and so on for ${end} s.`);
  }

  /** How long to wait before the next attempt; undefined where there is no sense in one. */
  function pauseAfter(error: unknown, { attempt, sentAt }: Attempt): number | undefined {
    const errorClass = classOf(error);
    if (errorClass === undefined || !(error instanceof BlogctlError)) return undefined;
    const now = clock.now();
    // A service that lets requests run into their timeout was silent all that time.
    failingSince ??= errorClass === 'timeout' ? Math.max(sentAt, answeredAt) : now;
    failuresInARow += 1;
    const { attempts, maxAttempts = Number.POSITIVE_INFINITY } = limits;
    if (attempt >= (errorClass === 'transient' ? Math.min(attempts, maxAttempts) : maxAttempts))
      return undefined;
    if (errorClass !== 'later' && !budget.spend()) return undefined;
    const limit = errorClass === 'timeout' ? limits.maxSilenceMs : limits.maxWaitMs;
    // In this order: a sum of fractions of milliseconds may be less than its parts.
    const left = limit - (now - failingSince);
    const pause = error.context.retryAfterMs ?? Math.min(left, backoff(failuresInARow, clock));
    if (left <= 0 || pause > left) return undefined;
    if (error.context.status === 429 && !breaker.isOpen) limiter.refused(pause);
    tell(error, pause, left);
    return pause;
  }

  return async (send, signal) => {
    let last: unknown;
    for (let attempt = 1; ; attempt += 1) {
      if (breaker.isOpen || !limiter.isUnlimited) await enter(signal);
      if (signal.aborted) {
        breaker.release();
        throw last ?? signal.reason;
      }
      const sentAt = clock.now();
      try {
        const answer = await send();
        answered();
        return answer;
      } catch (error) {
        const pause = pauseAfter(error, { attempt, sentAt });
        if (pause === undefined) {
          if (classOf(error) === undefined) answered();
          else breaker.close();
          throw withWait(error, attempt, limits);
        }
        last = error;
        // One failure between answers is one request's; more are the service's.
        const isAlone = failuresInARow === 1 && classOf(error) !== 'later' && !breaker.isOpen;
        if (isAlone) await clock.wait(pause, signal);
        else breaker.open(pause);
      }
    }
  };
}

/** More is to be allowed only where a service asked for more than was, and not where all was tried. */
function withWait(error: unknown, attempt: number, limits: RetryLimits): unknown {
  if (!(error instanceof BlogctlError) || classOf(error) !== 'later') return error;
  const { retryAfterMs = 0, status } = error.context;
  if (retryAfterMs === 0 || status === 409) return error;
  const isLast = attempt >= (limits.maxAttempts ?? Number.POSITIVE_INFINITY);
  const isTooLong = !isLast && retryAfterMs > limits.maxWaitMs;
  const end = isTooLong ? 'too long' : attempt > 1 ? 'tried' : 'once';
  const context = { ...error.context, hint: hintOfWait(retryAfterMs, end) };
  return new BlogctlError(error.code, error.message, context);
}

function classOf(error: unknown): ErrorClass | undefined {
  if (!(error instanceof BlogctlError)) return undefined;
  const { status } = error.context;
  if (error.code === 'unreachable') return 'timeout';
  if (status === 429 || status === 503) return 'later';
  // An Idempotency-Key whose first request is still running (decisions 32).
  if (status === 409 && error.context.retryAfterMs !== undefined) return 'later';
  return failures.has(status ?? 0) ? 'transient' : undefined;
}

/** Statuses of a service that failed on the one request, and may have done it. */
export const failures: ReadonlySet<number> = new Set([500, 502, 504]);

/** After these the article may be there: no answer, a failure while answering, none that says where. */
export function leavesDoubt(error: unknown): error is BlogctlError {
  if (!(error instanceof BlogctlError)) return false;
  const { maybeDone, status = 0 } = error.context;
  // Nothing listened, say: it was never sent.
  if (error.code === 'unreachable') return maybeDone !== false;
  return maybeDone === true || failures.has(status);
}

/** Full jitter: senders that failed together do not come back together. */
function backoff(inARow: number, clock: Clock): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(inARow, 10));
  return ceiling * (0.25 + 0.75 * clock.random());
}

/** Retries are earned by answers: one for five of them, a hundred in advance. */
function createBudget(): { earn(): void; spend(): boolean } {
  const most = 100;
  let left = most;
  return {
    earn() {
      left = Math.min(most, left + 0.2);
    },
    spend() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

/** What all senders of one import pass through, so that one refusal holds back every one of them. */
export type CircuitBreaker = {
  /**
   * Resolves when a request may be sent: at once where the way is free, as the one who tries while
   * trouble lasts, or after having waited for that one.
   */
  enter(signal: AbortSignal): Promise<'closed' | 'half-open' | 'waited'>;
  readonly isOpen: boolean;
  /** A request was answered: all may send again, unless it was sent before the breaker opened. */
  close(): void;
  /** Who was let in has not sent anything after all. */
  release(): void;
  /** A request came to nothing: nobody sends for `ms`. */
  open(ms: number): void;
};

/** Closed at first: requests pass. */
function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let isOpen = false;
  let halfOpenAt = 0;
  let trying = false;
  let waiting: (() => void)[] = [];

  function tell(): void {
    const told = waiting;
    waiting = [];
    for (const wake of told) wake();
  }

  return {
    get isOpen() {
      return isOpen;
    },
    async enter(signal) {
      for (let waited = false; ; waited = true) {
        if (!isOpen || signal.aborted) return waited ? 'waited' : 'closed';
        const ms = halfOpenAt - clock.now();
        if (ms > 0) await clock.wait(ms, signal);
        else if (trying) await new Promise<void>((wake) => waiting.push(wake));
        else {
          trying = true;
          return 'half-open';
        }
      }
    },
    close() {
      // An answer to what was sent before it opened says nothing about what may be sent now.
      if (isOpen && !trying) return;
      isOpen = false;
      trying = false;
      tell();
    },
    release() {
      trying = false;
      tell();
    },
    open(ms) {
      isOpen = true;
      trying = false;
      halfOpenAt = Math.max(halfOpenAt, clock.now() + ms);
      tell();
    },
  };
}
