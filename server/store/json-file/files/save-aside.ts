import { dirname } from 'node:path';
import { hasCode, writeFully, type FileSystem, type OpenFile } from './file-system.ts';

export type Aside = {
  readonly bytes: Buffer;
  /** Why it is saved: `torn`, `orphan`. */
  readonly reason: string;
  readonly now: number;
};

/** Keeps bytes that the store file will no longer have in a new file beside it; answers its path. */
export async function saveAside(
  fileSystem: FileSystem,
  path: string,
  { bytes, reason, now }: Aside,
): Promise<string> {
  const wanted = `${path}.${reason}-${new Date(now).toISOString().replaceAll(':', '')}`;
  const { file, savedAs } = newFile(fileSystem, wanted);
  try {
    const store = fileSystem.stat(path);
    if (store !== undefined) file.adopt(store);
    await writeFully(file, bytes, 0);
    await file.sync();
  } finally {
    file.close();
  }
  await fileSystem.syncFolder(dirname(path));
  return savedAs;
}

/** What was saved in the same millisecond stays. */
function newFile(fileSystem: FileSystem, wanted: string): { file: OpenFile; savedAs: string } {
  for (let number = 1; ; number += 1) {
    const savedAs = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      return { file: fileSystem.open(savedAs, 'create-new'), savedAs };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}
