import { hasCode } from './files/error-code.ts';
import type { FileSystem } from './files/file-system.ts';
import { realFileSystem } from './files/real-file-system.ts';
import { REST_MS } from './compaction/compactor.ts';
import { JsonFileStore } from './json-file-store.ts';
import { hold } from './lock/hold.ts';
import { OpenDocument } from './open-document.ts';
import { recover } from './recovery/recover.ts';
import { UnusableStore } from './unusable-store.ts';

export type OpenOptions = {
  readonly path: string;
  readonly fileSystem?: FileSystem;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Told what a person should know, in one sentence each. */
  readonly report?: (notice: string) => void;
  readonly readOnly?: boolean;
  /** After so long without a write the file is tidied. */
  readonly restMs?: number;
};

/**
 * Opens a store file for this process alone: takes its lock, mends what a crash left, reads its
 * index. Throws UnusableStore, the file untouched, or StoreHeld.
 */
export async function openJsonFile(options: OpenOptions): Promise<JsonFileStore> {
  const { fileSystem = realFileSystem, now = Date.now, report = () => undefined } = options;
  const path = realPath(fileSystem, options.path);
  const held = await hold(fileSystem, path, now());
  try {
    const recovering = { fileSystem, path, crash: held.crash, now: now() };
    const { file, document, recovery } = await recover(recovering);
    const opened = new OpenDocument({ fileSystem, path }, file, document);
    const { restMs = REST_MS } = options;
    return new JsonFileStore({ document: opened, recovery, hold: held, now, report, restMs });
  } catch (error) {
    await held.release(held.crash === undefined);
    throw error;
  }
}

function realPath(fileSystem: FileSystem, path: string): string {
  try {
    return fileSystem.realPath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new UnusableStore('missing', `There is no store file ${path}.`, {
      hint: 'Make one with `blogctl store init`.',
      cause: error,
    });
  }
}
