import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { PRIVATE_FILE } from '../../../files.ts';

export type SpooledFile = { readonly path: string; remove(): Promise<void> };

/** Keeps a stream in a private temporary file, because an import reads its source twice. */
export async function spool(stream: Readable, signal?: AbortSignal): Promise<SpooledFile> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'stdin');
  try {
    await write(stream, path, signal);
    return { ...folder, path };
  } catch (error) {
    await folder.remove();
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/** A folder that nobody else may look into. */
export async function temporaryFolder(): Promise<SpooledFile> {
  const path = await mkdtemp(join(tmpdir(), 'blogctl-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function write(stream: Readable, path: string, signal?: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  const release = createRelease();
  try {
    // Not before: what is aborted while nobody reads it ends the process.
    for await (const chunk of signal ? addAbortSignal(signal, stream) : stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      await file.appendFile(bytes);
      release(bytes);
    }
  } finally {
    await file.close();
  }
}

/**
 * Gives back the memory of chunks that were written. Their collector sees small objects only and
 * would let 32 MB of them pile up: sent to a closed port they are gone at once.
 */
function createRelease(): (bytes: Uint8Array) => void {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return ({ buffer }) => {
    // Smaller ones may share their memory with others.
    if (buffer.byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) {
      port1.postMessage(undefined, [buffer]);
    }
  };
}
