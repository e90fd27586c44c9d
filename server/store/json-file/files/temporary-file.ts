import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { hasCode, type FileSystem } from './file-system.ts';

/** A name beside `path` that nobody can have prepared a file or a link under. */
export function temporaryPath(path: string): string {
  return `${path}.${randomBytes(8).toString('hex')}.tmp`;
}

const leftover = /^(?:\.lock)?\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes what processes that were killed left of new versions of this file and of its lock file.
 * Only for who has the file's mutex: then nobody is writing one.
 */
export function removeTemporaries(fileSystem: FileSystem, path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of fileSystem.list(folder)) {
    const isOurs = other.startsWith(name) && leftover.test(other.slice(name.length));
    if (isOurs) fileSystem.remove(join(folder, other));
  }
}

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
