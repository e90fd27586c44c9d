import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import type { Tolerance } from '../../importing/import-request.ts';
import { tolerance } from '../source-flags.ts';
import { addSyncFlags, type SyncFlags } from './plan.ts';

export type ApplyFlags = SyncFlags & {
  readonly onDrift: 'keep' | 'overwrite';
  readonly recreate?: boolean;
  /** By path; under '' what holds for all others. */
  readonly adopt?: ReadonlyMap<string, number | 'none'>;
  readonly maxDeletes?: Tolerance;
};

type Run = (named: string, flags: ApplyFlags, command: Command, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runApply): void {
  command
    .argument('<folder|plan.json>', 'folder of Markdown, or a plan that was kept')
    .option('--prune', 'delete articles whose file is gone')
    .addOption(
      new Option('--on-drift <what>', 'with what was changed on the blog')
        .choices(['keep', 'overwrite'])
        .default('keep'),
    )
    .option('--recreate', 'create again what was deleted on the blog')
    .option('--adopt <path=id|none>', 'which article a post is, where the plan asks', adoption)
    .option('--max-deletes <n|p%>', 'deletes at most (default: 10 %, or 5)', tolerance);
  addSyncFlags(command)
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
    .action((named: string, flags: ApplyFlags) => run(named, flags, command, context));
}

async function runApply(
  named: string,
  flags: ApplyFlags,
  command: Command,
  context: Context,
): Promise<void> {
  const { applyCommand } = await import('./run-apply.ts');
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  await applyCommand(named, flags, { isGiven, context });
}

/** `posts/a.md=17`, `posts/a.md=none`, or `none` for all that are asked about. */
function adoption(
  text: string,
  before: ReadonlyMap<string, number | 'none'> = new Map(),
): ReadonlyMap<string, number | 'none'> {
  if (text === 'none') return new Map([...before, ['', 'none']]);
  const [, path = '', id = ''] = /^(.+)=(none|[1-9]\d{0,15})$/s.exec(text) ?? [];
  if (path === '') throw new InvalidArgumentError('Write it as path=id, path=none, or none.');
  return new Map([...before, [path, id === 'none' ? id : Number(id)]]);
}
