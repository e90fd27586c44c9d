import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { addChoices, addSyncFlags, type SyncFlags } from './plan.ts';

type Run = (named: string, flags: SyncFlags, command: Command, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runApply): void {
  command.argument('<folder|plan.json>', 'folder of Markdown, or a plan that was kept');
  addSyncFlags(addChoices(command))
    .addHelpText(
      'after',
      `
Shows what it will do and asks; -y answers yes, and is needed where nobody can be asked. Nothing that
was changed on the blog is written over, unless --on-drift overwrite says so. Run it again after any
interruption.

Examples:
  blogctl sync apply posts
  blogctl sync apply posts --prune -y
  blogctl sync apply plan.json`,
    )
    .action((named: string, flags: SyncFlags) => run(named, flags, command, context));
}

async function runApply(
  named: string,
  flags: SyncFlags,
  command: Command,
  context: Context,
): Promise<void> {
  const { applyCommand } = await import('./run-apply.ts');
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  await applyCommand(named, flags, { isGiven, context });
}
