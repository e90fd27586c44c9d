import { fstatSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { BlogctlError } from '../errors.ts';
import type { Format } from './view.ts';
import { printableText } from './text.ts';

type Screen = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** The three streams and what is known of them; `process` is one. Opened only when used. */
export type Streams = {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder relative paths start from. */
  cwd?(): string;
};

/** A pipeline: nobody looks, nobody answers. */
export function isCi({ env: { CI } }: Pick<Streams, 'env'>): boolean {
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}

/** A terminal that shows what is written and understands no escapes. */
export function isDumb({ env }: Pick<Streams, 'env'>): boolean {
  return env['TERM'] === 'dumb';
}

/** NO_COLOR and FORCE_COLOR as the tools around us read them; else colour on terminals only. */
export function wantsColour(
  { env }: Pick<Streams, 'env'>,
  { isTTY = false }: { readonly isTTY?: boolean },
  { color }: TerminalFlags,
): boolean {
  if (color === false || env['NO_COLOR']) return false;
  return env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTTY && !isDumb({ env });
}

/** The global flags the terminal heeds. */
export type TerminalFlags = {
  readonly format?: Format;
  readonly json?: boolean;
  /** Only these fields, in this order. */
  readonly fields?: readonly string[];
  /** The bare value of one field. */
  readonly field?: string;
  /** A filter in the language of jq, run over the JSON. */
  readonly jq?: string;
  /** No cell of CSV is run by a spreadsheet. */
  readonly csvSafe?: boolean;
  /** A file instead of stdout. */
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
  readonly pager?: boolean;
  readonly yes?: boolean;
  readonly debug?: boolean;
};

/** The reader of our output went away: the command ends quietly. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

export type Write = (text: string | Uint8Array) => Promise<void>;

/**
 * The one way to write to a stream: it resolves when the bytes are handed over, so that a slow
 * pipe slows us down and megabytes arrive whole. A pipe without reader is OutputClosed; anything
 * else that hinders it, like a full disk, is `unusable-input`.
 */
export function createWrite(open: () => Writable, atOnce?: WriteAtOnce): Write {
  let stream: Writable | undefined;
  let failure: Error | undefined;
  return async (text) => {
    const rest = stream === undefined && atOnce !== undefined ? writtenOf(text, atOnce) : text;
    if (rest.length === 0) return;
    if (stream === undefined) {
      stream = open();
      stream.on('error', (error: Error) => (failure ??= error));
    }
    const target = stream;
    await new Promise<void>((resolve, reject) => {
      if (failure !== undefined) return reject(closedOr(failure));
      target.write(rest, (error) => (error ? reject(closedOr(error)) : resolve()));
    });
  };
}

/** Takes what there is room for, and answers how many bytes that are. */
type WriteAtOnce = (bytes: Uint8Array) => number;

/**
 * For the stdout of this process where it is no device, as a terminal is: what Node loads for a stream
 * takes a third of the time of help and of a script for completions.
 */
export function stdoutAtOnce(streams: object): WriteAtOnce | undefined {
  const isOurs = streams === process && !fstatSync(1).isCharacterDevice();
  return isOurs ? (bytes) => writeSync(1, bytes) : undefined;
}

/** What is left of a text: all of what is long, which a stream waits with. */
function writtenOf(text: string | Uint8Array, write: WriteAtOnce): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length > mostAtOnce) return bytes;
  try {
    return bytes.subarray(write(bytes));
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return bytes;
    throw closedOr(error);
  }
}

/** A pipe of Linux holds four times as much. */
const mostAtOnce = 16 * 1024;

function closedOr(error: unknown): Error {
  if (closedCodes.has(codeOf(error)))
    return new OutputClosed('Nobody reads any more.', { cause: error });
  return new BlogctlError('unusable-input', 'The output cannot be written.', {
    hint: 'Make room on the disk, or write somewhere else.',
    cause: error,
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

const closedCodes: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ECONNRESET',
]);

/** What comes from a person or through stdin. */
export type Prompt = {
  /**
   * True for yes, or where `word` is given for that word typed. Where nobody can be asked: `usage`
   * with `-y` in the hint.
   */
  confirm(question: string, word?: string): Promise<boolean>;
  /** A line typed by a person, hidden for secrets. */
  ask(question: Question): Promise<string>;
  /** All of stdin. */
  readInput(): Promise<Uint8Array>;
};

/** A person can be asked: stdin, not read to its end, and stderr are terminals, CI is unset, no --no-input. */
export function mayAsk(streams: Streams, flags: TerminalFlags): boolean {
  const isAllowed = flags.input !== false && !isCi(streams) && !streams.stdin.readableEnded;
  return isAllowed && streams.stdin.isTTY === true && streams.stderr.isTTY === true;
}

export function createPrompt(
  streams: Streams,
  flags: () => TerminalFlags,
  signal: () => AbortSignal,
): Prompt {
  const ask: Prompt['ask'] = async (question) => {
    const text = printableText(question.text);
    return prompt(streams.stdin, streams.stderr, { ...question, text, signal: signal() });
  };
  return {
    ask,
    confirm: async (question, word) => {
      if (flags().yes === true) return true;
      if (!mayAsk(streams, flags())) throw nobodyToAsk(question);
      const choices = word === undefined ? '[y/N]' : `Type ${word} to go on:`;
      const answer = (await ask({ text: `${question} ${choices} ` })).trim();
      return word === undefined ? /^(?:y|yes)$/i.test(answer) : answer === word;
    },
    readInput: async () => {
      const { readInput } = await import('../files.ts');
      return readInput(streams.stdin, { name: 'stdin', signal: signal() });
    },
  };
}

function nobodyToAsk(question: string): BlogctlError {
  return new BlogctlError('usage', `Nobody can be asked here: ${question}`, {
    hint: 'Give -y to answer yes beforehand.',
  });
}

type Question = {
  readonly text: string;
  /** What is typed is not shown. */
  readonly hidden?: boolean;
  /** Lines that are pasted together are one answer, line feeds between them. */
  readonly isText?: boolean;
};

/** In which the lines of one paste come. */
const pastedMs = 50;

/**
 * Asks on the terminal and answers the line typed. Ctrl-C and Ctrl-D are `cancelled`; a signal ends the
 * question with its reason.
 */
async function prompt(
  input: Readable,
  output: Writable,
  question: Question & { readonly signal: AbortSignal },
): Promise<string> {
  const { signal } = question;
  const { createInterface } = await import('node:readline');
  output.write(question.text);
  const shown = question.hidden === true ? await silent() : output;
  const lines = createInterface({ input, output: shown, terminal: true, prompt: '' });
  return new Promise((resolve, reject) => {
    const answer: string[] = [];
    const stop = () => {
      reject(signal.reason);
      lines.close();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    lines.on('line', (line) => {
      answer.push(line);
      if (question.isText !== true) lines.close();
      // What was pasted without a line feed at its end is ended by a person.
      else setTimeout(() => lines.line === '' && lines.close(), pastedMs);
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      const isAnswered = answer.length > 0 && lines.line === '';
      if (isAnswered) resolve(answer.join('\n'));
      // Enter ends the line of what is shown; whatever else ends a question does not.
      if (question.hidden === true || !isAnswered) output.write('\n');
      reject(new BlogctlError('cancelled', 'Cancelled: nothing was changed.'));
    });
  });
}

async function silent(): Promise<Writable> {
  const { Writable } = await import('node:stream');
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
