import { setTimeout as delay } from 'node:timers/promises';
import type { Batch } from '../sources/source.ts';

export type Sending<T, Outcome> = {
  deliver(record: T, signal: AbortSignal): Promise<Outcome>;
  readonly concurrency: number;
  /** Told of each outcome; answers whether to go on. */
  settled(record: T, outcome: Outcome): boolean | Promise<boolean>;
};

/**
 * The second of two passes: so many senders take records from one reader, each the next when it is
 * free. When one fails or is told to stop, none takes another record; what is under way is finished.
 */
export async function sendAll<T, Outcome>(
  batches: AsyncGenerator<Batch<T>, void, void>,
  sending: Sending<T, Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const take = createTaker(batches);

  async function send(): Promise<void> {
    while (!stopped.aborted) {
      const record = await take();
      if (record === undefined || stopped.aborted) return;
      const outcome = await sending.deliver(record, stopped);
      if (!(await sending.settled(record, outcome))) stop.abort();
    }
  }

  async function sendOrStop(): Promise<void> {
    try {
      await send();
    } catch (error) {
      const isOwnStop = stopped.aborted && error === stopped.reason;
      stop.abort();
      if (!isOwnStop) throw error;
    }
  }

  const senders = Array.from({ length: sending.concurrency }, sendOrStop);
  const failed = (await Promise.allSettled(senders)).find(({ status }) => status === 'rejected');
  await batches.return();
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Hands out single records to whoever asks next; undefined when there are no more. */
function createTaker<T>(batches: AsyncGenerator<Batch<T>, void, void>) {
  let atHand: Iterator<T> | undefined = [].values();
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const batch = await batches.next();
    atHand = batch.done === true ? undefined : batch.value[Symbol.iterator]();
    reading = undefined;
  }

  return function take(): T | undefined | Promise<T | undefined> {
    const next = atHand?.next();
    if (next?.done !== true) return next?.value;
    return (reading ??= read()).then(take);
  };
}

/** Does something for each of several things, some at a time; the first failure ends it. */
export async function forAll<T>(
  things: readonly T[],
  deliver: (thing: T, signal: AbortSignal) => Promise<void>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<void> {
  async function* batches(): AsyncGenerator<readonly T[], void, void> {
    yield things;
  }
  await sendAll(batches(), { deliver, concurrency, settled: () => true }, signal);
}

/** Time and chance, as far as sending depends on them; a test passes its own. */
export type Clock = {
  /** Milliseconds from any fixed moment. */
  now(): number;
  /** Resolves after `ms`, at once when `signal` is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, not including, 1. */
  random(): number;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(passAbort),
  random: () => Math.random(),
};

function passAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/** The rhythm in which requests are sent: as fast as answers come until a service says 429. */
export type RateLimiter = {
  /** Every request is due at once. */
  readonly isUnlimited: boolean;
  /** Resolves when the next request is due. */
  acquire(signal: AbortSignal): Promise<void>;
  answered(): void;
  /** Refused for being too fast; nothing is sent for `holdMs`. */
  refused(holdMs: number): void;
};

/** Enough to tell a rate from chance. */
const enoughAnswers = 10;
/** Shares of the rate. The first guess is low, so it is left behind quickly until it is refused. */
const growthPerSecond = { guessed: 0.02, found: 0.0001 };
const growthDoublesAfterMs = 30_000;
/** How far below the rate that was refused: more where that one was reached in haste. */
const belowLimit = { guessed: 0.955, found: 0.98 };
/** Refused again so soon, the limit is lower still. */
const soonMs = 5_000;
const lowerStill = 0.97;
/**
 * At once, the rate was far off, and the next is a guess again: a first burst may have spent the
 * allowance of two seconds.
 */
const atOnceMs = 1_000;
const farLower = 0.8;

/**
 * Learns the rate a service allows: what it answered before its first refusal is a guess, the rate
 * at which it refuses again is the limit. Stays just below it and tries a little more as long as
 * nothing is refused. `perSecond` is never exceeded.
 */
export function createRateLimiter(clock: Clock, perSecond: number | undefined): RateLimiter {
  const shortest = perSecond === undefined ? 0 : 1000 / perSecond;
  let interval = shortest;
  let state: 'free' | 'guessed' | 'found' = 'free';
  let dueAt = 0;
  let since = clock.now();
  let answers = 0;
  let lastAnswerAt = since;

  /** Slowly at first, faster the longer it goes well: limits may have been raised. */
  function grow(now: number, share: number): void {
    const seconds = Math.max(0, now - lastAnswerAt) / 1000;
    const growth = share * (1 + Math.max(0, now - since) / growthDoublesAfterMs);
    interval = Math.max(shortest, interval * (1 - Math.min(0.5, growth * seconds)));
    lastAnswerAt = now;
  }

  function slower(stretchMs: number, holdMs: number): number {
    if (state === 'free') return (stretchMs + holdMs) / answers;
    if (stretchMs < atOnceMs) return interval / farLower;
    const isSoon = stretchMs < soonMs && state === 'found';
    return interval / (isSoon ? lowerStill : belowLimit[state]);
  }

  return {
    get isUnlimited() {
      return interval === 0;
    },
    async acquire(signal) {
      if (interval === 0) return;
      const now = clock.now();
      const at = Math.max(now, dueAt);
      dueAt = at + interval;
      if (at > now) await clock.wait(at - now, signal);
    },
    answered() {
      answers += 1;
      if (state !== 'free') grow(clock.now(), growthPerSecond[state]);
    },
    refused(holdMs) {
      const now = clock.now();
      if (state !== 'free' || answers >= enoughAnswers) {
        interval = Math.max(shortest, slower(now - since, holdMs));
        state = state === 'free' || now - since < atOnceMs ? 'guessed' : 'found';
      }
      since = now + holdMs;
      // The one request that tries the way then is a turn too.
      dueAt = Math.max(dueAt, since + interval);
      lastAnswerAt = since;
      answers = 0;
    },
  };
}

/** The first failure ends both. */
export async function atOnce<A, B>(
  signal: AbortSignal,
  [one, other]: readonly [(signal: AbortSignal) => Promise<A>, (signal: AbortSignal) => Promise<B>],
): Promise<[A, B]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    return await Promise.all([one(either), other(either)]);
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}
