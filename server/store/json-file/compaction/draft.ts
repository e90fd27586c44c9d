import { dirname } from 'node:path';
import type { FileStat, FileSystem, OpenFile } from '../files/file-system.ts';
import { writeFully } from '../files/write-fully.ts';
import { checksum } from '../format/checksum.ts';
import { footerText } from '../format/footer.ts';
import { headText, type Head } from '../format/head.ts';

/** A new store file beside the old one. It becomes the store by `publish` and not a moment before. */
export type Draft = {
  readonly file: OpenFile;
  /** Where the next line will start, its comma left out of account. */
  readonly position: number;
  /** Takes whole lines, from the first `{` to the last newline; answers where that `{` will stand. */
  append(lines: Buffer): Promise<number>;
  /** The commit record, and everything on the disk. */
  finish(articles: number): Promise<Finished>;
  /** All that was appended so far is on the disk. */
  settle(): Promise<void>;
  /** Takes the place of the old file; lasting only after `syncName`. */
  rename(): void;
  syncName(): Promise<void>;
  /** Undoes what was begun. */
  discard(): void;
};

export type Finished = { readonly end: number; readonly checksum: number };

/** Large enough for few calls, small enough to be joined and summed up in a millisecond. */
const CHUNK = 1024 * 1024;
/** So much may wait to be written back: more would make the last sync long and commits wait for it. */
const UNSYNCED = 16 * 1024 * 1024;
const COMMA = Buffer.from(',');

export function draftPath(path: string): string {
  return `${path}.tmp`;
}

/** Begins a draft with the head; `like` gives permissions and owner. */
export async function beginDraft(
  fileSystem: FileSystem,
  path: string,
  { head, like }: { readonly head: Head; readonly like?: FileStat },
): Promise<Draft> {
  const file = fileSystem.open(draftPath(path), 'create');
  const discard = () => {
    file.close();
    fileSystem.remove(draftPath(path));
  };
  if (like !== undefined) file.adopt(like);
  const out = chunked(file);
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
    finish: async (articles) => {
      await out.flush();
      const [end, sum] = [out.position, out.checksum];
      const footer = { articles, bytes: end, checksum: sum, from: end, fromChecksum: sum };
      await writeFully(file, Buffer.from(footerText(footer)), end);
      await file.sync();
      return { end, checksum: sum };
    },
    settle: async () => {
      await out.flush();
      await file.syncData();
    },
    rename: () => fileSystem.rename(draftPath(path), path),
    syncName: () => fileSystem.syncFolder(dirname(path)),
    discard,
  };
}

/** Gathers small pieces into large writes, syncing now and then. */
function chunked(file: OpenFile) {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let written = 0;
  let synced = 0;
  const out = {
    position: 0,
    checksum: 0,
    async push(bytes: Buffer): Promise<void> {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      out.position += bytes.length;
      if (waitingBytes >= CHUNK) await out.flush();
    },
    async flush(): Promise<void> {
      const bytes = Buffer.concat(waiting);
      waiting = [];
      waitingBytes = 0;
      out.checksum = checksum(bytes, out.checksum);
      await writeFully(file, bytes, written);
      written += bytes.length;
      if (written - synced < UNSYNCED) return;
      await file.syncData();
      synced = written;
    },
  };
  return out;
}
