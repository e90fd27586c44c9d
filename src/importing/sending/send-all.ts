import type { Portion } from '../sources/source.ts';

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
  portions: AsyncGenerator<Portion<T>, void, void>,
  sending: Sending<T, Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const take = createTaker(portions, sending.concurrency);

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
  await portions.return();
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * Hands out single records to whoever asks next. So many are read `ahead` while answers are waited
 * for, and not between an answer and the next request.
 */
function createTaker<T>(portions: AsyncGenerator<Portion<T>, void, void>, ahead: number) {
  const ready: T[] = [];
  let atHand: Iterator<T> = [].values();
  let coming: Promise<boolean> | undefined;
  let reading: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;

  async function nextPortion(): Promise<boolean> {
    const next = await portions.next();
    coming = undefined;
    if (next.done === true) return false;
    atHand = next.value[Symbol.iterator]();
    return true;
  }

  function readAhead(): void {
    reading = undefined;
    try {
      while (ready.length < ahead) {
        const next = atHand.next();
        if (next.done === true) return;
        ready.push(next.value);
      }
    } catch (error) {
      failure = { error };
    }
  }

  return function take(): T | undefined | Promise<T | undefined> {
    reading ??= setTimeout(readAhead);
    if (ready.length > 0) return ready.shift();
    if (failure !== undefined) throw failure.error;
    const next = atHand.next();
    if (next.done !== true) return next.value;
    coming ??= nextPortion();
    return coming.then((came) => (came ? take() : undefined));
  };
}
