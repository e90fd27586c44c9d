/**
 * Lets each caller go on in a turn of the event loop of its own, one after the other, so that whoever
 * asks for something short is heard between two of many who ask for much.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(() => new Promise((next) => setImmediate(next))));
}

const mostGathered = 64;

export type Gathered = {
  /** Starts this behind what was added before, at the end of the turn. */
  add(start: () => void): void;
  /** Starts all of it now. */
  startAll(): void;
};

/**
 * Holds what comes within one turn of the event loop, and starts it at the turn's end, in order. To
 * wake a reader costs a third of a short answer: answers that leave one right behind the other find
 * their readers awake.
 */
export function createGathered(): Gathered {
  let waiting: (() => void)[] = [];
  const startAll = () => {
    const all = waiting;
    waiting = [];
    for (const start of all) start();
  };
  return {
    add(start) {
      if (waiting.push(start) === 1) setImmediate(startAll);
      if (waiting.length === mostGathered) startAll();
    },
    startAll,
  };
}
