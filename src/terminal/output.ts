import type { Writable } from 'node:stream';
import { BlogctlError } from '../errors.ts';

/** The reader of our output went away: the command ends quietly. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

export type Write = (text: string | Uint8Array) => Promise<void>;

/**
 * The one way to write to a stream: it resolves when the bytes are handed over, so that a slow
 * pipe slows us down and megabytes arrive whole. A pipe without reader is OutputClosed; anything
 * else that hinders it, like a full disk, is `unusable-input`.
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
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (closedCodes.has(code)) return new OutputClosed(error.message, { cause: error });
  return new BlogctlError('unusable-input', 'The output cannot be written.', {
    hint: 'Make room on the disk, or write somewhere else.',
    cause: error,
  });
}

const closedCodes = new Set([
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ECONNRESET',
]);
