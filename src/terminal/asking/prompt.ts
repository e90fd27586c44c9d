import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { BlogctlError } from '../../errors.ts';

export type Question = {
  readonly text: string;
  /** What is typed is not shown. */
  readonly hidden?: boolean;
};

/** Asks on the terminal and answers the line typed. Ctrl-C and Ctrl-D are `cancelled`. */
export function ask(input: Readable, output: Writable, question: Question): Promise<string> {
  output.write(question.text);
  const shown = question.hidden === true ? silent() : output;
  const lines = createInterface({ input, output: shown, terminal: true, prompt: '' });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      if (question.hidden === true) output.write('\n');
      reject(new BlogctlError('cancelled', 'Cancelled: nothing was changed.'));
    });
  });
}

function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
