import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  errorOf,
  failureOf,
  lossOf,
  refuseBroken,
  refuseNothing,
  type Report,
  reportOf,
  unstarted,
} from '../checking/report.ts';
import { byReason, restLines } from '../checking/remains.ts';
import { junitOf, markdownOf, sentenceOf, tapOf, textOf } from '../checking/report-text.ts';
import { checks, type CheckRun, runChecks } from '../checking/run-checks.ts';
import { type SentenceNumber, sentences } from '../checking/outcome.ts';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import about from '../../package.json' with { type: 'json' };
import { dropEarlier } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import { names, serviceAddress } from './arguments.ts';
import { noToken } from './auth.ts';
import { storeFlag } from './store-file.ts';

type CheckFlags = {
  readonly write?: boolean;
  /** Numbers of sentences, or of whole sections. */
  readonly only?: readonly string[];
  readonly allow?: string;
  readonly list?: boolean;
};

export function define(command: Command, context: Context, run = checkService): void {
  command
    .argument(
      '[blog-url]',
      'address of the blog, like https://host/api/v1.2/blogs/1',
      serviceAddress,
    )
    .option('--write', 'also make, change and delete articles of its own; needs a token')
    .option('--only <numbers>', 'only these sentences or sections, such as 4.2,7', names)
    .option('--allow <file>', 'a file of numbers of known failures, one a line')
    .addOption(
      new Option('--list', 'list the sentences, ask nothing').conflicts(['write', 'allow']),
    )
    .addHelpText(
      'after',
      `
Says which sentences of the interface (docs/interface.md) a service keeps, and what it does
where the interface is silent. It only reads; with --write it makes articles of one name,
works on them alone and deletes them, after Ctrl-C too. Ends with 11 where a rule is broken
that the file of --allow does not name. --format tap and junit are for CI, md for a README;
in a pipe it is JSON.

Examples:
  blogctl check https://blog.example/api/v1.2/blogs/1
  blogctl check http://127.0.0.1:8080/api/v1.2/blogs/1 --write --only 4.9,7
  blogctl check https://blog.example/api/v1.2/blogs/1 --format junit -o report.xml --overwrite
  blogctl check --list`,
    )
    .action((blogUrl: string | undefined, flags: CheckFlags) => {
      if (blogUrl !== undefined) chooseBlog(command, blogUrl);
      else if (flags.list !== true) requireChosen(context);
      return run(flags, context);
    });
}

/** The argument is the blog of this run, as --blog would name it. */
function chooseBlog({ parent }: Command, blogUrl: string): void {
  if (parent?.getOptionValue('blog') !== undefined) {
    throw new BlogctlError('usage', 'Two blogs are named: an address and --blog.', {
      hint: 'Leave one of them out.',
    });
  }
  parent?.setOptionValue('blog', blogUrl);
}

/** A service is named, not guessed from a login or a project. */
function requireChosen({ flags, env }: Context): void {
  if (flags.blog ?? flags.profile ?? (env['BLOGCTL_BLOG'] || undefined)) return;
  throw new BlogctlError('usage', 'No service is named.', {
    hint: 'Give its address, https://host/api/v1.2/blogs/1 for example, or name it in BLOGCTL_BLOG; --list needs none.',
  });
}

/** Checks the service, or lists what would be checked. Stopped, it shows what it found until then. */
async function checkService(flags: CheckFlags, context: Context): Promise<void> {
  const only = flags.only && new Set(flags.only.flatMap(numbersOf));
  if (flags.list === true) return listChecks(only, context);
  const { terminal, signal } = context;
  const known = await knownFailures(flags.allow, context);
  const url = await serviceUrl(context);
  const [began, wrote] = [performance.now(), flags.write === true];
  const name = randomBytes(4).toString('hex');
  const failed = (error: unknown) => unstarted(error, only);
  const run = await runAt(url, { wrote, only, name }, context).catch(failed);
  for (const line of restLines(byReason(run))) await terminal.warn(line);
  if (run.left.length + run.unknown.length > 0)
    await terminal.warn(
      `Look for "blogctl check ${name}" in titles and contents: what has it may be deleted, but for what was there before.`,
    );
  const [ms, at] = [Math.round(performance.now() - began), new Date().toISOString()];
  const ended = lossOf(run, url) ?? (run.end && failureOf(run.end, run.made));
  const failure = signal.aborted ? signal.reason : ended;
  const made = { blog: url, version: about.version, at, wrote, ms, known };
  const report = reportOf(run, { ...made, ...errorOf(failure) });
  await show(report, context);
  // However the run ended, the report is whole: what it did not come to is skipped in it.
  await terminal.conclude(true);
  if (failure !== undefined) throw failure;
  refuseBroken(report, only !== undefined);
  refuseNothing(report);
}

