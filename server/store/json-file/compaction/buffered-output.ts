import type { OpenFile } from '../files/file-system.ts';
import { writeFully } from '../files/write-fully.ts';
import { checksum } from '../format/checksum.ts';

/** Large enough for few calls, small enough to be copied and summed up in a millisecond. */
const CHUNK = 1024 * 1024;
/** So much may wait to be written back: more would make the last sync long and commits wait for it. */
const UNSYNCED = 16 * 1024 * 1024;

/**
 * Gathers small pieces into large writes. Each stretch is synced while the next one is copied, so
 * that the disk never rests and never has much to catch up with.
 */
export class BufferedOutput {
  position = 0;
  /** Of all that was written; complete after `settle`. */
  checksum = 0;
  readonly #file: OpenFile;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #used = 0;
  #written = 0;
  #unsynced = 0;
  #syncing: Promise<SyncFailure | undefined> = Promise.resolve(undefined);

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async push(bytes: Buffer): Promise<void> {
    this.position += bytes.length;
    for (let from = 0; from < bytes.length;) {
      const count = bytes.copy(this.#buffer, this.#used, from);
      this.#used += count;
      from += count;
      if (this.#used === CHUNK) await this.#flush();
    }
  }

  /** Everything is written, and no sync runs any more. */
  async settle(): Promise<void> {
    await this.#flush();
    await this.#synced();
  }

  /** No sync runs any more, however it ended. */
  async stopped(): Promise<void> {
    await this.#syncing;
  }

  async #flush(): Promise<void> {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.checksum = checksum(bytes, this.checksum);
    await writeFully(this.#file, bytes, this.#written);
    this.#used = 0;
    this.#written += bytes.length;
    this.#unsynced += bytes.length;
    if (this.#unsynced < UNSYNCED) return;
    await this.#synced();
    this.#unsynced = 0;
    this.#syncing = this.#file.syncData().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  }

  /** What the last sync met is thrown here, where somebody waits for it. */
  async #synced(): Promise<void> {
    const failure = await this.#syncing;
    if (failure !== undefined) throw failure.error;
  }
}

type SyncFailure = { readonly error: unknown };
