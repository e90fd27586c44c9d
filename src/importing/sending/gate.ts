import type { Clock } from './clock.ts';

/** What all senders of one import pass through, so that one refusal holds back every one of them. */
export type Gate = {
  /** Resolves when a request may be sent; while trouble lasts, one sender at a time tries. */
  enter(signal: AbortSignal): Promise<void>;
  /** A request was answered: the way is free for all. */
  open(): void;
  /** Who was let in has not sent anything after all. */
  leave(): void;
  /** A request came to nothing: nobody sends for `ms`. */
  hold(ms: number): void;
};

/** A gate that stands open. */
export function createGate(clock: Clock): Gate {
  let held = false;
  let opensAt = 0;
  let trying = false;
  let waiting: (() => void)[] = [];

  function tell(): void {
    const told = waiting;
    waiting = [];
    for (const wake of told) wake();
  }

  return {
    async enter(signal) {
      for (;;) {
        if (!held || signal.aborted) return;
        const ms = opensAt - clock.now();
        if (ms > 0) await clock.wait(ms, signal);
        else if (trying) await new Promise<void>((wake) => waiting.push(wake));
        else {
          trying = true;
          return;
        }
      }
    },
    open() {
      held = false;
      trying = false;
      tell();
    },
    leave() {
      trying = false;
      tell();
    },
    hold(ms) {
      held = true;
      trying = false;
      opensAt = Math.max(opensAt, clock.now() + ms);
      tell();
    },
  };
}
