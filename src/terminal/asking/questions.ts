import { BlogctlError } from '../../errors.ts';
import type { TerminalFlags } from '../flags.ts';
import { printableText } from '../letters/printable.ts';
import type { Question } from './prompt.ts';
import { isCi, type Streams } from '../streams.ts';

/** What comes from a person or through stdin. */
export type Questions = {
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

/** A person can be asked: stdin and stderr are terminals, CI is unset, no --no-input. */
export function mayAsk(streams: Streams, flags: TerminalFlags): boolean {
  const isAllowed = flags.input !== false && !isCi(streams);
  return isAllowed && streams.stdin.isTTY === true && streams.stderr.isTTY === true;
}

export function createQuestions(
  streams: Streams,
  flags: () => TerminalFlags,
  signal: () => AbortSignal,
): Questions {
  const ask: Questions['ask'] = async (question) => {
    const prompt = await import('./prompt.ts');
    const text = printableText(question.text);
    return prompt.ask(streams.stdin, streams.stderr, { ...question, text });
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
      const { readInput } = await import('../../files.ts');
      return readInput(streams.stdin, { name: 'stdin', signal: signal() });
    },
  };
}

function nobodyToAsk(question: string): BlogctlError {
  return new BlogctlError('usage', `Nobody can be asked here: ${question}`, {
    hint: 'give -y to answer yes beforehand',
  });
}
