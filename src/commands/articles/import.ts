import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import type { OnChanged } from '../../importing/sending/delivery.ts';
import type { ReadingOptions } from '../../importing/sources/source.ts';
import type { Tolerance } from '../../importing/tolerance.ts';
import { names, wholeNumber } from '../arguments.ts';

export type ImportOptions = {
  readonly importId?: string;
  readonly keyField?: string;
  readonly root?: string;
  readonly map?: Partial<ReadingOptions['map']>;
  readonly list?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly types?: readonly string[];
  readonly status?: readonly string[];
  readonly repairXml?: boolean;
  readonly titleFrom?: ReadingOptions['titleFrom'];
  readonly sort?: ReadingOptions['sort'];
  readonly drafts?: boolean;
  readonly allowEmpty?: boolean;
  readonly dryRun?: boolean;
  readonly continueOnError?: boolean;
  readonly maxErrors?: Tolerance;
  readonly rejects?: string;
  readonly results?: string;
  readonly resume: boolean;
  readonly concurrency?: number;
  readonly ordered?: boolean;
  readonly rate?: number;
  readonly onChanged: OnChanged;
  readonly recreate?: boolean;
};

type Run = (sources: readonly string[], options: ImportOptions, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runImport): void {
  command
    .argument('<source...>', 'folders of Markdown, files, quoted patterns, or - for stdin')
    .option('--dry-run', 'say what would become of each record, send nothing')
    .option('--continue-on-error', 'leave out what is wrong, import the rest, end with 10')
    .option('--max-errors <n|p%>', 'the same, up to so many wrong records', tolerance)
    .option('--rejects <file>', 'where to leave wrong records (default: <source>.rejects.ndjson)')
    .option('--results <file>', 'write a line a record: what became of it, and its article')
    .addOption(
      new Option('--on-changed <what>', 'with a record known with another text')
        .choices(['fail', 'skip'])
        .default('fail'),
    )
    .option('--recreate', 'create again what was deleted on the blog')
    .option('--import-id <name>', 'keeps the records apart from those of other sources')
    .option('--key-field <member>', 'member that identifies a record (default: uuid, guid, id, …)')
    .option('--root <folder>', 'where paths of posts begin (default: their git work tree)')
    .option('--map <pairs>', 'members to read, e.g. title=headline,content=body', memberMap)
    .option('--list <member>', 'member of a JSON document that holds the records')
    .addOption(
      new Option('--title-from <where>', 'of a post without a title in its front matter').choices([
        'h1',
        'line',
        'filename',
      ]),
    )
    .addOption(
      new Option(
        '--sort <by>',
        'order of posts, which their ids follow (default: their paths)',
      ).choices(['date', 'name']),
    )
    .option('--encoding <name>', 'of what is not UTF-8, e.g. latin1, shift_jis')
    .option('--delimiter <sign>', 'between the columns of a table (default: found)', delimiter)
    .option('--types <list>', 'kinds of items of an export to import (default: post)', names)
    .option('--status <list>', 'states of records to import, e.g. draft,pending, or any', names)
    .option('--repair-xml', 'mend ampersands, entities of HTML and control characters in XML')
    .option('--drafts', 'import what is not public too: drafts, scheduled, protected')
    .option('--no-resume', 'forget what an interrupted run of this import knew')
    .option('--allow-empty', 'nothing found is no failure')
    .option('--concurrency <n>', 'requests at a time, up to 64 (default: 4)', wholeNumber(1, 64))
    .option('--ordered', 'one request at a time: articles get their ids in the order of the source')
    .option(
      '--rate <n>',
      'requests a second at most (default: what the service allows)',
      wholeNumber(1),
    )
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

/** `20` records or `5%` of them. */
function tolerance(text: string): Tolerance {
  const [, figure, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const most = Number(figure);
  if (percent === '%' && most <= 100) return { kind: 'share', most: most / 100 };
  if (percent === '' && Number.isInteger(most)) return { kind: 'count', most };
  throw new InvalidArgumentError('Write a number of records, or a share of them such as 5%.');
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
