import { hasCode } from '../../file-system/file-system.ts';
import type { OpenDocument } from '../open-document.ts';
import { StoreError } from '../../store.ts';
import type { WriteQueue } from './write-queue.ts';
import { compact, type Amend } from './compact.ts';

export type CompactorOptions = {
  readonly report: (notice: string) => void;
  /** After so long without a write the file is compacted, or left as if it were closed. */
  readonly idleMs: number;
};

export const IDLE_MS = 2000;
const MEGABYTE = 1024 * 1024;
/** Replacements alone then write each byte less than three times. */
const GARBAGE_SHARE = 0.6;
const IDLE_BYTES = 16 * MEGABYTE;
const CLOSE_BYTES = 256 * MEGABYTE;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Decides when the file is compacted: at rest, when much of it is garbage, and at the end. */
export class Compactor {
  readonly #document: OpenDocument;
  readonly #queue: WriteQueue;
  readonly #options: CompactorOptions;
  #running: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #pauseMs = 0;
  #notBefore = 0;
  #stopped = false;

  constructor(document: OpenDocument, queue: WriteQueue, options: CompactorOptions) {
    this.#document = document;
    this.#queue = queue;
    this.#options = options;
  }

  /** To be called after each batch. */
  afterBatch(): void {
    if (this.#stopped) return;
    const { garbage } = this.#document.index;
    const live = this.#document.end - garbage;
    if (garbage > MEGABYTE && garbage > live * GARBAGE_SHARE) this.#begin();
    if (this.#idle !== undefined) this.#idle.refresh();
    else this.#idle = setTimeout(() => this.#onIdle(), this.#options.idleMs).unref();
  }

  /** Compacts now, whatever there is to gain; throws what hinders it. */
  async now(amend?: Amend): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined); // Reported there.
    this.#running = this.#compact(amend).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** The last words on a file that is closed. */
  async atEnd(): Promise<void> {
    this.stop();
    await this.#running?.catch(() => undefined); // Its failure was reported.
    const { end, index } = this.#document;
    const worthIt = index.garbage > 0 && (end <= CLOSE_BYTES || index.garbage > end / 10);
    if (worthIt) await this.#attempt();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#idle);
  }

  #onIdle(): void {
    this.#idle = undefined;
    const { end, index } = this.#document;
    if (index.garbage > 0 && end <= IDLE_BYTES) this.#begin();
    else void this.#queue.between(() => this.#writeCleanFooter());
  }

  /** Whoever looks at a file at rest sees it as if it were closed. */
  async #writeCleanFooter(): Promise<void> {
    if (this.#queue.refused !== undefined || this.#document.outsideChange() !== undefined) return;
    if (!this.#document.footerNamesBatch) return;
    try {
      await this.#document.writeCleanFooter();
    } catch (cause) {
      const message = 'The disk refused to end the file; the store takes no more writes.';
      this.#options.report(`${this.#document.path}: ${message} ${String(cause)}`);
      this.#queue.refuse(new StoreError('degraded', message, { cause }));
    }
  }

  #begin(): void {
    if (this.#running !== undefined || this.#queue.refused !== undefined) return;
    if (performance.now() < this.#notBefore) return;
    this.#running = this.#attempt().finally(() => {
      this.#running = undefined;
    });
  }

  async #attempt(): Promise<void> {
    try {
      await this.#compact();
      this.#pauseMs = 0;
    } catch (error) {
      this.#postpone(error);
    }
  }

  async #compact(amend?: Amend): Promise<void> {
    try {
      await compact(this.#document, (work) => this.#queue.between(work), amend);
    } catch (error) {
      if (error instanceof StoreError && error.failure === 'degraded') this.#queue.refuse(error);
      throw error;
    }
  }

  /** Writes go on in the file there is; the next attempt waits longer than the last. */
  #postpone(error: unknown): void {
    const first = this.#pauseMs === 0;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
    this.#notBefore = performance.now() + this.#pauseMs;
    if (hasCode(error, 'EBUSY', 'EXDEV')) this.#notBefore = Number.POSITIVE_INFINITY;
    if (!first) return;
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = hasCode(error, 'EBUSY', 'EXDEV')
      ? ' A file mounted alone cannot be replaced: mount its folder.'
      : '';
    this.#options.report(`${this.#document.path} could not be compacted: ${reason}.${remedy}`);
  }
}
