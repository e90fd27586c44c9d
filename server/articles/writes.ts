import type { Store } from '../store/store.ts';

/** The changes of a store, and a way to look at the whole collection before one. */
export type Writes = Pick<Store, 'create' | 'replace' | 'remove'> & {
  /** Runs `change` while no other change runs: what it reads stays true until it has written. */
  readonly alone: <Result>(change: () => Promise<Result>) => Promise<Result>;
};

/**
 * Lets changes run side by side, as the store likes them, except beside one that runs alone: a
 * POST guarded by the collection's tag must not pass together with another write (decisions 17).
 */
export function createWrites(store: Store): Writes {
  const running = new Set<Promise<void>>();
  let lastAlone: Promise<void> = Promise.resolve();

  function together<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = lastAlone.then(change);
    const ended = result.then(ignore, ignore);
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return result;
  }

  function alone<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = Promise.all([lastAlone, ...running]).then(change);
    lastAlone = result.then(ignore, ignore);
    return result;
  }

  return {
    create: (...details) => together(() => store.create(...details)),
    replace: (...details) => together(() => store.replace(...details)),
    remove: (...details) => together(() => store.remove(...details)),
    alone,
  };
}

/** Whoever asked for a change hears how it ended; the others only wait for its end. */
function ignore(): void {}