type Only = ReadonlySet<SentenceNumber> | undefined;
type How = { readonly wrote: boolean; readonly only: Only; readonly name: string };

async function runAt(url: string, { wrote, only, name }: How, context: Context): Promise<CheckRun> {
  const { terminal, signal } = context;
  const token = wrote ? await requireToken(url, context) : undefined;
  const { transport } = await context.connection({ at: url, finishRequests: true, retries: 0 });
  const settings = await context.settings();
  const progress = createProgress(terminal, {
    label: 'Checking',
    total: only?.size ?? checks.length,
  });
  if (token !== undefined) {
    const text = `Deleting the articles of this run, "blogctl check ${name}"; stopped again, it leaves them.`;
    signal.addEventListener('abort', () => void terminal.notice(text), { once: true });
  }
  const { output = '-', overwrite } = context.flags;
  if (output !== '-' && overwrite === true) await dropEarlier(resolve(context.folder, output));
  return runChecks({
    blogUrl: url,
    anonymous: transport,
    token,
    signal,
    maxWaitMs: settings.maxWaitMs(),
    retries: settings.retries(),
    name,
    notice: (text) => void terminal.notice(text),
    checked: (count) => progress.update(count),
    ...(only !== undefined && { only }),
  }).finally(() => progress.finish());
}

/** Of a line a sentence. */
const ofLine = ['number', 'kind', 'outcome', 'sentence', 'what', 'request', 'expected', 'got'];

async function show(report: Report, { terminal }: Context): Promise<void> {
  const isEmpty = report.error !== undefined && report.summary.held + report.summary.broken === 0;
  if (isEmpty && terminal.format === 'table') return;
  await terminal.show({
    one: report,
    columns: ['blog', 'summary'],
    lines: {
      many: report.results,
      columns: ofLine,
      fields: [...ofLine, 'known'],
      id: 'number',
    },
    human: () => textOf(report, terminal.columns()),
    isDocument: true,
    markdown: async () => markdownOf(report),
    reports: { tap: () => tapOf(report), junit: () => junitOf(report) },
  });
  for (const number of report.holdsAgain) {
    await terminal.warn(`${number} is known to be broken and holds again: take it off the list.`);
  }
  if (terminal.format !== 'table' && !isEmpty) await terminal.notice(sentenceOf(report));
}

async function listChecks(only: Only, { terminal }: Context): Promise<void> {
  const chosen = checks.filter(({ number }) => only?.has(number) ?? true);
  await terminal.show({
    many: chosen.map(({ number, kind, writes }) => ({
      number,
      kind,
      writes: writes ? '--write' : '',
      sentence: sentences[number],
    })),
    columns: ['number', 'kind', 'writes', 'sentence'],
    id: 'number',
    isWhole: true,
  });
}

async function serviceUrl(context: Context): Promise<string> {
  const { value: target } = await context.chosen();
  if (target.kind === 'service') return target.url;
  throw new BlogctlError('usage', 'A store file is no service.', {
    hint: `Serve it with blogctl serve ${storeFlag(target.path)}, and check the address it tells.`,
  });
}

async function requireToken(url: string, context: Context): Promise<string> {
  const found = await context.token(new URL(url).origin);
  if (found !== undefined && found !== 'withheld') return found.token;
  throw noToken(url, found === 'withheld');
}

/** A sentence by its number, all of a section by the section's. */
function numbersOf(text: string): readonly SentenceNumber[] {
  const found = checks
    .map(({ number }) => number)
    .filter((number) => number === text || number.startsWith(`${text}.`));
  if (found.length > 0) return found;
  throw new BlogctlError('usage', `The interface has no sentence ${text}.`, {
    hint: 'See blogctl check --list.',
  });
}

/** Numbers, one a line or with commas between them; what stands behind a # is for people. */
async function knownFailures(
  file: string | undefined,
  { folder }: Context,
): Promise<ReadonlySet<SentenceNumber>> {
  if (file === undefined) return new Set();
  const text = await readFile(resolve(folder, file), 'utf8').catch((cause: unknown) => {
    throw new BlogctlError('unusable-input', `The file ${file} of --allow cannot be read.`, {
      hint: 'Name a file with the number of a sentence on each line.',
      cause,
    });
  });
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return new Set(
    lines.flatMap((line, at) => {
      const named = line.split(/[\s,]+/).filter((each) => each !== '');
      const found = checks.map(({ number }) => number).filter((each) => named.includes(each));
      if (found.length === new Set(named).size) return found;
      const [, first, note] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
      const isNoted = checks.some((check) => check.number === first);
      throw new BlogctlError('unusable-input', `${file}, line ${at + 1}: no sentence "${line}".`, {
        hint: isNoted
          ? `A note behind a number begins with #: ${first} # ${note}.`
          : 'See blogctl check --list for the numbers.',
      });
    }),
  );
}
