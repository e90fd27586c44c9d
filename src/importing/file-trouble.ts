import { BlogctlError } from '../errors.ts';

/** Runs `work`; what the file system refuses ends it as `unusable-input`, with its words. */
export async function namingFileTrouble<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new BlogctlError('unusable-input', `The file system refused: ${error.message}`, {
      hint: 'Check the path, its permissions and the room on the disk.',
      cause: error,
    });
  }
}
