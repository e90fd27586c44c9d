export type GatheredLines = {
  readonly put: (line: string) => void;
  /** Writes what waits, at once. */
  readonly flush: () => void;
};

const gatherMs = 20;

/** Lets lines leave together: a write for each would cost more than the answer it tells of. */
export function gatherLines(write: (lines: string) => void): GatheredLines {
  let waiting = '';
  const flush = () => {
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    put(line) {
      if (waiting === '') setTimeout(flush, gatherMs);
      waiting = waiting === '' ? line : `${waiting}\n${line}`;
    },
    flush,
  };
}
