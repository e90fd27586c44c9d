import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import type { KnownRun } from '../../importing/runs/runs.ts';

type ListRunsOptions = { readonly all?: boolean };

export function define(command: Command, context: Context, run = showRuns): void {
  command
    .option('--all', 'every run, in a table too')
    .addHelpText(
      'after',
      `
What commands have changed and what was interrupted, the latest first. Kept for 30 days, unless
BLOGCTL_NO_RUNS is 1.

Examples:
  blogctl runs list
  blogctl runs list --json`,
    )
    .action((options: ListRunsOptions) => run(options, context));
}

const rowsOfATable = 30;

async function showRuns({ all = false }: ListRunsOptions, context: Context): Promise<void> {
  const { listRuns } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/places.ts');
  const { terminal } = context;
  const runs = await listRuns(dataFolder(context));
  const shown = terminal.format === 'table' && !all ? runs.slice(0, rowsOfATable) : runs;
  if (runs.length === 0) await terminal.notice('No runs are known.');
  await terminal.show({
    many: shown.map(rowOf),
    columns: ['id', 'started', 'command', 'state', 'blog', 'counts'],
    text: ({ id, started, command, state, blog, counts }) =>
      [id, started, command, state, blog, countsText(counts)].join('  '),
  });
  if (shown.length < runs.length) {
    await terminal.notice(`${shown.length} of ${runs.length} shown; --all shows every one.`);
  }
}

function rowOf({ id, command, blog, started, ended, state, counts }: KnownRun) {
  return { id, command, blog, started, ended, state, counts };
}

/** `created 12, skipped 1` */
export function countsText(counts: KnownRun['counts']): string {
  const said = Object.entries(counts).filter(([name, count]) => name !== 'records' && count > 0);
  return said.map(([name, count]) => `${name} ${count}`).join(', ');
}
