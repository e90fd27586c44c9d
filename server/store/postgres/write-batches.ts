import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '../store.ts';
import { type BatchState, type Change, type Telling, telling } from './changes.ts';
import type { Connection, Connector } from './connections.ts';
import {
  codeOf,
  isAnswer,
  isConnectionLost,
  isPassing,
  meaningOf,
  noStandby,
  LastRefusal,
  type OutageListener,
  unknownOutcome,
} from './failures.ts';
import { writes } from './sql.ts';
import { type CommitOptions, loadState, type Marked, writeState } from './transaction.ts';

const MOST_CHANGES = 1000;
const MOST_BYTES = 4 * 1024 * 1024;
const QUEUE_CHANGES = 10_000;
const QUEUE_BYTES = 64 * 1024 * 1024;
/** How long changes are tried again while nobody answers; as long as a lock is waited for. */
export const WRITE_TIMEOUT_MS = 8000;
/** A try that is under way then has so much longer. */
const SPARE_MS = 2000;
const PAUSE_MS = 50;

type Writing = CommitOptions & { readonly outages?: OutageListener | undefined };

type Waiting = Omit<Change<unknown>, 'judge'> & {
  /** Judges the change, and answers how its writer is told once that is committed. */
  readonly judge: (state: BatchState) => Telling;
  readonly reject: (error: unknown) => void;
};

/**
 * Group commit: all changes that wait while one transaction runs are the next one. A connection that
 * is lost before COMMIT was sent changed nothing. After that the same batch is tried again under its
 * own number, and looks under the blogs' locks whether it was committed: whoever holds a lock there
 * still works for the lost connection.
 */
export class WriteBatches {
  readonly #connector: Connector;
  readonly #how: Writing;
  readonly #id = randomUUID();
  #sequence = 0;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #refused: StoreError | undefined;
  readonly #lastRefusal: LastRefusal;

  constructor(connector: Connector, how: Writing) {
    this.#connector = connector;
    this.#how = how;
    this.#lastRefusal = new LastRefusal(how.outages);
  }

  /** Resolves when the change is committed, or is known to change nothing. */
  add<Outcome>(change: Change<Outcome>): Promise<Outcome> {
    if (this.#refused !== undefined) return Promise.reject(this.#refused);
    if (this.#waiting.length >= QUEUE_CHANGES || this.#waitingBytes > QUEUE_BYTES) {
      const text = 'Too many changes wait for the database.';
      return Promise.reject(new StoreError('overloaded', text, { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...change, judge: telling(change, resolve, reject), reject });
      this.#waitingBytes += change.bytes;
      this.#running ??= this.#run();
    });
  }

  /** Takes nothing more. */
  refuse(reason: StoreError): void {
    this.#refused ??= reason;
  }

  /** What the last change met, until it is time for the next: who is not asked for any meets none. */
  get met(): StoreError | undefined {
    return this.#lastRefusal.current;
  }

  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#take());
    this.#running = undefined;
  }

