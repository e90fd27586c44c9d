import type { Writable } from 'node:stream';

/** The reader of our output went away: the command ends quietly. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

export type Write = (text: string | Uint8Array) => Promise<void>;

/**
 * The one way to write to a stream: it resolves when the bytes are handed over, so that a slow
 * pipe slows us down and megabytes arrive whole. A pipe without reader is OutputClosed.
 */
export function createWrite(open: () => Writable): Write {
  let stream: Writable | undefined;
  let failure: Error | undefined;
  return (text) => {
    if (stream === undefined) {
      stream = open();
      stream.on('error', (error: Error) => (failure ??= error));
    }
    const target = stream;
    return new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(closedOr(failure));
      target.write(text, (error) => (error ? reject(closedOr(error)) : resolve()));
    });
  };
}

function closedOr(error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const closed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ECONNRESET'];
  return closed.includes(code) ? new OutputClosed(error.message, { cause: error }) : error;
}
