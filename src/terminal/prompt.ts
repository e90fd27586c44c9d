import type { Readable, Writable } from 'node:stream';
import { BlogctlError } from '../errors.ts';
import { isCi, type Streams, type TerminalFlags } from './streams.ts';
import { printableText } from './text.ts';

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
};

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
    let isAnswered = false;
    const stop = () => {
      reject(signal.reason);
      lines.close();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    lines.once('line', (line) => {
      isAnswered = true;
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
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
