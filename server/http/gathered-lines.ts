export type GatheredLines = {
  /** Takes a line of ASCII. */
  readonly put: (line: string) => void;
  /** Writes what waits, at once. */
  readonly flush: () => void;
};

const gatherMs = 20;
const roomBytes = 64 * 1024;
const lineFeed = 10;

/**
 * Lets lines leave together: a write for each would cost more than the answer it tells of. They wait
 * as bytes: a thousand short strings would be copied by every collection of garbage meanwhile.
 */
export function gatherLines(write: (lines: string) => void): GatheredLines {
  const waiting = Buffer.alloc(roomBytes);
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    const lines = waiting.toString('latin1', 0, length - 1);
    length = 0;
    write(lines);
  };
  return {
    put(line) {
      if (line.length >= roomBytes - length) flush();
      if (length === 0) setTimeout(flush, gatherMs);
      length += waiting.write(line, length, 'latin1');
      waiting[length] = lineFeed;
      length += 1;
    },
    flush,
  };
}
