import type { Writable } from 'node:stream';

export type Waiting = {
  /** The result of `act`; while it is waited for longer than a blink, a spinner turns. */
  during<T>(act: () => Promise<T>): Promise<T>;
};

const blinkMs = 150;
const text = 'Waiting for an answer';

/** For a stream that may be redrawn; one spinner for however many things are waited for. */
export function createWaiting(stream: Writable, coloured: boolean): Waiting {
  let underWay = 0;
  let stop: (() => void) | undefined;
  return {
    during: async (act) => {
      underWay += 1;
      stop ??= showAfterBlink(stream, coloured);
      try {
        return await act();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          stop();
          stop = undefined;
        }
      }
    },
  };
}

/** ora is loaded only by who really waits: a quick answer does not pay for it. */
function showAfterBlink(stream: Writable, coloured: boolean): () => void {
  let isOver = false;
  let hide = () => {};
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      if (isOver) return;
      const color = coloured && 'cyan';
      const spinner = ora({ text, stream, color, discardStdin: false }).start();
      hide = () => void spinner.stop();
    });
  }, blinkMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
    hide();
  };
}
