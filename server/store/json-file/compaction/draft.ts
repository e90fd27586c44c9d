import { dirname } from 'node:path';
import type { FileStat, FileSystem, OpenFile } from '../files/file-system.ts';
import { temporaryPath } from '../files/temporary-file.ts';
import { nameNew } from '../files/name-new.ts';
import { writeFully } from '../files/write-fully.ts';
import { footerText, type Count } from '../format/footer.ts';
import { headText, type Head } from '../format/head.ts';
import { BufferedOutput } from './buffered-output.ts';

/** A new store file beside the old one. It becomes the store by `publish` and not a moment before. */
export type Draft = {
  readonly file: OpenFile;
  /** Where the next line will start, its comma left out of account. */
  readonly position: number;
  /** Takes whole lines, from the first `{` to the last newline; answers where that `{` will stand. */
  append(lines: Buffer): Promise<number>;
  /** The commit record, and everything on the disk. */
  finish(count: Count): Promise<Finished>;
  /** All that was appended so far is on the disk. */
  settle(): Promise<void>;
  /** Takes the place of the old file; lasting only after `syncName`. */
  rename(): void;
  /** Takes a name that is free, lasting only after `syncName`; EEXIST where it is not. */
  nameNew(): void;
  syncName(): Promise<void>;
  /** Undoes what was begun. */
  discard(): Promise<void>;
};

export type Finished = { readonly end: number; readonly checksum: number };

const COMMA = Buffer.from(',');

/** Begins a draft with the head; `like` gives permissions and owner. */
export async function beginDraft(
  fileSystem: FileSystem,
  path: string,
  { head, like }: { readonly head: Head; readonly like?: FileStat },
): Promise<Draft> {
  const temporary = temporaryPath(path);
  const file = fileSystem.open(temporary, like === undefined ? 'create-shared' : 'create-new');
  if (like !== undefined) file.adopt(like);
  const out = new BufferedOutput(file, like?.size);
  const discard = async () => {
    await out.stopped();
    file.close();
    fileSystem.remove(temporary);
  };
  const headBytes = Buffer.from(headText(head));
  await out.push(headBytes);
  return {
    file,
    get position() {
      return out.position;
    },
    append: async (lines) => {
      if (out.position > headBytes.length) await out.push(COMMA);
      const start = out.position;
      await out.push(lines);
      return start;
    },
    finish: async (count) => {
      await out.settle();
      const [end, sum] = [out.position, out.checksum];
      const footer = { ...count, bytes: end, checksum: sum, from: end, fromChecksum: sum };
      await writeFully(file, Buffer.from(footerText(footer)), end);
      await file.sync();
      return { end, checksum: sum };
    },
    settle: async () => {
      await out.settle();
      await file.syncData();
    },
    rename: () => fileSystem.rename(temporary, path),
    nameNew: () => nameNew(fileSystem, temporary, path),
    syncName: () => fileSystem.syncFolder(dirname(path)),
    discard,
  };
}
