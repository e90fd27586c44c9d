import type { Batch } from '../sources/source.ts';

export type Sending<T, Outcome> = {
  deliver(record: T, signal: AbortSignal): Promise<Outcome>;
  readonly concurrency: number;
  /** Told of each outcome; answers whether to go on. */
  settled(record: T, outcome: Outcome): boolean | Promise<boolean>;
};

/**
 * The second of two passes: so many senders take records from one reader, each the next when it is
 * free. When one fails or is told to stop, none takes another record; what is under way is finished.
 */
export async function sendAll<T, Outcome>(
  batches: AsyncGenerator<Batch<T>, void, void>,
  sending: Sending<T, Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const take = createTaker(batches);

  async function send(): Promise<void> {
    while (!stopped.aborted) {
      const record = await take();
      if (record === undefined || stopped.aborted) return;
      const outcome = await sending.deliver(record, stopped);
      if (!(await sending.settled(record, outcome))) stop.abort();
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

/** Hands out single records to whoever asks next; undefined when there are no more. */
function createTaker<T>(batches: AsyncGenerator<Batch<T>, void, void>) {
  let atHand: Iterator<T> | undefined = [].values();
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const batch = await batches.next();
    atHand = batch.done === true ? undefined : batch.value[Symbol.iterator]();
    reading = undefined;
  }

  return function take(): T | undefined | Promise<T | undefined> {
    const next = atHand?.next();
    if (next?.done !== true) return next?.value;
    return (reading ??= read()).then(take);
  };
}

/** Does something for each of several things, some at a time; the first failure ends it. */
export async function forAll<T>(
  things: readonly T[],
  deliver: (thing: T, signal: AbortSignal) => Promise<void>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<void> {
  async function* batches(): AsyncGenerator<readonly T[], void, void> {
    yield things;
  }
  await sendAll(batches(), { deliver, concurrency, settled: () => true }, signal);
}
