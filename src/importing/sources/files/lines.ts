export type Line = {
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Of the first byte, in the whole stream. */
  readonly offset: number;
};

const newline = 0x0a;

/** The lines of a stream of bytes, without their newline: those that end in one chunk together. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Iterable<Line>, void, void> {
  let pieces: Buffer[] = [];
  let number = 1;
  let offset = 0;

  function* linesIn(chunk: Buffer): Generator<Line, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const bytes = whole(pieces, chunk.subarray(start, end));
      yield { bytes, number, offset };
      pieces = [];
      number += 1;
      offset += bytes.length + 1;
      start = end + 1;
    }
    // The chunk's own bytes are overwritten by the next one.
    if (start < chunk.length) pieces.push(Buffer.from(chunk.subarray(start)));
  }

  for await (const chunk of chunks) yield linesIn(chunk);
  if (pieces.length > 0) yield [{ bytes: Buffer.concat(pieces), number, offset }];
}

function whole(pieces: readonly Buffer[], last: Buffer): Buffer {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}
