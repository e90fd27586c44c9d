export type GatheredLines = {
  readonly put: (line: string) => void;
  /** Writes what waits, at once. */
  readonly flush: () => void;
};

const gatherMs = 20;

/** Lets lines leave together: a write for each would cost more than the answer it tells of. */
export function gatherLines(write: (lines: string) => void): GatheredLines {
  const waiting: string[] = [];
  const flush = () => {
    if (waiting.length > 0) write(waiting.splice(0).join('\n'));
  };
  return {
    put(line) {
      if (waiting.push(line) === 1) setTimeout(flush, gatherMs);
    },
    flush,
  };
}
