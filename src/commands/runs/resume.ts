import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { ImportOptions } from '../articles/import.ts';

export function define(command: Command, context: Context, run = resumeRun): void {
  command
    .argument('<run>', 'id of an interrupted import, or its beginning')
    .addHelpText(
      'after',
      `
Runs the import again as it was started: same sources, same blog, same options. What is on the blog
already is neither sent nor created again.

Examples:
  blogctl runs resume 5f2c`,
    )
    .action((id: string) => run(id, command, context));
}

async function resumeRun(id: string, command: Command, context: Context): Promise<void> {
  const { findRun } = await import('../../importing/runs/runs.ts');
  const { dataFolder } = await import('../../settings/paths.ts');
  const { runImportCommand } = await import('../articles/run-import.ts');
  const run = await findRun(dataFolder(context), id);
  if (run.state === 'ended') throw hasEnded(run.id);
  if (run.sources.includes('-')) throw fromStdin(run.id);
  command.parent?.parent?.setOptionValue('blog', run.blog);
  const sources = run.sources.map((source) => resolve(run.folder, source));
  const options: Readonly<Record<string, unknown>> = { ...run.options, resume: true };
  if (!areImportOptions(options)) throw fromOtherVersion(run.id);
  await runImportCommand(sources, options, context);
}

/** They were the options of the command itself when they were written down. */
function areImportOptions(options: object): options is ImportOptions {
  return 'onChanged' in options;
}

function fromOtherVersion(id: string): BlogctlError {
  return new BlogctlError('unusable-input', `The options of the import ${id} cannot be read.`, {
    hint: 'Run the same import again with its options: it goes on where it ended.',
  });
}

function hasEnded(id: string): BlogctlError {
  return new BlogctlError('usage', `The run ${id} has ended: there is nothing to resume.`, {
    hint: `Take it back with blogctl runs undo ${id}; the same import again creates nothing twice.`,
  });
}

function fromStdin(id: string): BlogctlError {
  return new BlogctlError('usage', `The import ${id} was read from stdin, which is gone.`, {
    hint: 'Send the same input again to blogctl articles import -.',
  });
}
