import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';

export function define(command: Command, context: Context, run = showRun): void {
  command
    .argument('<run>', 'id of an interrupted import, or its beginning')
    .addHelpText(
      'after',
      `
Examples:
  blogctl runs show 5f2c
  blogctl runs show 5f2c --json`,
    )
    .action((id: string) => run(id, context));
}

async function showRun(id: string, context: Context): Promise<void> {
  const { findRun, journalPath } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/places.ts');
  const folder = dataFolder(context);
  const run = await findRun(folder, id);
  await context.terminal.show({
    one: { ...run, journal: journalPath(folder, run.id) },
    columns: ['id', 'changed', 'done', 'blog', 'sources'],
  });
}
