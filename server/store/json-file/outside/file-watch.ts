import type { WriteQueue } from '../commit/write-queue.ts';
import type { OpenDocument } from '../open-document.ts';
import { StoreError } from '../../store.ts';
import { UnusableStore } from '../unusable-store.ts';
import { reload, type Reload } from './reload.ts';

export type WatchOptions = {
  readonly now: () => number;
  readonly report: (notice: string) => void;
  /** Called when another file is open. */
  readonly startOver: () => void;
};

const LOOK_MS = 1000;
const LISTED = 20;

/** Takes over what other programs write into the file: looked for each second and before each batch. */
export class FileWatch {
  readonly #document: OpenDocument;
  readonly #queue: WriteQueue;
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  #refused = '';

  constructor(document: OpenDocument, queue: WriteQueue, options: WatchOptions) {
    this.#document = document;
    this.#queue = queue;
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** To be called between batches; answers why the file could not be taken over. */
  async takeOver(): Promise<string | undefined> {
    try {
      this.#tell(await reload(this.#document, this.#options.now()));
      this.#options.startOver();
      return undefined;
    } catch (error) {
      if (!(error instanceof UnusableStore)) throw error;
      // Said once for each thing that is wrong, not each second.
      if (this.#refused !== error.message) this.#options.report(`${error.message} ${error.hint}`);
      this.#refused = error.message;
      return `and cannot be read: ${error.message}`;
    }
  }

  #look(): void {
    if (!this.#isAnotherFile()) return;
    const between = this.#queue.between(async () => {
      if (this.#isAnotherFile()) await this.takeOver();
    });
    between.catch((error: unknown) => {
      const message = 'The changed file could not be taken over.';
      this.#queue.refuse(new StoreError('degraded', message, { cause: error }));
    });
  }

  #isAnotherFile(): boolean {
    const change = this.#document.outsideChange();
    return change === 'was replaced' || change === 'was changed';
  }

  #tell({ orphans, savedAs }: Reload): void {
    const { path } = this.#document;
    this.#refused = '';
    this.#options.report(`${path} was changed by another program and has been read again.`);
    if (orphans.length === 0) return;
    const ids = orphans.slice(0, LISTED).join(', ') + (orphans.length > LISTED ? ' …' : '');
    const where = savedAs === undefined ? '' : ` Their last texts are in ${savedAs}.`;
    this.#options.report(`Articles missing or older in the new file: ${ids}.${where}`);
  }
}
