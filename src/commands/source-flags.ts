import { type Command, Option } from 'commander';
import { resolve } from 'node:path';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Tolerance } from '../importing/import-request.ts';
import type { KnownRun } from '../importing/runs/runs.ts';
import type { RetryPolicy } from '../importing/sending/retry-policy.ts';
import type { ReadingOptions, Source } from '../importing/sources/source.ts';
import type { Flags } from '../settings/layers.ts';
import type { Settings } from '../settings/settings.ts';
import { targetName } from '../settings/target.ts';
import { delimiter, memberMap, names, tolerance, wholeNumber } from './arguments.ts';
import { inShell } from '../terminal/text.ts';

/** What `articles import` and `sync` say in the same words of what they read and how they send it. */
export type SourceFlags = {
  readonly drafts?: boolean | undefined;
  readonly titleFrom?: ReadingOptions['titleFrom'] | undefined;
  readonly encoding?: string | undefined;
  readonly importId?: string | undefined;
  readonly continueOnError?: boolean | undefined;
  readonly maxErrors?: Tolerance | undefined;
  readonly allowEmpty?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
  readonly sort?: ReadingOptions['sort'] | undefined;
};

/** With what else the records of a source are read. */
export type ReadingFlags = SourceFlags & {
  readonly keyField?: string;
  readonly map?: Partial<ReadingOptions['map']>;
  readonly list?: string;
  readonly root?: string;
  readonly delimiter?: string;
  readonly types?: readonly string[];
  readonly status?: readonly string[];
  readonly repairXml?: boolean;
};

export function sourceFlags(): Readonly<Record<keyof SourceFlags, Option>> {
  return {
    continueOnError: new Option(
      '--continue-on-error',
      'leave out what is wrong, do the rest, end with 10',
    ),
    maxErrors: new Option('--max-errors <n|p%>', 'the same, up to so many wrong records').argParser(
      tolerance,
    ),
    importId: new Option(
      '--import-id <name>',
      'keeps the records apart from those of other sources',
    ),
    titleFrom: new Option(
      '--title-from <where>',
      'of a post without a title in its front matter',
    ).choices(['h1', 'line', 'filename']),
    encoding: new Option('--encoding <name>', 'of what is not UTF-8, e.g. latin1, shift_jis'),
    sort: new Option(
      '--sort <by>',
      'order of posts, which their ids then follow (default: their paths)',
    ).choices(['date', 'name']),
    drafts: new Option('--drafts', 'publish what is not public too: drafts, scheduled, protected'),
    allowEmpty: new Option('--allow-empty', 'nothing found is no failure'),
    concurrency: new Option(
      '--concurrency <n>',
      'requests at a time, up to 64 (default: 4)',
    ).argParser(wholeNumber(1, 64)),
    rate: new Option(
      '--rate <n>',
      'requests a second at most (default: what the service allows)',
    ).argParser(wholeNumber(1)),
  };
}

/** Those of sources that are more than posts. */
export function recordFlags(): readonly Option[] {
  return [
    new Option(
      '--key-field <member>',
      'member that identifies a record (default: uuid, guid, id, …)',
    ),
    new Option(
      '--map <pairs>',
      'members to read, e.g. title=headline,content=body,status=state,date=day',
    ).argParser(memberMap),
    new Option('--list <member>', 'member of a JSON document that holds the records'),
    new Option('--root <folder>', 'where paths of posts begin (default: their git work tree)'),
    new Option('--delimiter <sign>', 'between the columns of a table (default: found)').argParser(
      delimiter,
    ),
    new Option('--types <list>', 'kinds of items of an export to import (default: post)').argParser(
      names,
    ),
    new Option(
      '--status <list>',
      'states of records to publish, e.g. draft,pending, or any',
    ).argParser(names),
    sourceFlags().encoding,
    new Option('--repair-xml', 'mend ampersands, entities of HTML and control characters in XML'),
  ];
}

export function readingOptions({
  status,
  drafts = false,
  map,
  ...others
}: ReadingFlags): ReadingOptions {
  return {
    ...others,
    drafts,
    now: Date.now(),
    statuses: status,
    map: { title: 'title', content: 'content', ...map },
  };
}

/** With what an import has read, for a command that reads the same again. */
export function addReadingFlags(command: Command): void {
  const { titleFrom, drafts, importId, sort } = sourceFlags();
  command.optionsGroup('Records, as their import had it:').addOption(importId);
  const [keyField, ...others] = recordFlags();
  if (keyField) command.addOption(keyField);
  command.optionsGroup('Posts, as their import had it:');
  for (const option of [titleFrom, drafts, sort]) command.addOption(option);
  command.optionsGroup('Other sources, as their import had it:');
  for (const option of others) command.addOption(option);
}

