import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { BlogctlError } from '../errors.ts';
import { cutToWidth } from './display-width.ts';
import { describeFailure, failureAsJson } from './failure.ts';
import { chooseFormat, type Format, isJson } from './formats.ts';
import { createWrite, type Write } from './output.ts';
import { printableLine, printableText } from './printable.ts';
import type { Question } from './prompt.ts';
import { show } from './show.ts';
import { createStyle, type Style, wantsColour } from './style.ts';
import type { Fields, View } from './view.ts';

/** The three streams and what is known of them; `process` is one. Opened only when used. */
export type Streams = {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type TerminalFlags = {
  readonly format?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
  readonly yes?: boolean;
  readonly debug?: boolean;
};

/** What commands may do with the screen: stdout carries the asked-for data and nothing else. */
export type Terminal = {
  readonly format: Format;
  readonly quiet: boolean;
  /** stderr may be redrawn: a terminal outside CI. */
  readonly moves: boolean;
  /** A person can be asked: stdin and stderr are terminals, CI is unset, no --no-input. */
  readonly mayAsk: boolean;
  readonly style: Style;
  /** Columns of the screen; without bound where stdout is none. */
  readonly width: number;
  /** Bytes to stdout; resolves when they are handed over. */
  readonly write: Write;
  show<T extends Fields>(view: View<T>): Promise<void>;
  /** A line on stderr for a person; nothing with --quiet. */
  notice(text: string): Promise<void>;
  /** A line on stderr that --quiet does not silence. */
  warn(text: string): Promise<void>;
  /** A line of what went over the wire (-v). */
  trace(line: string): Promise<void>;
  /** Help where it is no answer: to stderr. */
  complain(help: string): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** Redraws the line at the bottom of stderr; '' removes it. */
  draw(text: string): void;
  progressLine(text: string): void;
  /**
   * True for yes, or where `word` is given for that word typed. Where nobody can be asked: `usage`
   * with `-y` in the hint.
   */
  confirm(question: string, word?: string): Promise<boolean>;
  /** A line typed by a person, hidden for secrets. */
  ask(question: Question): Promise<string>;
  /** stdin as it comes, for what is too long to be kept. */
  readonly input: Readable;
  /** All of stdin. */
  readInput(): Promise<Uint8Array>;
};

export function createTerminal(
  streams: Streams,
  flags: () => TerminalFlags,
  signal: AbortSignal,
): Terminal {
  const write = createWrite(() => streams.stdout);
  const writeError = createWrite(() => streams.stderr);
  const say = (text: string) => writeError(text).catch(ignoreClosed);
  const colourOf = (stream: { isTTY?: boolean }) =>
    createStyle(
      wantsColour({
        env: streams.env,
        isTerminal: stream.isTTY === true,
        refused: flags().color === false,
      }),
    );
  const isCi = () => isSet(streams.env['CI']);

  const terminal: Terminal = {
    get format() {
      return chooseFormat(flags(), streams.stdout.isTTY === true);
    },
    get quiet() {
      return flags().quiet === true;
    },
    get moves() {
      return streams.stderr.isTTY === true && !isCi() && streams.env['TERM'] !== 'dumb';
    },
    get mayAsk() {
      const asked = flags().input !== false && !isCi();
      return asked && streams.stdin.isTTY === true && streams.stderr.isTTY === true;
    },
    get style() {
      return colourOf(streams.stdout);
    },
    get width() {
      return streams.stdout.isTTY === true
        ? streams.stdout.columns || 80
        : Number.POSITIVE_INFINITY;
    },
    write,
    show: (view) =>
      show(view, {
        format: terminal.format,
        width: terminal.width,
        write,
        bold: (text) => terminal.style.bold(text),
      }),
    notice: async (text) => {
      if (!terminal.quiet) await say(`${text}\n`);
    },
    warn: (text) => say(`${colourOf(streams.stderr).yellow('warning:')} ${text}\n`),
    trace: (line) => say(`${printableText(line)}\n`),
    complain: say,
    fail: (error) => {
      const debug = flags().debug === true;
      return say(
        isJson(terminal.format)
          ? failureAsJson(error, debug)
          : describeFailure(error, colourOf(streams.stderr), debug),
      );
    },
    draw: (text) => {
      const line = cutToWidth(printableLine(text), (streams.stderr.columns || 80) - 1);
      void say(`\r\x1b[2K${line}`);
    },
    progressLine: (text) => void say(`${printableLine(text)}\n`),
    confirm: async (question, word) => {
      if (flags().yes === true) return true;
      if (!terminal.mayAsk) throw nobodyToAsk(question);
      const choices = word === undefined ? '[y/N]' : `Type ${word} to go on:`;
      const answer = (await terminal.ask({ text: `${question} ${choices} ` })).trim();
      return word === undefined ? /^(?:y|yes)$/i.test(answer) : answer === word;
    },
    ask: async (question) => {
      const { ask } = await import('./prompt.ts');
      return ask(streams.stdin, streams.stderr, question);
    },
    get input() {
      return streams.stdin;
    },
    readInput: () => readAll(streams.stdin, signal),
  };
  return terminal;
}

function nobodyToAsk(question: string): BlogctlError {
  return new BlogctlError('usage', `Nobody can be asked here: ${question}`, {
    hint: 'give -y to answer yes beforehand',
  });
}

async function readAll(input: Readable, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, input)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks);
}

/** Nobody reads stderr any more, so there is nobody to tell. */
function ignoreClosed(): void {}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
