import type { Command } from 'commander';
import type { Context } from '../../src/commands/context.ts';
import { createContext } from '../../src/commands/create-context.ts';
import { createProgram } from '../../src/program.ts';
import { givenHost } from './host.ts';

type Define<T> = (
  command: Command,
  context: Context,
  run: (options: T, context: Context) => Promise<void>,
) => void;

/** What a command's `run` is given for a command line; throws what commander throws. */
export async function parsed<T>(define: Define<T>, line: readonly string[]): Promise<T> {
  const program = createProgram(() => {});
  const context = createContext({
    host: givenHost([]),
    flags: () => program.opts(),
    signal: () => new AbortController().signal,
  });
  const seen: T[] = [];
  define(program.command('it'), context, async (options) => void seen.push(options));
  await program.parseAsync(['it', ...line], { from: 'user' });
  const [only] = seen;
  if (only === undefined) throw new Error('the command was not run');
  return only;
}
