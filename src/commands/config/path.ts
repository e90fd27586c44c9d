import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';

export function define(command: Command, context: Context, run = showPath): void {
  command.addHelpText('after', '\nExamples:\n  blogctl config path').action(() => run(context));
}

/** Where the configuration file is, or would be. */
export async function showPath(context: Context): Promise<void> {
  const { path } = await context.config();
  await context.terminal.show({ one: { path }, columns: ['path'], human: () => `${path}\n` });
}
