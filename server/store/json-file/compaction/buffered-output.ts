import type { OpenFile } from '../files/file-system.ts';
import { writeFully } from '../files/write-fully.ts';
import { checksum } from '../format/checksum.ts';

/** Large enough for few calls, small enough to be copied and summed up in a millisecond. */
const CHUNK = 1024 * 1024;
const SMALLEST = 4096;

/**
 * Gathers small pieces into large writes. While one is gathered the one before it is written and
 * the one before that is synced: the disk never rests, and a commit never waits for much of this.
 */
export class BufferedOutput {
  position = 0;
  /** Of all that was written; complete after `settle`. */
  checksum = 0;
  readonly #file: OpenFile;
  #buffer: Buffer;
  /** Its bytes may be on their way. */
  #other: Buffer | undefined;
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
    const other = this.#other ?? Buffer.allocUnsafe(this.#buffer.length);
    [this.#buffer, this.#other] = [other, this.#buffer];
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
