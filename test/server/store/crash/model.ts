/** What an article may be found as: its JSON, or null where it is deleted. */
export type State = string | null;

/** A creation does not know its id yet. */
export type InFlight = { readonly id: number; readonly state: State };
export const UNKNOWN_ID = 0;

/** What the store has promised at one moment. */
export type Promises = {
  /** Acknowledged: must be found, unless something in flight came over it. */
  readonly articles: ReadonlyMap<number, { readonly state: State; readonly tag: string }>;
  /** Asked for and not answered yet: may be found. */
  readonly inFlight: readonly InFlight[];
  /** Keys of acknowledged creations. */
  readonly keys: ReadonlyMap<string, number>;
  readonly changedAt: number;
};

export const NOTHING_PROMISED: Promises = {
  articles: new Map(),
  inFlight: [],
  keys: new Map(),
  changedAt: 0,
};

/** Each state an article may be in after a crash at this moment; undefined: never heard of. */
export function allowedStates(promises: Promises, id: number): (State | undefined)[] {
  const acknowledged = promises.articles.get(id);
  const inFlight = promises.inFlight.filter((change) => change.id === id);
  return [acknowledged?.state, ...inFlight.map(({ state }) => state)];
}
