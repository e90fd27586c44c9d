import { hasCode } from './error-code.ts';
import type { FileSystem } from './file-system.ts';

/**
 * Gives a temporary file a name that is free; EEXIST where it is not, be it a link that leads
 * nowhere. A second name is given or refused in one step; a rename would take what is there away.
 */
export function nameNew(fileSystem: FileSystem, temporary: string, path: string): void {
  try {
    fileSystem.link(temporary, path);
    fileSystem.remove(temporary);
  } catch (error) {
    const withoutLinks = hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK');
    if (!withoutLinks || fileSystem.stat(path) !== undefined) throw error;
    fileSystem.rename(temporary, path);
  }
}
