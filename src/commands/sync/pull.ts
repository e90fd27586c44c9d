import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { addSyncFlags, type SyncFlags } from './plan.ts';

export type PullFlags = SyncFlags & { readonly dryRun?: boolean; readonly new?: boolean };

type Run = (
  folder: string,
  paths: readonly string[],
  given: { readonly flags: PullFlags; readonly context: Context },
) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runPull): void {
  command
    .argument('<folder>', 'folder of Markdown')
    .argument('[path...]', 'only these posts, as the plan shows them; changed here too, if named')
    .option('-n, --dry-run', 'say what would be written')
    .option('--new', 'make a file for each article that is not from here');
  addSyncFlags(command)
    .addHelpText(
      'after',
      `
Writes what was changed on the blog into the files of its posts: the title's value and the content,
nothing else. A file with changes that are not committed is left alone, so that git diff shows what
came, and git checkout takes it back.

Examples:
  blogctl sync pull posts -n
  blogctl sync pull posts && git diff
  blogctl sync pull posts 2024/letter.md`,
    )
    .action((folder: string, paths: readonly string[], flags: PullFlags) =>
      run(folder, paths, { flags, context }),
    );
}

const runPull: Run = async (folder, paths, given) => {
  const { pullCommand } = await import('./run-pull.ts');
  await pullCommand(folder, paths, given);
};
