import { basename, join, resolve } from 'node:path';
import type { Context } from '../../context/context.ts';
import { refuseOwnStore } from '../../context/open-file.ts';
import { BlogctlError } from '../../errors.ts';
import { importArticles } from '../../importing/import-articles.ts';
import type { ImportReport, ImportRequest, JournalPlace } from '../../importing/import-request.ts';
import { journalPath, pruneRuns, runId } from '../../importing/runs/runs.ts';
import type { Run } from '../../importing/runs/journal-lines.ts';
import type { OnChanged } from '../../importing/sending/delivery.ts';
import { systemClock } from '../../importing/sending/rate-limiter.ts';
import { openSources } from '../../importing/sources/open-sources.ts';
import type { Source } from '../../importing/sources/source.ts';
import type { Summary } from '../../importing/plan.ts';
import type { Flags } from '../../settings/layers.ts';
import { targetName } from '../../settings/target.ts';
import { readingOptions, retryLimitsOf, toleranceOf, type ReadingFlags } from '../source-flags.ts';
import { createImportListener, outputsOf, type OutputFlags } from './import-outputs.ts';

export type ImportOptions = ReadingFlags &
  OutputFlags & {
    readonly resume: boolean;
    readonly ordered?: boolean;
    readonly onChanged: OnChanged;
    readonly recreate?: boolean;
  };

/** Imports what the arguments name; the summary goes to stdout whatever happened. */
export async function runImportCommand(
  named: readonly string[],
  options: ImportOptions,
  context: Context,
): Promise<void> {
  // It would grow while it is read.
  for (const name of named) if (name !== '-') await refuseOwnStore(name, context);
  const opened = await openSources(named, readingOptions(options), context.terminal.input, {
    signal: context.signal,
    notice: (text) => context.terminal.notice(text),
  });
  const listener = createImportListener({
    terminal: context.terminal,
    dryRun: options.dryRun === true,
    choosesTypes: options.types !== undefined,
    annotates: context.env['GITHUB_ACTIONS'] === 'true',
    pathOf: (source) => pathOf(source, named),
  });
  try {
    const request = await requestOf(opened.sources, named, { options, context });
    const { value: target } = await context.chosen();
    const missing = request.dryRun ? 'empty' : 'make';
    const report = await importArticles(request, {
      connect: () => context.client({ finishRequests: true, retries: 0, missing }),
      ...(target.kind === 'file' && { store: target }),
      clock: systemClock,
      listener,
      signal: context.signal,
    });
    listener.stop();
    await showSummary(report, request, context);
    if (!request.dryRun) await forgetOldRuns(context);
    if (report.failure !== undefined) throw report.failure;
  } finally {
    listener.stop();
    await opened.close();
  }
}

async function forgetOldRuns(context: Context): Promise<void> {
  const { dataFolder } = await import('../../settings/paths.ts');
  await pruneRuns(dataFolder(context), Date.now());
}

/** As it was named on the command line; a post by its path in the folder that was named. */
function pathOf(source: string, named: readonly string[]): string {
  const [only, ...others] = named;
  if (only === undefined || others.length > 0 || only === '-') return source;
  return basename(only) === source ? only : join(only, source);
}

async function requestOf(
  sources: readonly Source[],
  named: readonly string[],
  { options, context }: { options: ImportOptions; context: Context },
): Promise<ImportRequest> {
  const tolerance = toleranceOf(options);
  const { onChanged, recreate = false } = options;
  const { importId, dryRun = false, allowEmpty = false, rate } = options;
  const concurrency = concurrencyOf(options);
  const retry = retryLimitsOf(await context.settings());
  const name = sources[0]?.name ?? 'import';
  const bearsErrors = tolerance.kind !== 'none';
  const outputs = await outputsOf({ named, options, name, bearsErrors }, context);
  const request = { sources, importId, dryRun, allowEmpty, tolerance, concurrency };
  const journal = await journalOf(named, { options, context });
  return {
    ...request,
    onChanged,
    recreate,
    ...retry,
    perSecond: rate,
    ...outputs,
    journal,
  };
}

function concurrencyOf({ ordered = false, sort, concurrency }: ImportOptions): number {
  if (!ordered) return concurrency ?? (sort === undefined ? 4 : 1);
  if (concurrency === undefined || concurrency === 1) return 1;
  throw new BlogctlError(
    'usage',
    `--ordered sends one at a time, --concurrency ${concurrency} more.`,
    {
      hint: 'Leave one of them out.',
    },
  );
}

/** The same import into the same blog finds the same journal. */
async function journalOf(
  named: readonly string[],
  { options, context }: { options: ImportOptions; context: Context },
): Promise<JournalPlace> {
  const { value: target } = await context.chosen();
  const { dataFolder, runsFolder } = await import('../../settings/paths.ts');
  const blog = targetName(target);
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

/** Those with which a command reached its blog, to be given again by `reachAsThen` from any folder. */
function reachingFlags(flags: Flags, folder: string): Readonly<Record<string, unknown>> {
  const { profile, tokenFile, allowOrigin, allowInsecureLinks, timeout, retries, maxWait } = flags;
  const isFile = tokenFile !== undefined && tokenFile !== '-';
  const token = isFile && { tokenFile: resolve(folder, tokenFile) };
  return { profile, ...token, allowOrigin, allowInsecureLinks, timeout, retries, maxWait };
}

async function showSummary(
  { summary, rejects, interrupted }: ImportReport,
  { dryRun }: ImportRequest,
  { terminal }: Context,
): Promise<void> {
  const said = describe(summary, dryRun);
  await terminal.show({
    one: { ...summary, ...(dryRun && { dryRun }), ...(rejects && { rejectsFile: rejects }) },
    columns: ['records', 'created', 'replayed', 'skipped', 'rejected', 'inDoubt', 'unsent'],
    human: () => said,
    isDocument: true,
  });
  if (terminal.format !== 'table') await terminal.notice(said.trimEnd());
  if (rejects !== undefined) await terminal.notice(`Rejected records are in ${rejects}`);
  if (interrupted !== undefined) await terminal.notice(`To go on: ${howToGoOn(interrupted)}`);
}

/** What was read from stdin is gone. */
function howToGoOn({ id, sources }: Run): string {
  if (sources.includes('-')) return 'send the same input again to the same command';
  return `blogctl runs resume ${id}`;
}

function describe(summary: Summary, dryRun: boolean): string {
  const { records, created, replayed, skipped, rejected, inDoubt, unsent } = summary;
  const parts = [
    [created, dryRun ? 'would be created' : 'created'],
    [replayed, 'already there'],
    [skipped, `skipped${reasons(summary.reasons.skipped)}`],
    [rejected, `rejected${reasons(summary.reasons.rejected)}`],
    [inDoubt, 'unknown'],
    [unsent, 'not sent'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${records} ${records === 1 ? 'record' : 'records'}${said.length > 0 ? `: ${said.join(', ')}` : ''}.\n`;
}

function reasons(counts: Readonly<Record<string, number>>): string {
  const said = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  return said.length > 0 ? ` (${said.join(', ')})` : '';
}
