import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../../context/context.ts';

type PruneOptions = { readonly olderThan?: number };

export function define(command: Command, context: Context, run = prune): void {
  command
    .option('--older-than <days>', 'as 30d; 0d removes all (default: 30d)', daysOf)
    .addHelpText(
      'after',
      `
Removes what was kept of runs that have ended; they cannot be undone any more. Interrupted imports
stay.

Examples:
  blogctl runs prune
  blogctl runs prune --older-than 7d`,
    )
    .action((options: PruneOptions) => run(options, context));
}

async function prune({ olderThan }: PruneOptions, context: Context): Promise<void> {
  const { pruneRuns } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/paths.ts');
  const removed = await pruneRuns(dataFolder(context), Date.now(), olderThan);
  await context.terminal.notice(`Removed ${removed} ${removed === 1 ? 'run' : 'runs'}.`);
}

function daysOf(text: string): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw new InvalidArgumentError('Write a number of days, such as 30d.');
}
