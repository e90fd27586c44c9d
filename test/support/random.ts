/** Random numbers that are the same for the same seed. */
export type Random = {
  /** 0 ≤ n < 1 */
  next(): number;
  below(limit: number): number;
  oneOf<T>(choices: readonly T[]): T;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    oneOf: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new RangeError('nothing to choose from');
      return choice;
    },
  };
}

/** Of this run, which says it in the names of its tests; BLOGCTL_SEED=<seed> is the same again. */
export const seed = Number(process.env['BLOGCTL_SEED'] ?? Date.now() % 1_000_000);
export const random = seededRandom(seed);
