import type { Command } from 'commander';
import { wholeNumber } from '../../src/commands/arguments.ts';
import type { Context } from '../../src/commands/context.ts';

type CountOptions = { readonly least: number };

export function define(command: Command, context: Context, run = showCount): void {
  command
    .option('--least <number>', 'warn where there are fewer', wholeNumber(1), 1)
    .addHelpText('after', '\nExamples:\n  blogctl count --least 10')
    .action((options: CountOptions) => run(options, context));
}

/** Says how many articles the blog has. */
export async function showCount({ least }: CountOptions, context: Context): Promise<void> {
  const client = await context.client({ missing: 'empty' });
  for await (const { totalArticles } of client.pages({ pageSize: 1 })) {
    if (totalArticles < least) await context.terminal.warn('There are fewer than expected.');
    return context.terminal.show({ one: { articles: totalArticles }, columns: ['articles'] });
  }
}
