import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { recordFlags, sourceFlags } from '../source-flags.ts';
import type { ImportOptions } from './run-import.ts';

type Run = (sources: readonly string[], options: ImportOptions, context: Context) => Promise<void>;

/** The address behind what is imported is that of the blog. */
function addSource(text: string, before: readonly string[] = []): readonly string[] {
  if (before.length === 0 || !/^https?:/i.test(text)) return [...before, text];
  throw new InvalidArgumentError('Only files are imported.');
}

export function define(command: Command, context: Context, run: Run = runImport): void {
  const shared = sourceFlags();
  command
    .argument(
      '<source...>',
      'folders of Markdown, files, quoted patterns, or - for stdin',
      addSource,
    )
    .optionsGroup('Often:')
    .option('--dry-run', 'say what would become of each record, send nothing')
    .addOption(shared.titleFrom)
    .addOption(shared.drafts)
    .addOption(shared.importId)
    .option('--results <file>', 'write a line a record: what became of it, and its article')
    .addOption(shared.sort)
    .optionsGroup('Other sources:');
  for (const option of recordFlags()) command.addOption(option);
  command
    .optionsGroup('When records are wrong, changed or gone:')
    .addOption(shared.continueOnError)
    .addOption(shared.maxErrors)
    .option('--rejects <file>', 'where to leave wrong records (default: <source>.rejects.ndjson)')
    .addOption(
      new Option('--on-changed <what>', 'with a record known with another text')
        .choices(['fail', 'skip'])
        .default('fail'),
    )
    .option('--recreate', 'create again what was deleted on the blog')
    .addOption(shared.allowEmpty)
    .option('--no-resume', 'forget what an interrupted run of this import knew')
    .optionsGroup('Pace:')
    .addOption(shared.concurrency)
    .option('--ordered', 'one request at a time: articles get their ids in the order of the source')
    .addOption(shared.rate)
    .addHelpText(
      'after',
      `
Nothing is sent before every record was looked at, and nothing is created twice: run the same
import again after any interruption.

Examples:
  blogctl articles import posts
  blogctl articles import posts --dry-run
  blogctl articles import "content/**/*.md" --title-from h1
  blogctl articles import dump.ndjson --key-field slug --map title=headline,content=body
  generate | blogctl articles import - --import-id weekly`,
    )
    .action((sources: readonly string[], options: ImportOptions) => run(sources, options, context));
}

async function runImport(
  sources: readonly string[],
  options: ImportOptions,
  context: Context,
): Promise<void> {
  const { runImportCommand } = await import('./run-import.ts');
  await runImportCommand(sources, options, context);
}
