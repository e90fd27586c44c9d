import type { Delivery, Outcome } from './delivery.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';

export type Sending = {
  readonly deliver: Delivery;
  readonly concurrency: number;
  /** Told of each outcome; answers whether to go on. */
  settled(record: KeyedRecord, outcome: Outcome): Promise<boolean>;
};

/**
 * The second of two passes: so many senders take records from one reader, each the next when it is
 * free, so that reading never runs ahead of sending. When one fails or is told to stop, none takes
 * another record; what is under way is finished.
 */
export async function sendAll(
  records: AsyncGenerator<KeyedRecord, void, void>,
  sending: Sending,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);

  async function send(): Promise<void> {
    while (!stopped.aborted) {
      const next = await records.next();
      if (next.done === true || stopped.aborted) return;
      const outcome = await sending.deliver(next.value, stopped);
      if (!(await sending.settled(next.value, outcome))) stop.abort();
    }
  }

  async function sendOrStop(): Promise<void> {
    try {
      await send();
    } catch (error) {
      const isOwnStop = stopped.aborted && error === stopped.reason;
      stop.abort();
      if (!isOwnStop) throw error;
    }
  }

  const senders = Array.from({ length: sending.concurrency }, sendOrStop);
  const failed = (await Promise.allSettled(senders)).find(({ status }) => status === 'rejected');
  await records.return();
  if (failed?.status === 'rejected') throw failed.reason;
}
