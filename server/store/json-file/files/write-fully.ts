import type { OpenFile } from './file-system.ts';

/** Up to here a synchronous write costs less than the way through the thread pool. */
const SYNCHRONOUS_BYTES = 256 * 1024;

/** Writes every byte, however short the single writes are. */
export async function writeFully(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const rest = bytes.subarray(done);
    const count =
      rest.length <= SYNCHRONOUS_BYTES
        ? file.write(rest, at + done)
        : await file.writeLater(rest, at + done);
    if (count === 0) throw noProgress();
    done += count;
  }
}

function noProgress(): Error {
  return Object.assign(new Error('ENOSPC: the file system took none of the bytes'), {
    code: 'ENOSPC',
  });
}
