import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Shares } from './shares.ts';

/** Below it what is left over goes with the next collection of garbage, whenever that is. */
const muchBytes = 8 * 1024 * 1024;
/** What one collection finds free, the next one gives back. */
const collections = 2;

/**
 * Gives memory back after much was held for slow clients: a service at rest makes no garbage,
 * and without a cause V8 does not look for what it could free. To be called every few seconds;
 * measured by `test/nightly/readers.mjs`.
 */
export function createMemoryReturn(
  shares: readonly Pick<Shares, 'mostSinceAsked'>[],
  collect: () => void = collectGarbage,
): () => void {
  let left = 0;
  return () => {
    const most = shares.map((share) => share.mostSinceAsked());
    if (Math.max(...most) > muchBytes) left = collections;
    else if (left > 0) {
      left -= 1;
      collect();
    }
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc();
}
