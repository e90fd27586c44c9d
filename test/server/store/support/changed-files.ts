import type { FileSystem, OpenFile } from '../../../../server/store/file-system/file-system.ts';

/** A file system whose files behave otherwise in what `change` answers. */
export function withChangedFiles(
  inner: FileSystem,
  change: (file: OpenFile, path: string) => Partial<OpenFile>,
): FileSystem {
  return {
    ...inner,
    open: (path, mode) => {
      const file = inner.open(path, mode);
      return { ...file, ...change(file, path) };
    },
  };
}
