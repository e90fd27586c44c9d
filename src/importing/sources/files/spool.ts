import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export type SpooledFile = { readonly path: string; remove(): Promise<void> };

/** Keeps a stream in a private temporary file, because an import reads its source twice. */
export async function spool(stream: NodeJS.ReadableStream): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'stdin');
  try {
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
