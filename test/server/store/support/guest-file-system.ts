import type { FileSystem, OpenFile } from '../../../../server/store/file-system/file-system.ts';

/** Another program comes in the middle of the next sync of that kind, from when it is time. */
export function withGuest(
  inner: FileSystem,
  call: 'sync' | 'syncData' | 'syncFolder',
  come: () => void,
  isTime: () => boolean = () => true,
): FileSystem {
  let waits = true;
  const visit = () => {
    if (!waits || !isTime()) return;
    waits = false;
    come();
  };
  const guarded = (file: OpenFile): OpenFile => ({
    ...file,
    sync: async () => {
      if (call === 'sync') visit();
      await file.sync();
    },
    syncData: async () => {
      if (call === 'syncData') visit();
      await file.syncData();
    },
  });
  return {
    ...inner,
    open: (name, mode) => guarded(inner.open(name, mode)),
    syncFolder: async (path) => {
      if (call === 'syncFolder') visit();
      await inner.syncFolder(path);
    },
  };
}
