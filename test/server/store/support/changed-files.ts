import type { FileSystem, OpenFile } from '../../../../server/store/json-file/files/file-system.ts';

/** A file system whose files behave otherwise in what `change` answers. */
export function withChangedFiles(
  inner: FileSystem,
  change: (file: OpenFile) => Partial<OpenFile>,
): FileSystem {
  return {
    ...inner,
    open: (...args) => {
      const file = inner.open(...args);
      return { ...file, ...change(file) };
    },
  };
}
