import type { Readable } from 'node:stream';
import { Refusal } from '../errors.ts';

/**
 * The whole body of a request. What is too long is read to its end all the same, but not kept: a
 * connection cut in the middle would take the answer with it.
 */
export function readBody(incoming: Readable, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const breakOff = () => {
      // What was read to its end closes too.
      if (!incoming.readableEnded) reject(new Refusal('bad-request', 'The body broke off.'));
    };
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      else reject(new Refusal('payload-too-large', `A body has at most ${limitBytes} bytes.`));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', breakOff);
    incoming.on('close', breakOff);
  });
}
