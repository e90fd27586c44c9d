import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../context.ts';
import { keptRejects, refuseOwnStore } from '../open-file.ts';
import { BlogctlError } from '../../errors.ts';
import type { ImportReport, ImportRequest, JournalPlace } from '../../importing/import-request.ts';
import { journalPath, pruneRuns, runId } from '../../importing/runs/runs.ts';
import type { Run } from '../../importing/runs/journal-lines.ts';
import type { OnChanged } from '../../importing/sending/delivery.ts';
import { systemClock } from '../../importing/sending/pace.ts';
import type { Source } from '../../importing/sources/source.ts';
import { unseenNames } from '../../importing/sources/words.ts';
import { sentenceOf } from '../../importing/plan.ts';
import { dataFolder, runsFolder, targetName } from '../../settings/target.ts';
import {
  type ReadingFlags,
  readingOptions,
  reachingFlags,
  recordFlags,
  retryLimitsOf,
  sourceFlags,
  toleranceOf,
} from '../source-flags.ts';
import { portableAddresses } from './article-view.ts';
import { writtenFile } from '../arguments.ts';
import { createImportListener, outputsOf, type OutputFlags, pathOf } from './import-outputs.ts';

export type ImportOptions = ReadingFlags &
  OutputFlags & {
    readonly resume: boolean;
    readonly ordered?: boolean;
    readonly onChanged: OnChanged;
    readonly recreate?: boolean;
  };

/** The address behind what is imported is that of the blog. */
function addSource(text: string, before: readonly string[] = []): readonly string[] {
  if (before.length === 0 || !/^(?:https?|file):/i.test(text)) return [...before, text];
  throw new InvalidArgumentError('Only files are imported.');
}

