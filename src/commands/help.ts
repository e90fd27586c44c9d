import type { Command } from 'commander';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { findCommand, LazyCommand } from './lazy-command.ts';

export function define(command: Command, context: Context, run = showHelp): void {
  command
    .argument('[topic...]', 'a command, or environment, exit-codes, formatting, import')
    .addHelpText('after', '\nExamples:\n  blogctl help articles update\n  blogctl help exit-codes')
    .action((topic: readonly string[]) => run(topic, command, context));
}

/** Shows a topic, or the help of a command as --help does. */
export async function showHelp(
  words: readonly string[],
  command: Command,
  { terminal }: Context,
): Promise<void> {
  const { topics } = await import('./help-topics.ts');
  const [word = ''] = words;
  const topic = words.length === 1 ? topics[word] : undefined;
  if (topic !== undefined) return terminal.write(topic());
  const root = command.parent;
  if (root === null || !(await isCommand(root, words)))
    throw unknownTopic(words, Object.keys(topics));
  await root.parseAsync([...words, '--help'], { from: 'user' });
}

async function isCommand(
  command: Command,
  [first, ...others]: readonly string[],
): Promise<boolean> {
  if (first === undefined) return true;
  if (command instanceof LazyCommand) await command.defineNow();
  const next = findCommand(command, first);
  return next !== undefined && isCommand(next, others);
}

function unknownTopic(words: readonly string[], topics: readonly string[]): BlogctlError {
  return new BlogctlError('usage', `There is no help on "${words.join(' ')}".`, {
    hint: `blogctl help shows the commands; other topics are ${topics.join(', ')}`,
  });
}
