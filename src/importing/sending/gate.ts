import type { Clock } from './clock.ts';

/** What all senders of one import pass through, so that one refusal holds back every one of them. */
export type Gate = {
  /**
   * Resolves when a request may be sent: at once where the way is free, as the one who tries while
   * trouble lasts, or after having waited for that one.
   */
  enter(signal: AbortSignal): Promise<'free' | 'trying' | 'waited'>;
  readonly held: boolean;
  /** A request was answered: the way is free for all, unless it was sent before the hold. */
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
    get held() {
      return held;
    },
    async enter(signal) {
      for (let waited = false; ; waited = true) {
        if (!held || signal.aborted) return waited ? 'waited' : 'free';
        const ms = opensAt - clock.now();
        if (ms > 0) await clock.wait(ms, signal);
        else if (trying) await new Promise<void>((wake) => waiting.push(wake));
        else {
          trying = true;
          return 'trying';
        }
      }
    },
    open() {
      // An answer to what was sent before the hold says nothing about what may be sent during it.
      if (held && !trying) return;
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