  /** A new article that looks at the first ones is judged alone. */
  #take(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const one of this.#waiting) {
      const isFull = count >= MOST_CHANGES || bytes + one.bytes > MOST_BYTES;
      if (count > 0 && (isFull || one.first > 0)) break;
      count += 1;
      bytes += one.bytes;
      if (one.first > 0) break;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    this.#sequence += 1;
    const mark = { id: this.#id, seq: this.#sequence };
    let until = performance.now() + this.#how.writeTimeoutMs;
    let inDoubt: readonly Telling[] | undefined;
    for (let tried = 1, doubts = 0; ; tried += 1) {
      const attempt = new Attempt(batch, mark, this.#how, until);
      const isNamed = this.#connector.preparesByName;
      try {
        const judged = await attempt.run(await this.#connector.connection(until), inDoubt);
        this.#lastRefusal.succeeded(attempt.isWritten);
        for (const tell of judged) tell();
        return;
      } catch (error) {
        inDoubt = attempt.sent ?? (attempt.knowsBefore ? undefined : inDoubt);
        // However long the answer to COMMIT was waited for, there is time to ask what became of it.
        if (attempt.sent !== undefined && (doubts += 1) === 1)
          until = performance.now() + this.#how.writeTimeoutMs;
        const isHeld = codeOf(error) === '55P03' || (attempt.isLate && inDoubt === undefined);
        const why = isHeld ? await this.#endStuck(error) : error;
        const isForgotten = isNamed && this.#connector.unnamed(error);
        const mayRepeat = isForgotten || attempt.mayRepeat(error);
        if (!mayRepeat || performance.now() >= until) {
          this.#fail(batch, inDoubt === undefined ? meaningOf(why) : unknownOutcome(why));
          return;
        }
        if (tried > 1) await pause(PAUSE_MS);
      }
    }
  }

  /**
   * Whoever comes next finds the lock free. Answers what its holder waits for, or else the error; who
   * waited for a lock behind others saw no end of that, and is told what those were.
   */
  async #endStuck(error: unknown): Promise<unknown> {
    const statement = { name: 'endStuck', text: writes.endStuck };
    const held = await this.#connector
      .read(statement, [this.#how.writeTimeoutMs], 0)
      .catch(() => undefined);
    if (held === undefined) return error;
    const isUnconfirmed = held.some(({ wait_event: event }) => event === 'SyncRep');
    const words = isUnconfirmed ? noStandby : 'canceling statement due to lock timeout';
    return Object.assign(new Error(words, { cause: error }), { code: '55P03', severity: 'ERROR' });
  }

  #fail(batch: readonly Waiting[], error: unknown): void {
    this.#lastRefusal.note(error);
    for (const { reject } of batch) reject(error);
  }
}

/** One try of a batch on one connection. */
class Attempt {
  /** What was judged by the try whose COMMIT went out without an answer. */
  sent: readonly Telling[] | undefined;
  /** The tries before did not commit, for certain. */
  knowsBefore = false;
  isWritten = false;
  /** It was given up without an answer. */
  isLate = false;
  readonly #batch: readonly Waiting[];
  readonly #mark: Marked;
  readonly #how: CommitOptions;
  readonly #until: number;
  #isLost = false;

  constructor(batch: readonly Waiting[], mark: Marked, how: CommitOptions, until: number) {
    this.#batch = batch;
    this.#mark = mark;
    this.#how = how;
    this.#until = until;
  }

  async run(
    connection: Connection,
    before: readonly Telling[] | undefined,
  ): Promise<readonly Telling[]> {
    const late = setTimeout(
      () => {
        this.isLate = true;
        connection.destroy();
      },
      this.#until + SPARE_MS - performance.now(),
    );
    try {
      const marked = before === undefined ? undefined : this.#mark;
      const { state, seq } = await loadState(connection, this.#batch, marked, this.#how);
      if (before !== undefined && seq >= this.#mark.seq) {
        await connection.query({ text: 'ROLLBACK' });
        return before;
      }
      this.knowsBefore = true;
      const judged = this.#batch.map(({ judge }) => judge(state));
      if (state.isChanged) await this.#write(connection, state, judged);
      else await connection.query({ text: 'ROLLBACK' });
      return judged;
    } catch (error) {
      this.#isLost = isConnectionLost(error);
      // Nothing of a transaction may stay open behind the next one.
      connection.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  mayRepeat(error: unknown): boolean {
    if (error instanceof StoreError) return false;
    return this.#isLost || isPassing(error) || this.sent !== undefined;
  }

  async #write(
    connection: Connection,
    state: BatchState,
    judged: readonly Telling[],
  ): Promise<void> {
    connection.noticed();
    this.sent = judged;
    const { before, commit } = writeState(connection, state, this.#mark);
    const [committed, ...answers] = await Promise.allSettled([commit, ...before]);
    const refused = answers.find((one) => one.status === 'rejected' && isAnswer(one.reason));
    const refusal: unknown = refused?.status === 'rejected' ? refused.reason : undefined;
    if (committed.status === 'rejected') {
      if (refusal !== undefined) this.#undone(refusal);
      if (isAnswer(committed.reason)) this.sent = undefined;
      throw committed.reason;
    }
    if (committed.value.command !== 'COMMIT') this.#undone(refusal);
    // Somebody ended the wait for the synchronous standby: it is on one machine alone.
    if (connection.noticed() === '01000') this.#undone(unknownOutcome(new Error(noStandby)));
    this.sent = undefined;
    this.isWritten = true;
  }

  /** Answered before COMMIT was: it was rolled back for certain. */
  #undone(error: unknown): never {
    this.sent = undefined;
    throw error;
  }
}
