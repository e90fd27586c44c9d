import type { Writable } from 'node:stream';
import type { Messages } from './messages.ts';

/** What it is drawn on. */
type Screen = Messages & { readonly quiet: boolean; readonly moves: boolean };

type ProgressOptions = {
  /** What is being done: `Importing`. */
  readonly label: string;
  readonly total: number;
  readonly now?: () => number;
};

export type Progress = {
  /** `done` of `total`; the note stands beside the figures. */
  update(done: number, note?: string): void;
  finish(): void;
};

const lineEveryMs = 30_000;
/** What is done within a second needs no report on its way. */
const shortestSilenceMs = 1_000;
const redrawEveryMs = 100;
const widestBar = 24;
/** What the figures beside the bar need: on a narrow screen the bar gives way. */
const figuresWidth = 30;

/** A bar on a terminal; elsewhere a line each 10 % or 30 s; nothing with --quiet. */
export function createProgress(terminal: Screen, options: ProgressOptions): Progress {
  if (terminal.quiet) return { update() {}, finish() {} };
  return terminal.moves ? createBar(terminal, options) : createLines(terminal, options);
}

function createBar(terminal: Screen, options: ProgressOptions): Progress {
  const now = options.now ?? Date.now;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    update(done, note) {
      if (now() - drawnAt < redrawEveryMs && done < options.total) return;
      drawnAt = now();
      const width = Math.max(0, Math.min(widestBar, terminal.columns() - figuresWidth));
      const drawn = bar(done / options.total, width);
      terminal.draw(`${drawn}${figures(done, options)}${suffix(note)}`);
    },
    finish: () => terminal.draw(''),
  };
}

function createLines(terminal: Screen, options: ProgressOptions): Progress {
  const now = options.now ?? Date.now;
  let tenth = 0;
  let saidAt = now();
  return {
    update(done, note) {
      const reached = options.total === 0 ? 10 : Math.floor((done / options.total) * 10);
      const silentMs = now() - saidAt;
      if (silentMs < shortestSilenceMs) return;
      if (reached === tenth && silentMs < lineEveryMs) return;
      tenth = reached;
      saidAt = now();
      terminal.progressLine(`${figures(done, options)}${suffix(note)}`);
    },
    finish() {},
  };
}

/** `share` of nothing is no number, and done. */
function bar(share: number, width: number): string {
  if (width === 0) return '';
  const filled = Number.isNaN(share) ? width : Math.floor(Math.min(share, 1) * width);
  return `${'█'.repeat(filled).padEnd(width, '░')} `;
}

function figures(done: number, { label, total }: ProgressOptions): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${label} ${done} of ${total} (${percent} %)`;
}

function suffix(note: string | undefined): string {
  return note === undefined || note === '' ? '' : `, ${note}`;
}

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
