import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import type { KnownRun } from '../../importing/runs/runs.ts';

export function define(command: Command, context: Context, run = showRuns): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  blogctl runs list
  blogctl runs list --json`,
    )
    .action(() => run(context));
}

/** The imports that were interrupted and can be gone on with. */
async function showRuns(context: Context): Promise<void> {
  const { listRuns } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/places.ts');
  const runs = await listRuns(dataFolder(context));
  if (runs.length === 0) await context.terminal.notice('No interrupted imports.');
  await context.terminal.show({
    many: runs.map(rowOf),
    columns: ['id', 'changed', 'done', 'blog', 'sources'],
  });
}

function rowOf({ id, started, changed, done, blog, folder, sources }: KnownRun) {
  return { id, started, changed, done, blog, folder, sources: sources.join(' ') };
}
