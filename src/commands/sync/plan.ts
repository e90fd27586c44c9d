import { type Command, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { addSourceFlags, type SourceFlags } from '../source-flags.ts';

export type SyncFlags = SourceFlags & {
  readonly state?: string;
  /** False with --no-history. */
  readonly history: boolean;
  readonly exact?: boolean | undefined;
  readonly prune?: boolean;
};

export type PlanFlags = SyncFlags & { readonly exitCode?: boolean };

type Run = (folder: string, flags: PlanFlags, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runPlan): void {
  command
    .argument('<folder>', 'folder of Markdown')
    .option('--prune', 'articles whose file is gone would be deleted')
    .option('--exit-code', 'end with 11 where there is something to do or to look at');
  addSyncFlags(command)
    .addHelpText(
      'after',
      `
Says what blogctl sync apply would do, and changes nothing. Reading needs no token. -o keeps the plan
for apply; --format md writes it for a pull request.

Examples:
  blogctl sync plan posts
  blogctl sync plan posts --prune -o plan.json
  blogctl sync plan posts --format md > plan.md`,
    )
    .action((folder: string, flags: PlanFlags) => run(folder, flags, context));
}

/** The flags that plan, apply and pull share. */
export function addSyncFlags(command: Command): Command {
  return addSourceFlags(
    command
      .option('--state <file>', 'where the state is kept (default: in the data folder)')
      .addOption(new Option('--no-history', 'do not ask git what the files were'))
      .option('--exact', 'line ends and blank edges count as changes'),
  );
}

async function runPlan(folder: string, flags: PlanFlags, context: Context): Promise<void> {
  const { planCommand } = await import('./run-sync.ts');
  await planCommand(folder, flags, context);
}
