import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import type { KnownRun } from '../../importing/runs/runs.ts';

type ListRunsOptions = { readonly all?: boolean };

export function define(command: Command, context: Context, run = showRuns): void {
  command
    .option('--all', 'every run of every blog')
    .addHelpText(
      'after',
      `
What commands have changed and what was interrupted, the latest first: on the blog that is chosen,
where one is. Kept for 30 days, unless BLOGCTL_NO_RUNS is 1.

Examples:
  blogctl runs list
  blogctl runs list --all --json`,
    )
    .action((options: ListRunsOptions) => run(options, context));
}

const rowsOfATable = 30;

async function showRuns({ all = false }: ListRunsOptions, context: Context): Promise<void> {
  const { listRuns } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/paths.ts');
  const { terminal } = context;
  const known = await listRuns(dataFolder(context));
  const { value: target, origin } = await context.chosen();
  const chosen = target.kind === 'file' ? `file:${target.path}` : target.url;
  const isEvery = all || origin === 'default';
  const runs = isEvery ? known : known.filter(({ blog }) => blog === chosen);
  const shown = terminal.format === 'table' && !all ? runs.slice(0, rowsOfATable) : runs;
  if (runs.length === 0)
    await terminal.notice(`No runs are known${isEvery ? '' : ` of ${chosen}`}.`);
  await terminal.show({
    many: shown.map(rowOf),
    columns: ['id', 'started', 'command', 'state', 'blog', 'counts'],
    text: ({ id, started, command, state, blog, counts }) =>
      [id, started, command, state, blog, countsText(counts)].join('  '),
  });
  const [more, others] = [runs.length - shown.length, known.length - runs.length];
  const left = [
    ...(more > 0 ? [`${more} more`] : []),
    ...(others > 0 ? [`${others} of other blogs`] : []),
  ];
  if (left.length > 0) await terminal.notice(`Not shown: ${left.join(', ')}; see --all.`);
}

function rowOf({ id, command, blog, started, ended, state, counts }: KnownRun) {
  return { id, command, blog, started, ended, state, counts };
}

/** `created 12, skipped 1` */
export function countsText(counts: KnownRun['counts']): string {
  const said = Object.entries(counts).filter(([name, count]) => name !== 'records' && count > 0);
  return said.map(([name, count]) => `${name} ${count}`).join(', ');
}
