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
