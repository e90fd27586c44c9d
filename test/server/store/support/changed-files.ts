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

/** A disk on which the article called "Title 2" reads otherwise while `isOn`. */
export function withRot(inner: FileSystem): { readonly disk: FileSystem; isOn: boolean } {
  const disk = withChangedFiles(inner, (file) => ({
    read: (target, position) => {
      const count = file.read(target, position);
      const at = Buffer.from(target.buffer, target.byteOffset, count).indexOf('Title 2');
      if (rot.isOn && at >= 0) target[at] = 0x58;
      return count;
    },
  }));
  const rot = { disk, isOn: false };
  return rot;
}
