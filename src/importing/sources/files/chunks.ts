import { open } from 'node:fs/promises';

const chunkBytes = 1 << 17;

/**
 * The bytes of a file, always in the same buffer: a gigabyte read so leaves nothing behind for the
 * garbage collector. A chunk is only good until the next one is asked for.
 */
export async function* readChunks(path: string): AsyncGenerator<Buffer, void, void> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