export function define(command: Command, context: Context, run = runImport): void {
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
    .option('--results <file>', 'a line a record: what became of it, and its article', writtenFile)
    .addOption(shared.sort)
    .optionsGroup('Other sources:');
  for (const option of recordFlags()) command.addOption(option);
  command
    .optionsGroup('When records are wrong, changed or gone:')
    .addOption(shared.continueOnError)
    .addOption(shared.maxErrors)
    .option(
      '--rejects <file>',
      'wrong records, over a file that is there only with --overwrite (default: <source>.rejects.ndjson)',
      writtenFile,
    )
    .addOption(
      new Option('--on-changed <what>', 'with a record known with another text')
        .choices(['fail', 'skip'])
        .default('fail'),
    )
    .option('--recreate', 'create again what was deleted, unless runs undo has done so')
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
import again after any interruption. Titles and texts are brought, dates and tags are not.

Examples:
  blogctl articles import posts
  blogctl articles import posts --dry-run
  blogctl articles import "content/**/*.md" --title-from h1
  blogctl articles import dump.ndjson --key-field slug --map title=headline,content=body
  generate | blogctl articles import - --import-id weekly`,
    )
    .action((sources: readonly string[], options: ImportOptions) => run(sources, options, context));
}

/** Imports what the arguments name; the summary goes to stdout whatever happened. */
export async function runImport(
  named: readonly string[],
  options: ImportOptions,
  context: Context,
): Promise<void> {
  context.terminal.requireFields(summaryFields);
  // It would grow while it is read.
  for (const name of named) if (name !== '-') await refuseOwnStore(name, context);
  const { openSources } = await import('../../importing/sources/open-sources.ts');
  const unseen = unseenNames(options);
  const reading = { ...readingOptions(options), found: (name: string) => unseen.delete(name) };
  const opened = await openSources(named, reading, context.terminal.input, {
    signal: context.signal,
    notice: (text) => context.terminal.notice(text),
  });
  const listener = createImportListener({
    terminal: context.terminal,
    dryRun: options.dryRun === true,
    choosesTypes: options.types !== undefined,
    choosesStates: options.status !== undefined,
    unseen,
    annotates: context.env['GITHUB_ACTIONS'] === 'true',
    pathOf: (source) => pathOf(source, named),
  });
  try {
    const request = await requestOf(opened.sources, named, { options, context });
    const { value: target } = await context.chosen();
    const missing = request.dryRun ? 'empty' : 'make';
    const { importArticles } = await import('../../importing/import-articles.ts');
    const report = await importArticles(request, {
      connect: () => context.client({ finishRequests: true, retries: 0, missing }),
      alone: (path) =>
        import('../../syncing/state-file.ts').then((sync) => sync.lockState(path, 'import into')),
      ...(target.kind === 'file' && { store: target }),
      addressOf: await portableAddresses(dirname(options.results ?? '-'), context),
      worded: (message) => context.terminal.worded(message),
      clock: systemClock,
      listener,
      signal: context.signal,
    });
    listener.stop();
    const isNamed = options.rejects !== undefined;
    await showSummary(isNamed ? report : withKeptRejects(report, context), request, context);
    if (!request.dryRun) await pruneRuns(dataFolder(context), Date.now());
    if (report.failure !== undefined) throw report.failure;
  } finally {
    listener.stop();
    await opened.close();
  }
}

async function requestOf(
  sources: readonly Source[],
  named: readonly string[],
  { options, context }: { options: ImportOptions; context: Context },
): Promise<ImportRequest> {
  const { importId, dryRun = false, allowEmpty = false, onChanged, recreate = false } = options;
  const tolerance = toleranceOf(options);
  const name = sources[0]?.name ?? 'import';
  const bearsErrors = tolerance.kind !== 'none';
  return {
    sources,
    importId,
    dryRun,
    allowEmpty,
    types: options.types,
    tolerance,
    onChanged,
    recreate,
    concurrency: concurrencyOf(options),
    perSecond: options.rate,
    ...retryLimitsOf(await context.settings()),
    ...(await outputsOf({ named, options, name, bearsErrors }, context)),
    journal: await journalOf(named, { options, context }),
  };
}

function concurrencyOf({ ordered = false, sort, concurrency }: ImportOptions): number {
  if (!ordered) return concurrency ?? (sort === undefined ? 4 : 1);
  if (concurrency === undefined || concurrency === 1) return 1;
  const message = `--ordered sends one at a time, --concurrency ${concurrency} more.`;
  throw new BlogctlError('usage', message, { hint: 'Leave one of them out.' });
}

/** The same import into the same blog finds the same journal. */
async function journalOf(
  named: readonly string[],
  { options, context }: { options: ImportOptions; context: Context },
): Promise<JournalPlace> {
  const blog = targetName((await context.chosen()).value);
  const { folder } = context;
  const places = named.map((name) => (name === '-' ? name : resolve(folder, name)));
  const name = runId(blog, [options.importId ?? '', ...places]);
  const started = new Date().toISOString();
  const { resume, root, ...others } = options;
  const run = {
    id: runId(name, [started]),
    command: 'articles import',
    started,
    blog,
    folder,
    sources: [...named],
    options: { ...others, ...(root !== undefined && { root: resolve(folder, root) }) },
    flags: reachingFlags(context.flags, folder),
  };
  return {
    path: journalPath(dataFolder(context), name),
    run,
    resume,
    keeps: runsFolder(context) !== undefined,
  };
}

const counted = [
  'records',
  'created',
  'replayed',
  'skipped',
  'rejected',
  'inDoubt',
  'unsent',
] as const;
const summaryFields = [...counted, 'reasons', 'notices', 'dryRun', 'rejectsFile'];

function withKeptRejects(report: ImportReport, context: Context): ImportReport {
  const { rejects } = report;
  return rejects === undefined ? report : { ...report, rejects: keptRejects(rejects, context) };
}

async function showSummary(
  { summary, rejects, interrupted }: ImportReport,
  { dryRun }: ImportRequest,
  { terminal }: Context,
): Promise<void> {
  const said = sentenceOf(summary, dryRun);
  await terminal.show({
    one: { ...summary, ...(dryRun && { dryRun }), ...(rejects && { rejectsFile: rejects }) },
    columns: counted,
    human: () => `${said}\n`,
    ...(!dryRun && {
      done: 'What was imported is on the blog all the same; the same import again creates nothing twice.',
    }),
    isDocument: true,
  });
  if (terminal.format !== 'table') await terminal.notice(said);
  if (rejects !== undefined) await terminal.notice(`Rejected records are in ${rejects}`);
  if (interrupted !== undefined) await terminal.notice(`To go on: ${howToGoOn(interrupted)}`);
}

/** What was read from stdin is gone. */
function howToGoOn({ id, sources }: Run): string {
  const line = `blogctl runs resume ${id}`;
  return sources.includes('-') ? `send the same input again to ${line}` : line;
}
