import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenDocument } from '../open-document.ts';
import { StoreError, type StoreFailure } from '../../store.ts';
import { type Change, writeBatch, writeFailure } from './write-batch.ts';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';

const BATCH_BYTES = 1024 * 1024;
const BATCH_CHANGES = 4096;
/** Fewer are better off with one sync together. */
const FEWEST_IN_TURNS = 16;
const QUEUE_BYTES = 64 * 1024 * 1024;
const QUEUE_CHANGES = 10_000;

export type Watcher = {
  /** Before each batch; what it throws fails the batch, nothing being changed. */
  before(): Promise<void>;
  /** These changes are durable and indexed; their writers learn it next. */
  durable(changes: readonly Change[]): void;
  /** These changes are not made, and none is from here on where there is a reason. */
  failed(changes: readonly Change[], refused: StoreError | undefined): void;
};

type Waiting = {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
};

/**
 * Group commit: what waits while one batch goes to the disk becomes the next batch. Where the disk
 * is slower than we are, everybody joins one batch and shares its sync. Where we are, writers take
 * turns in two halves: one composes while the other's sync runs.
 */
export class WriteQueue {
  /** Why nothing more is written. */
  refused: StoreError | undefined;
  #noRoom: { readonly error: StoreError; readonly until: number } | undefined;
  #closing: StoreError | undefined;
  readonly #document: OpenDocument;
  readonly #watcher: Watcher;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #reserved = 0;
  #reservedBytes = 0;
  /** Durable, but their writers do not know it yet. */
  #unanswered: readonly Waiting[] = [];
  readonly #work: (() => Promise<void>)[] = [];
  readonly #load: Load;
  #running: Promise<void> | undefined;

  constructor(document: OpenDocument, watcher: Watcher, load: Load = new LoopLoad()) {
    this.#load = load;
    this.#document = document;
    this.#watcher = watcher;
  }

  /** Throws StoreError where another change cannot be taken now. */
  admit(): void {
    if (this.unavailableReason !== undefined) throw this.unavailableReason;
    const bytes = this.#waitingBytes + this.#reservedBytes;
    if (bytes <= QUEUE_BYTES && this.#waiting.length + this.#reserved < QUEUE_CHANGES) return;
    throw new StoreError('overloaded', 'Too many changes wait for the disk.', {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Counts a change that is not judged yet among those that wait, until the answer is called. Throws
   * as `admit` does.
   */
  reserve(bytes: number): () => void {
    this.admit();
    this.#reserved += 1;
    this.#reservedBytes += bytes;
    return () => {
      this.#reserved -= 1;
      this.#reservedBytes -= bytes;
    };
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

  /** What the last change met, until it is time for the next: who is not asked for any meets none. */
  get noRoom(): StoreError | undefined {
    return performance.now() < (this.#noRoom?.until ?? 0) ? this.#noRoom?.error : undefined;
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
  get unavailableReason(): StoreError | undefined {
    return this.refused ?? this.#closing;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#work.length > 0 || this.#unanswered.length > 0) {
      if (!this.#isOthersTurn()) await this.#letOthersJoin();
      for (const work of this.#work.splice(0)) await work();
      if (this.#waiting.length > 0) await this.#commit(this.#take());
    }
  }

  /** One half waits for the disk while the other does not yet know that its batch is there. */
  #isOthersTurn(): boolean {
    const twoHalves = this.#waiting.length > 0 && this.#unanswered.length > 0;
    return this.#load.isBusy() && twoHalves && this.#work.length === 0;
  }

  /** Whoever was answered by the last batch may join the next. */
  async #letOthersJoin(): Promise<void> {
    this.#answer();
    await nextTurn();
  }

  #answer(): void {
    const answered = this.#unanswered;
    this.#unanswered = [];
    for (const { resolve } of answered) resolve();
  }

  #take(): Waiting[] {
    const most = Math.min(BATCH_CHANGES, this.#share());
    let count = 0;
    let bytes = 0;
    for (const { change } of this.#waiting) {
      if (count > 0 && (count >= most || bytes + change.bytes.length > BATCH_BYTES)) break;
      count += 1;
      bytes += change.bytes.length;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** Half of the writers there are, where they take turns. */
  #share(): number {
    const writers = this.#waiting.length + this.#unanswered.length;
    return this.#load.wasBusy && writers >= FEWEST_IN_TURNS ? Math.ceil(writers / 2) : writers;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const changes = batch.map(({ change }) => change);
    try {
      if (this.refused !== undefined) throw this.refused;
      await this.#watcher.before();
      const durable = writeBatch(this.#document, changes);
      this.#answer(); // The batch is on its way: those before it compose their next ones meanwhile.
      await durable;
    } catch (error) {
      this.#answer();
      this.#fail(batch, writeFailure(error));
      return;
    }
    this.#noRoom = undefined;
    this.#watcher.durable(changes);
    this.#unanswered = batch;
  }

  /** What waits was judged by versions that will not be: it fails too. */
  #fail(batch: readonly Waiting[], error: StoreError): void {
    const isForGood = FOR_GOOD.has(error.failure) && error.retryAfterSeconds === undefined;
    if (isForGood) this.refuse(degraded(error));
    const { failure, retryAfterSeconds = 0 } = error;
    if (failure === 'no-room')
      this.#noRoom = { error, until: performance.now() + 1000 * retryAfterSeconds };
    const waiting = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const changes = [...batch, ...waiting].map(({ change }) => change);
    this.#watcher.failed(changes, this.refused);
    for (const { reject } of batch) reject(error);
    for (const { reject } of waiting) reject(this.refused ?? error);
  }
}

const FOR_GOOD: ReadonlySet<StoreFailure> = new Set<StoreFailure>([
  'degraded',
  'outcome-unknown',
  'changed-outside',
]);

function degraded(error: StoreError): StoreError {
  return error.failure !== 'outcome-unknown'
    ? error
    : new StoreError('degraded', 'The store takes no more writes until it is opened again.', {
        cause: error,
      });
}

/** Whether this process or the disk is what time was spent on. */
export type Load = {
  /** Of the time since it was last asked. */
  isBusy(): boolean;
  /** What it answered last. */
  readonly wasBusy: boolean;
};

type Utilization = Pick<EventLoopUtilization, 'active' | 'idle'>;

/** Busy is an event loop that had more to do than to wait for. */
export class LoopLoad implements Load {
  wasBusy = false;
  readonly #read: () => Utilization;
  #since: Utilization;

  /** `read`: the milliseconds that a loop was active and idle so far. */
  constructor(read: () => Utilization = () => performance.eventLoopUtilization()) {
    this.#read = read;
    this.#since = read();
  }

  isBusy(): boolean {
    const now = this.#read();
    this.wasBusy = now.active - this.#since.active > now.idle - this.#since.idle;
    this.#since = now;
    return this.wasBusy;
  }
}
