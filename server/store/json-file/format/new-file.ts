import { dirname } from 'node:path';
import {
  type FileStat,
  type FileSystem,
  nameNew,
  type OpenFile,
  temporaryPath,
  writeFully,
} from '../../file-system/file-system.ts';
import { endBeforeSpaces, footerText, type Count } from './footer.ts';
import { checksum } from './checksum.ts';
import { headText, type Head } from './head.ts';

/** A new store file beside the old one. It becomes the store by `rename` or `nameNew` and not a moment before. */
export type NewFile = {
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

type Finished = { readonly end: number; readonly checksum: number };

const COMMA = Buffer.from(',');

/** Begins a new file with the head; `like` gives permissions and owner. */
export async function beginNewFile(
  fileSystem: FileSystem,
  path: string,
  { head, like }: { readonly head: Head; readonly like?: FileStat },
): Promise<NewFile> {
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

/**
 * Gives a copy of a file, to the byte but for the spaces behind it, a name that is free, and leaves it open;
 * EEXIST where the name is taken.
 */
export async function copyWhole(
  fileSystem: FileSystem,
  file: OpenFile,
  path: string,
): Promise<OpenFile> {
  const [size, temporary] = [endBeforeSpaces(file), temporaryPath(path)];
  const copy = fileSystem.open(temporary, 'create-new');
  try {
    copy.adopt(file.stat());
    for (let at = 0; at < size; at += CHUNK) {
      const bytes = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
      if (file.read(bytes, at) < bytes.length) throw new Error('the file became shorter meanwhile');
      await writeFully(copy, bytes, at);
    }
    await copy.sync();
    nameNew(fileSystem, temporary, path);
    await fileSystem.syncFolder(dirname(path));
    return copy;
  } catch (error) {
    copy.close();
    fileSystem.remove(temporary);
    throw error;
  }
}

/** Large enough for few calls, small enough to be copied and summed up in a millisecond. */
const CHUNK = 1024 * 1024;
const SMALLEST = 4096;

/**
 * Gathers small pieces into large writes. While one is gathered the one before it is written and
 * the one before that is synced: the disk never rests, and a commit never waits for much of this.
 */
class BufferedOutput {
  position = 0;
  /** Of all that was written; complete after `settle`. */
  checksum = 0;
  readonly #file: OpenFile;
  #buffer: Buffer;
  /** Its bytes may be on their way. */
  #secondBuffer: Buffer | undefined;
  #used = 0;
  #written = 0;
  #writing: Promise<Failure | undefined> = Promise.resolve(undefined);
  #syncing: Promise<Failure | undefined> = Promise.resolve(undefined);

  /** `expected` bytes, as far as that is known. */
  constructor(file: OpenFile, expected = CHUNK) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(SMALLEST, expected)));
  }

  async push(bytes: Buffer): Promise<void> {
    this.position += bytes.length;
    for (let from = 0; from < bytes.length;) {
      const count = bytes.copy(this.#buffer, this.#used, from);
      this.#used += count;
      from += count;
      if (this.#used === this.#buffer.length) await this.#flush();
    }
  }

  /** Everything is written, and no sync runs any more. */
  async settle(): Promise<void> {
    await this.#flush();
    await succeeded(this.#writing);
    await succeeded(this.#syncing);
  }

  /** Nothing is written or synced any more, however it ended. */
  async stopped(): Promise<void> {
    await this.#writing;
    await this.#syncing;
  }

  async #flush(): Promise<void> {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.checksum = checksum(bytes, this.checksum);
    await succeeded(this.#writing);
    await succeeded(this.#syncing);
    if (this.#written > 0) this.#syncing = failureOf(this.#file.syncData());
    this.#writing = failureOf(writeFully(this.#file, bytes, this.#written));
    const second = this.#secondBuffer ?? Buffer.allocUnsafe(this.#buffer.length);
    [this.#buffer, this.#secondBuffer] = [second, this.#buffer];
    this.#used = 0;
    this.#written += bytes.length;
  }
}

type Failure = { readonly error: unknown };

/** Kept until somebody waits for it. */
function failureOf(work: Promise<void>): Promise<Failure | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
}

async function succeeded(work: Promise<Failure | undefined>): Promise<void> {
  const failure = await work;
  if (failure !== undefined) throw failure.error;
}
