/**
 * Lets each caller go on in a turn of the event loop of its own, one after the other, so that whoever
 * asks for something short is heard between two of many who ask for much.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(() => new Promise((next) => setImmediate(next))));
}