/** Those of `sync`, behind its own. */
export function addSourceFlags(command: Command): Command {
  const shared = sourceFlags();
  return command
    .optionsGroup('Posts:')
    .addOption(shared.titleFrom)
    .addOption(shared.drafts)
    .addOption(shared.importId)
    .addOption(shared.encoding)
    .optionsGroup('When posts are wrong:')
    .addOption(shared.continueOnError)
    .addOption(shared.maxErrors)
    .addOption(shared.allowEmpty)
    .optionsGroup('Pace:')
    .addOption(shared.concurrency)
    .addOption(shared.rate);
}

export function toleranceOf({ continueOnError, maxErrors }: SourceFlags): Tolerance {
  return maxErrors ?? { kind: continueOnError === true ? 'any' : 'none' };
}

/** A service that does not answer at all is given up within a minute, unless --max-wait is given. */
const longestSilenceMs = 57_000;
/** One that has never answered is given up sooner: its address may be wrong. */
const longestFirstSilenceMs = 5_000;

/** A wait that was asked for holds for a silent service too. */
export function retryLimitsOf(settings: Settings) {
  const maxWaitMs = settings.maxWaitMs();
  const isAsked = settings.written('max-wait')?.origin !== 'default';
  // A setting is for all commands; what a line says is for this one.
  const isLimited = settings.written('retries')?.origin === 'flag';
  return {
    maxWaitMs,
    maxAttempts: isLimited ? settings.retries() + 1 : undefined,
    maxSilenceMs: isAsked ? maxWaitMs : longestSilenceMs,
    maxFirstSilenceMs: isAsked ? maxWaitMs : longestFirstSilenceMs,
  };
}

/** That of a command that sends little. */
export async function patience(context: Context): Promise<RetryPolicy> {
  const { createRetryPolicy } = await import('../importing/sending/retry-policy.ts');
  const { systemClock } = await import('../importing/sending/pace.ts');
  const limits = { ...retryLimitsOf(await context.settings()), attempts: 1 };
  const waits = (notice: string) => void context.terminal.notice(notice);
  return createRetryPolicy(systemClock, { ...limits, waits });
}

/** Those with which a command reached its blog, to be given again by `reachAsThen` from any folder. */
export function reachingFlags(flags: Flags, folder: string): Readonly<Record<string, unknown>> {
  const { profile, tokenFile, allowOrigin, allowInsecureLinks, timeout, retries, maxWait } = flags;
  const isFile = tokenFile !== undefined && tokenFile !== '-';
  const token = isFile && { tokenFile: resolve(folder, tokenFile) };
  return { profile, ...token, allowOrigin, allowInsecureLinks, timeout, retries, maxWait };
}

/**
 * A run is about its own blog, reached as it was then where nothing else is said. Throws `usage` where
 * the command line or BLOGCTL_BLOG names another blog.
 */
export async function reachAsThen(
  { id, blog, flags = {} }: Reached,
  command: Command,
  context: Context,
): Promise<void> {
  const program = command.parent?.parent;
  const { readSettings } = await import('../settings/settings.ts');
  // Read here, as the context keeps the settings it has read and the run's flags are still to come.
  const settings = await readSettings({ ...context, config: await context.config() });
  const named = settings.named();
  const isProfileNamed =
    program?.getOptionValueSource('profile') === 'cli' || Boolean(context.env['BLOGCTL_PROFILE']);
  const counts = ['flag', 'environment', ...(isProfileNamed ? ['profile'] : [])];
  if (named !== undefined && counts.includes(named.origin)) {
    const other = targetName(named.value);
    if (other !== blog) throw isOfAnotherBlog({ id, blog }, other);
  }
  program?.setOptionValue('blog', blog);
  for (const [name, value] of Object.entries(flags)) {
    if (program?.getOptionValueSource(name) !== 'cli') program?.setOptionValue(name, value);
  }
}

function isOfAnotherBlog({ id, blog }: Reached, named: string): BlogctlError {
  return new BlogctlError('usage', `The run ${id} is about ${blog}, not ${named}.`, {
    hint: `Leave the other out, or say --blog ${inShell(blog)}. Where the blog was moved or copied, what an import created there is found by what was imported: blogctl runs undo --source <file|folder> --blog ${inShell(named)}.`,
  });
}

type Reached = Pick<KnownRun, 'id' | 'blog' | 'flags'>;

/** What `read` makes of sources that are opened as an import opens them, drafts and all. */
export async function readSources<T>(
  named: readonly string[],
  options: ReadingFlags,
  { signal, terminal }: Context,
  read: (sources: readonly Source[]) => Promise<T>,
): Promise<T> {
  const { openSources } = await import('../importing/sources/open-sources.ts');
  const reading = readingOptions({ drafts: true, ...options });
  const notice = (text: string) => terminal.notice(text);
  const opened = await openSources(named, reading, terminal.input, { signal, notice });
  try {
    return await read(opened.sources);
  } finally {
    await opened.close();
  }
}
