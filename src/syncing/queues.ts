/** Hands out things by digest, each once, in their order. */
export function createQueues<T>(things: readonly T[], keyOf: (thing: T) => string) {
  const queues = grouped(things, keyOf);
  return {
    take(digests: Iterable<string>): T | undefined {
      for (const digest of digests) {
        const found = queues.get(digest)?.shift();
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

export function grouped<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}
