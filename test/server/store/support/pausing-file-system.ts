import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileSystem, OpenFile } from '../../../../server/store/file-system/file-system.ts';
import type { Random } from '../../../support/random.ts';

/** A file system whose syncs take some turns, as on a disk, so that other work comes in between. */
export function withPauses(inner: FileSystem, random: Random): FileSystem {
  const pause = async () => {
    for (let turns = random.below(4); turns > 0; turns -= 1) await nextTurn();
  };
  const slow = (file: OpenFile): OpenFile => ({
    ...file,
    sync: async () => {
      await pause();
      await file.sync();
    },
    syncData: async () => {
      await pause();
      await file.syncData();
    },
  });
  return {
    ...inner,
    open: (path, mode) => slow(inner.open(path, mode)),
    syncFolder: async (path) => {
      await pause();
      await inner.syncFolder(path);
    },
  };
}
