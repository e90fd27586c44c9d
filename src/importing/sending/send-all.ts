import { setImmediate } from 'node:timers/promises';

import type { Batch } from '../sources/source.ts';

export type Sending<T, Outcome> = {
  deliver(record: T, signal: AbortSignal): Promise<Outcome>;
  readonly concurrency: number;
  /** Told of each outcome; answers whether to go on. */
  settled(record: T, outcome: Outcome): boolean | Promise<boolean>;
};

/**
 * The second of two passes: so many senders take records from one reader, each the next when it is
 * free; reading runs ahead of sending by one record a sender. When one fails or is told to stop, none
 * takes another record; what is under way is finished.
 */
export async function sendAll<T, Outcome>(
  batches: AsyncGenerator<Batch<T>, void, void>,
  sending: Sending<T, Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const take = createTaker(batches, sending.concurrency);

  async function send(): Promise<void> {
    while (!stopped.aborted) {
      const taken = take();
      const record = taken instanceof Promise ? await taken : taken;
      if (record === undefined || stopped.aborted) return;
      const outcome = await sending.deliver(record, stopped);
      const goesOn = sending.settled(record, outcome);
      if (goesOn !== true && !(await goesOn)) stop.abort();
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
  await batches.return();
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * Hands out single records to whoever asks next. So many are read `ahead` behind the requests that go
 * out, and not between an answer and the next request; a batch that came to its end is followed by
 * the next before anybody has to wait for it.
 */
function createTaker<T>(batches: AsyncGenerator<Batch<T>, void, void>, ahead: number) {
  const ready: T[] = [];
  let atHand: Iterator<T> = [].values();
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  let reading: Promise<void> | undefined;

  async function fill(): Promise<void> {
    while (ready.length < ahead && !isOver) {
      const next = atHand.next();
      if (next.done !== true) {
        ready.push(next.value);
        continue;
      }
      const batch = await batches.next();
      isOver = batch.done === true;
      if (batch.done !== true) atHand = batch.value[Symbol.iterator]();
    }
  }

  function read(): Promise<void> {
    return fill()
      .catch((error: unknown) => {
        failure = { error };
        isOver = true;
      })
      .finally(() => (reading = undefined));
  }

  return function take(): T | undefined | Promise<T | undefined> {
    const next = ready.shift();
    if (next !== undefined) {
      reading ??= behindRequests().then(read);
      return next;
    }
    if (failure !== undefined) throw failure.error;
    if (isOver) return undefined;
    return (reading ??= read()).then(take);
  };
}

/**
 * Resolves when the requests that are made now have been written: undici writes them in the next turn
 * of the event loop. Whatever no request waits for has its place there, while answers are waited for.
 */
export async function behindRequests(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
