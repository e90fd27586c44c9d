import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';

export function define(command: Command, context: Context, run = showRun): void {
  command
    .argument('<run>', 'id of a run, or its beginning')
    .addHelpText(
      'after',
      `
Examples:
  blogctl runs show 5f2c
  blogctl runs show 5f2c --json`,
    )
    .action((id: string) => run(id, context));
}

/** A run with all that it changed. */
async function showRun(id: string, context: Context): Promise<void> {
  const { findRun, journalPath } = await import('../../importing/runs/runs.ts');
  const { readChanges } = await import('../../importing/runs/journal-lines.ts');
  const { dataFolder } = await import('../../settings/paths.ts');
  const folder = dataFolder(context);
  const run = await findRun(folder, id);
  const journal = journalPath(folder, run.id);
  const lines = await readChanges(journal);
  await context.terminal.show({
    one: { ...run, journal, lines },
    columns: ['id', 'command', 'state', 'started', 'ended', 'blog', 'sources', 'counts'],
  });
}
