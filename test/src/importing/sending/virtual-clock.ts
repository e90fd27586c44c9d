import type { Clock } from '../../../../src/importing/sending/pace.ts';

/** Time that passes only when everybody waits: events come in the order of their moments. */
export function createVirtualClock(): Clock {
  const waiting: { readonly at: number; readonly wake: () => void }[] = [];
  let now = 0;
  let pumping = false;

  function pump(): void {
    const next = waiting.shift();
    pumping = next !== undefined;
    if (next === undefined) return;
    now = next.at;
    next.wake();
    setImmediate(pump);
  }

  return {
    now: () => now,
    random: () => 0.5,
    wait(ms) {
      return new Promise((wake) => {
        const at = now + ms;
        const place = waiting.findIndex((other) => other.at > at);
        waiting.splice(place === -1 ? waiting.length : place, 0, { at, wake });
        if (!pumping) setImmediate(pump);
        pumping = true;
      });
    },
  };
}
