import type { Socket } from 'node:net';

/**
 * Lets each caller go on in a turn of the event loop of its own, one after the other, so that whoever
 * asks for something short is heard between two of many who ask for much.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(() => new Promise((next) => setImmediate(next))));
}

type Waiting<Question, Answer> = {
  readonly asked: Question;
  readonly give: (answer: Answer) => void;
  readonly refuse: (error: unknown) => void;
};

/**
 * Gathers what is asked in one turn of the event loop, `most` at a time, and hands each its own answer.
 */
export function gathered<Question, Answer>(
  ask: (all: readonly Question[]) => Promise<readonly (() => Answer)[]>,
  most: number,
): (asked: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  const answer = async (some: typeof waiting) => {
    try {
      const answers = await ask(some.map(({ asked }) => asked));
      for (const [at, one] of some.entries()) handOver(one, answers[at] ?? missing);
    } catch (error) {
      for (const { refuse } of some) refuse(error);
    }
  };
  const send = () => {
    const now = waiting;
    waiting = [];
    for (let from = 0; from < now.length; from += most) {
      void answer(now.slice(from, from + most));
    }
  };
  return (asked) =>
    new Promise((give, refuse) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ asked, give, refuse });
    });
}

/** What one answer lacks is nothing to the others. */
function handOver<Answer>({ give, refuse }: Waiting<unknown, Answer>, made: () => Answer): void {
  try {
    give(made());
  } catch (error) {
    refuse(error);
  }
}

function missing(): never {
  throw new RangeError('An answer is missing.');
}

/** What is written in one turn of the event loop leaves in one piece, and not each in its own. */
export function writtenTogether(socket: Socket): () => void {
  let isWaiting = false;
  const leave = () => {
    isWaiting = false;
    socket.uncork();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    socket.cork();
    setImmediate(leave);
  };
}

/** A connection, or what comes by it, as far as it matters here. */
type Holder = {
  readonly remoteAddress?: string | undefined;
  destroy(): unknown;
  /** Of a connection: what the system still has for it goes, too, and not when it is read one day. */
  resetAndDestroy?(): unknown;
};

/**
 * Memory that is held for slow clients, in bytes: answers that their readers do not take, bodies that
 * do not come to their end. Who holds too much, or has the most when all do, loses what has not moved
 * for longest.
 */
export type Shares = {
  /** So many bytes are held for it from now on; ends others, or it, where that is too much. */
  hold(holder: Holder, bytes: number): void;
  /** Nothing is held for it any more. */
  leave(holder: Holder): void;
  /** Ends what has not moved for longest; false where nothing has been still for so long. */
  readonly endSlowest: () => boolean;
  /** The most bytes that were held at a time since the last call. */
  mostSinceAsked(): number;
};

type ShareBounds = {
  readonly bytes: number;
  /** Of one address: those behind a proxy share one, but a proxy does not dawdle. */
  readonly bytesOfAddress: number;
  /** How long something may be still where its place is needed. */
  readonly stillMs: number;
};

type Held = { readonly address: string; readonly bytes: number; readonly since: number };

/** What has been still for longest stands first, because what moves is put in anew. */
export function createShares(bounds: ShareBounds): Shares {
  const held = new Map<Holder, Held>();
  const ofAddress = new Map<string, number>();
  let all = 0;
  let mostAtATime = 0;
  const leave = (holder: Holder) => {
    const { address = '', bytes = 0 } = held.get(holder) ?? {};
    if (!held.delete(holder)) return;
    all -= bytes;
    const left = (ofAddress.get(address) ?? 0) - bytes;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
  };
  const end = (holder: Holder) => {
    leave(holder);
    if (holder.resetAndDestroy === undefined) holder.destroy();
    else holder.resetAndDestroy();
  };
  const longest = (address: string) => {
    for (const [holder, one] of held) if (one.address === address) return { holder, ...one };
    return undefined;
  };
  const endLongestOf = (address: string) => {
    const found = longest(address);
    if (found !== undefined) end(found.holder);
  };
  return {
    hold(holder, bytes) {
      leave(holder);
      const address = holder.remoteAddress ?? '';
      held.set(holder, { address, bytes, since: performance.now() });
      all += bytes;
      mostAtATime = Math.max(mostAtATime, all);
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + bytes);
      while ((ofAddress.get(address) ?? 0) > bounds.bytesOfAddress) endLongestOf(address);
      while (all > bounds.bytes) endLongestOf(greatest(ofAddress));
    },
    leave,
    mostSinceAsked() {
      const most = mostAtATime;
      mostAtATime = all;
      return most;
    },
    endSlowest() {
      const [first] = held.keys();
      const found = longest(greatest(ofAddress)) ?? (first && longest(first.remoteAddress ?? ''));
      if (found === undefined || performance.now() - found.since < bounds.stillMs) return false;
      end(found.holder);
      return true;
    },
  };
}

function greatest(ofAddress: ReadonlyMap<string, number>): string {
  const [first = ''] = [...ofAddress].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return first;
}
