import { random } from '../support/random.ts';

/** What an article is: its text, or nothing (deleted or not there). */
export type State = string | null;
/** `path` is not known of a creation that was not answered. */
export type Attempt = { readonly path?: string; readonly state: State };

/** What a service promised, from its answers alone. */
export type Ledger = {
  /** Articles nobody is changing at the moment; whoever takes one gives it back by an answer. */
  take(): string | undefined;
  readonly idle: number;
  attempt(attempt: Attempt): Answered;
  readonly acknowledged: number;
  /** Resolves when so many changes have been acknowledged. */
  reached(count: number): Promise<void>;
  /** Holds what is found against the promises, and goes on from there. */
  differences(found: ReadonlyMap<string, string>): readonly string[];
};

/** To be called when the change was acknowledged. */
export type Answered = (path: string) => void;

export function createLedger(): Ledger {
  const known = new Map<string, State>();
  const idle = new Set<string>();
  const inFlight = new Set<Attempt>();
  let acknowledged = 0;
  let goal = { count: 0, reached: (): void => undefined };
  return {
    take: () => {
      const paths = [...idle];
      const path = paths[random.below(paths.length)];
      if (path !== undefined) idle.delete(path);
      return path;
    },
    get idle() {
      return idle.size;
    },
    attempt: (attempt) => {
      inFlight.add(attempt);
      return (path) => {
        inFlight.delete(attempt);
        known.set(path, attempt.state);
        if (attempt.state !== null) idle.add(path);
        acknowledged += 1;
        if (acknowledged === goal.count) goal.reached();
      };
    },
    get acknowledged() {
      return acknowledged;
    },
    reached: (count) =>
      new Promise((reached) => {
        goal = { count, reached };
      }),
    differences: (found) => {
      const broken = compare(known, inFlight, found);
      known.clear();
      idle.clear();
      inFlight.clear();
      for (const [path, state] of found) {
        known.set(path, state);
        idle.add(path);
      }
      return broken;
    },
  };
}

/** A change in flight may have come to pass or not; nothing else may differ. */
function compare(
  known: ReadonlyMap<string, State>,
  inFlight: ReadonlySet<Attempt>,
  found: ReadonlyMap<string, string>,
): string[] {
  const possible = (path: string): readonly State[] =>
    [...inFlight]
      .filter((attempt) => attempt.path === (known.has(path) ? path : undefined))
      .map(({ state }) => state);
  return [...new Set([...known.keys(), ...found.keys()])].flatMap((path) => {
    const promised = known.get(path) ?? null;
    const state = found.get(path) ?? null;
    if (state === promised || possible(path).includes(state)) return [];
    return [`${path} is ${beginning(state)}, not ${beginning(promised)}`];
  });
}

function beginning(state: State): string {
  return state === null ? 'not there' : `"${state.slice(0, 40)}"`;
}
