import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenDocument } from '../open-document.ts';
import { StoreError } from '../../store.ts';
import type { Change } from './change.ts';
import { writeBatch, writeFailure } from './write-batch.ts';

const BATCH_BYTES = 1024 * 1024;
const BATCH_CHANGES = 4096;
const QUEUE_BYTES = 64 * 1024 * 1024;
const QUEUE_CHANGES = 10_000;

export type Watcher = {
  /** Before each batch; what it throws fails the batch, nothing being changed. */
  before(): Promise<void>;
  /** These changes are durable and indexed; their writers learn it next. */
  durable(changes: readonly Change[]): void;
  /** These changes are not made. */
  failed(changes: readonly Change[]): void;
};

type Waiting = {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
};

/** Group commit: what waits while one batch goes to the disk becomes the next batch. */
export class WriteQueue {
  /** Why nothing more is written. */
  refused: StoreError | undefined;
  #closing: StoreError | undefined;
  readonly #document: OpenDocument;
  readonly #watcher: Watcher;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #work: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;

  constructor(document: OpenDocument, watcher: Watcher) {
    this.#document = document;
    this.#watcher = watcher;
  }

  /** Throws StoreError where another change cannot be taken now. */
  admit(): void {
    if (this.takesNone !== undefined) throw this.takesNone;
    if (this.#waitingBytes <= QUEUE_BYTES && this.#waiting.length < QUEUE_CHANGES) return;
    throw new StoreError('overloaded', 'Too many changes wait for the disk.', {
      retryAfterSeconds: 1,
    });
  }

  /** Resolves when the change is durable. */
  append(change: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#waitingBytes += change.bytes.length;
      this.#start();
    });
  }

  /** Runs work between two batches. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#work.push(() => work().then(resolve, reject));
      this.#start();
    });
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Nothing is written from here on. */
  refuse(reason: StoreError): void {
    this.refused ??= reason;
  }

  /** What waits is written, but nothing more is taken. */
  close(): void {
    this.#closing ??= new StoreError('closing', 'The store is closing.');
  }

  /** Why no change is taken. */
  get takesNone(): StoreError | undefined {
    return this.refused ?? this.#closing;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#work.length > 0) {
      await nextTurn(); // Whoever was answered by the last batch may join the next.
      for (const work of this.#work.splice(0)) await work();
      if (this.#waiting.length > 0) await this.#commit(this.#take());
    }
  }

  #take(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { change } of this.#waiting) {
      if (count > 0 && (count >= BATCH_CHANGES || bytes + change.bytes.length > BATCH_BYTES)) break;
      count += 1;
      bytes += change.bytes.length;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const changes = batch.map(({ change }) => change);
    try {
      if (this.refused !== undefined) throw this.refused;
      await this.#watcher.before();
      await writeBatch(this.#document, changes);
    } catch (error) {
      this.#fail(batch, writeFailure(error));
      return;
    }
    this.#watcher.durable(changes);
    for (const { resolve } of batch) resolve();
  }

  /** What waits was judged by versions that will not be: it fails too. */
  #fail(batch: readonly Waiting[], error: StoreError): void {
    const isForGood = error.failure === 'degraded' || error.failure === 'outcome-unknown';
    if (isForGood) this.refuse(degraded(error));
    const waiting = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    this.#watcher.failed([...batch, ...waiting].map(({ change }) => change));
    for (const { reject } of batch) reject(error);
    for (const { reject } of waiting) reject(this.refused ?? error);
  }
}

function degraded(error: StoreError): StoreError {
  return error.failure === 'degraded'
    ? error
    : new StoreError('degraded', 'The store takes no more writes until it is opened again.', {
        cause: error,
      });
}
