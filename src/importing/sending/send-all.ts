import { BlogctlError } from '../../errors.ts';
import type { Delivery, Outcome } from './delivery.ts';
import type { KeyedEntry, KeyedRecord } from '../identity/keyed-entries.ts';

export type Sending = {
  readonly deliver: Delivery;
  readonly concurrency: number;
  /** How many records the first reading found to send; more is a source that grew meanwhile. */
  readonly ready: number;
  /** Told of each outcome; answers whether to go on. */
  settled(record: KeyedRecord, outcome: Outcome): Promise<boolean>;
};

/**
 * The second of two passes: so many senders take records from one reader, each the next when it is
 * free, so that reading never runs ahead of sending. When one fails or is told to stop, none takes
 * another record; what is under way is finished.
 */
export async function sendAll(
  entries: AsyncGenerator<KeyedEntry, void, void>,
  sending: Sending,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const records = onlyRecords(entries, sending.ready);

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

async function* onlyRecords(
  entries: AsyncGenerator<KeyedEntry, void, void>,
  ready: number,
): AsyncGenerator<KeyedRecord, void, void> {
  let taken = 0;
  for await (const entry of entries) {
    if (entry.kind !== 'record') continue;
    taken += 1;
    if (taken > ready) throw grown(entry);
    yield entry;
  }
}

function grown({ place }: KeyedRecord): BlogctlError {
  const where = `${place.source}, position ${place.position}`;
  return new BlogctlError('unusable-input', `The source grew while it was imported (${where}).`, {
    hint: 'Run the same import again: what is on the blog already is not created twice.',
  });
}
