import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Transport } from './http/transport.ts';

/** A blog in a store file of this machine. */
export type LocalBlog = {
  readonly blogUrl: string;
  /** Grants every right on it, for this run. */
  readonly token: string;
  /** Absent where another process serves the file: then blogUrl leads to that. */
  readonly transport?: Transport;
  close(): Promise<void>;
};

/** Opens the file, or finds who serves it. The folder is made; so is a missing file. */
export async function openLocalBlog(path: string): Promise<LocalBlog> {
  await mkdir(dirname(path), { recursive: true });
  throw new Error('not landed');
}
