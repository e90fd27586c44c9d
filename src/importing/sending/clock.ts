import { setTimeout as delay } from 'node:timers/promises';

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
