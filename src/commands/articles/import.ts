import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import type { OnChanged } from '../../importing/sending/delivery.ts';
import type { ReadingOptions } from '../../importing/sources/source.ts';
import { names } from '../arguments.ts';
import { sourceFlags, type SourceFlags } from '../source-flags.ts';

export type ImportOptions = SourceFlags & {
  readonly keyField?: string;
  readonly root?: string;
  readonly map?: Partial<ReadingOptions['map']>;
  readonly list?: string;
  readonly delimiter?: string;
  readonly types?: readonly string[];
  readonly status?: readonly string[];
  readonly repairXml?: boolean;
  readonly sort?: ReadingOptions['sort'];
  readonly dryRun?: boolean;
  readonly rejects?: string;
  readonly results?: string;
  readonly resume: boolean;
  readonly ordered?: boolean;
  readonly onChanged: OnChanged;
  readonly recreate?: boolean;
};

type Run = (sources: readonly string[], options: ImportOptions, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runImport): void {
  const shared = sourceFlags();
  command
    .argument('<source...>', 'folders of Markdown, files, quoted patterns, or - for stdin')
    .optionsGroup('Often:')
    .option('--dry-run', 'say what would become of each record, send nothing')
    .addOption(shared.titleFrom)
    .addOption(shared.drafts)
    .addOption(shared.importId)
    .option('--results <file>', 'write a line a record: what became of it, and its article')
    .addOption(
      new Option(
        '--sort <by>',
        'order of posts, which their ids follow (default: their paths)',
      ).choices(['date', 'name']),
    )
    .optionsGroup('Other sources:')
    .option('--key-field <member>', 'member that identifies a record (default: uuid, guid, id, …)')
    .option('--map <pairs>', 'members to read, e.g. title=headline,content=body', memberMap)
    .option('--list <member>', 'member of a JSON document that holds the records')
    .option('--root <folder>', 'where paths of posts begin (default: their git work tree)')
    .option('--delimiter <sign>', 'between the columns of a table (default: found)', delimiter)
    .option('--types <list>', 'kinds of items of an export to import (default: post)', names)
    .option('--status <list>', 'states of records to import, e.g. draft,pending, or any', names)
    .addOption(shared.encoding)
    .option('--repair-xml', 'mend ampersands, entities of HTML and control characters in XML')
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

function delimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t';
  if (text.length === 1) return text;
  throw new InvalidArgumentError('Write one sign, or tab.');
}

function memberMap(
  text: string,
  before: Partial<ReadingOptions['map']> = {},
): Partial<ReadingOptions['map']> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const wrong = pairs.some(
    ([name, member]) => !['title', 'content'].includes(name) || member === '',
  );
  if (wrong) throw new InvalidArgumentError('Write it as title=…,content=….');
  return { ...before, ...Object.fromEntries(pairs) };
}
