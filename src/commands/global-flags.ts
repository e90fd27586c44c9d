import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import { allFormats, type Format, formatOfFile, formats, isReport } from '../terminal/view.ts';
import { duration, names, origins, wholeNumber } from './arguments.ts';
import { scopeOf } from './lazy-command.ts';

/** The flags every command takes, before or after its name. */
export function addGlobalFlags(program: Command): void {
  program
    .optionsGroup('Which blog:')
    .option(
      '--blog <url|file:path>',
      'the blog to work on (default: $BLOGCTL_BLOG, profile, local)',
      blogAddress,
    )
    .option('--profile <name>', 'the profile to use (default: $BLOGCTL_PROFILE, profile use)')
    .option('--token-file <file>', 'read the access token from this file, or - for stdin')
    .option('--allow-origin <origin>', 'links may lead there too; repeatable', origins)
    .option('--allow-insecure-links', 'links of an https blog may lead to http')
    .optionsGroup('The answer:')
    .addOption(new Option('--format <format>', 'how to write the answer').choices(allFormats))
    .option('--json', 'the same as --format json')
    .addOption(
      new Option('--fields <names>', 'only these fields, separated by commas')
        .argParser(names)
        .conflicts('field'),
    )
    .addOption(
      new Option('--field <name>', 'the bare value of this field')
        .argParser(fieldName)
        .conflicts('jq'),
    )
    .option('--jq <filter>', 'filter the JSON, a result a line; needs no jq installed')
    .option('--csv-safe', 'in CSV, an apostrophe before what a spreadsheet would run (=1+1)')
    .option(
      '-o, --output <file>',
      'write the answer to this file, in the format of its name',
      outputFile,
    )
    .option('--overwrite', 'the file of --output or of an export may be there already')
    .optionsGroup('The terminal:')
    .option('-q, --quiet', 'no notices and no progress on stderr')
    .option('-v, --verbose', 'show requests; -vv header fields too, -vvv bodies too', count, 0)
    .option('-y, --yes', 'answer yes to every question')
    .option('--no-input', 'ask nothing')
    .option('--no-color', 'no colours')
    .option('--no-pager', 'no pager for long texts')
    .option('--debug', 'show where in the program a failure happened')
    .optionsGroup('Waiting:')
    .option('--timeout <duration>', 'longest wait for a whole answer (default: 30s)', someTime)
    .option(
      '--retries <n>',
      'further attempts where no answer came (default: 3)',
      wholeNumber(0, 100),
    )
    .option('--max-wait <duration>', 'longest wait after a 429 or 503 (default: 5m)', duration);
}

function count(_value: string, previous: number): number {
  return previous + 1;
}

/** Before anything is done: what nobody can have meant is a usage error. */
export function refuseSenselessWords(called: Command): void {
  refuseEmptyValues(called);
  refuseTwoFormats(called.optsWithGlobals());
  refuseReport(called);
  refuseUnused(called);
  refuseEnding(called);
}

/**
 * What is empty was mostly an unset variable: taken as not given it would let the command work on
 * another blog, file or article than was meant. Only a text may be empty.
 */
function refuseEmptyValues(called: Command): void {
  const [empty] = [...emptyFlags(called), ...emptyArguments(called)];
  if (empty === undefined) return;
  throw new BlogctlError('usage', `${empty} is given an empty value.`, {
    hint: 'A variable may be unset: give a value, or leave it out.',
  });
}

type Forms = { json?: true; format?: string; field?: string; jq?: string };

function refuseTwoFormats({ json, format, field, jq }: Forms): void {
  if (format === undefined || format === 'json') return;
  const others = { '--json': json, '--field': field, '--jq': format === 'ndjson' ? undefined : jq };
  const [other] = Object.entries(others).find(([, given]) => given !== undefined) ?? [];
  if (other === undefined) return;
  throw new BlogctlError('usage', `${other} and --format ${format} ask for two formats.`, {
    hint: 'Give one of them.',
  });
}

/** What only `check` can write is no format of another command. */
function refuseReport(called: Command): void {
  const { format } = called.optsWithGlobals<{ format?: Format }>();
  if (!isReport(format) || scopeOf(called) === 'check') return;
  throw new BlogctlError('usage', `--format ${format} is for blogctl check alone.`, {
    hint: 'Choose table, json, ndjson, csv, tsv, ids or md.',
  });
}

/** A flag that would do nothing promises what is not kept. */
function refuseUnused(called: Command): void {
  const { overwrite, format, timeout, ...given } = called.optsWithGlobals<GivenFlags>();
  const scope = scopeOf(called);
  const [place = '-'] = called.args;
  const isExport = scope === 'articles export';
  if (overwrite === true && isExport && /^(?!-$)[^.]+$/.test(place) && format === undefined)
    throw new BlogctlError(
      'usage',
      '--overwrite replaces a file, and an export to a folder has none.',
      {
        hint: 'Leave it out, and name a folder that is new or empty.',
      },
    );
  const isNamed =
    given.output ?? given.results ?? given.rejects ?? given.continueOnError ?? given.maxErrors;
  if (overwrite === true && isNamed === undefined && !isExport)
    throw new BlogctlError('usage', '--overwrite is for the file of --output, and none is named.', {
      hint: scope.endsWith('import')
        ? `Leave it out: only \`blogctl sync apply ${/^[\w/-]+[^/-]$/.test(place) ? place : '<folder>'}\` writes over articles.`
        : 'Leave it out, or name a file by --output.',
    });
  if (scope !== 'serve' || timeout === undefined) return;
  throw new BlogctlError('usage', '--timeout is for who asks a service, and serve is one.', {
    hint: 'Leave it out: see `blogctl serve --help`.',
  });
}

/** The name of a file says what is in it; what `api` is answered may be anything. */
function refuseEnding(called: Command): void {
  const { output = '', format, json, jq, field } = called.optsWithGlobals<GivenFlags>();
  const [, ending] =
    /\.(xlsx?|ods|html?|ya?ml|xml|rss|pdf|docx?|odt|rtf|toml|sql|sqlite3?|db|zip|t?gz|tar|bz2|xz|zst|7z|rar|tap|junit)$/i.exec(
      output,
    ) ?? [];
  const isChosen = [format, json, jq, field].some((each) => each !== undefined);
  const writer = isReport(formatOfFile(output)) ? 'check' : 'api';
  const scope = scopeOf(called);
  if (ending === undefined || isChosen || scope === writer) return;
  throw new BlogctlError('usage', `An answer is not written as ${ending}: ${output}.`, {
    hint:
      scope === 'check' && ending.toLowerCase() === 'xml'
        ? 'Add --format junit to this line.'
        : 'Name a file as .json, .ndjson, .csv, .tsv or .md, .txt for a table, or choose a --format.',
  });
}

type GivenFlags = {
  readonly overwrite?: true;
  readonly format?: Format;
  readonly output?: string;
  readonly json?: true;
  readonly jq?: string;
  readonly field?: string;
  readonly timeout?: number;
  readonly results?: string;
  readonly rejects?: string;
  readonly continueOnError?: true;
  readonly maxErrors?: unknown;
};

function emptyFlags(command: Command): readonly string[] {
  const own = command.options.flatMap((option) => {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    const isText = option.flags.includes('<text>');
    return isGiven && !isText && hasEmpty(command.getOptionValue(name)) ? [`${option.long}`] : [];
  });
  return command.parent === null ? own : [...own, ...emptyFlags(command.parent)];
}

function emptyArguments({ registeredArguments, processedArgs }: Command): readonly string[] {
  return registeredArguments.flatMap((argument, at) => {
    const isText = argument.name() === 'text';
    return !isText && hasEmpty(processedArgs[at]) ? [`<${argument.name()}>`] : [];
  });
}

function hasEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.includes(''));
}

function someTime(text: string): number {
  const ms = duration(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('Nothing is answered in no time at all.');
}

/** A word alone is the name of a profile. */
function blogAddress(text: string): string {
  if (!/^[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('Write it as https://host/api/v1.2/blogs/1 or file:blog.json.');
}

/** As gh has it, `--field title=New` is what is sent. */
function fieldName(text: string): string {
  if (!/^\w+=/.test(text)) return text;
  throw new InvalidArgumentError('It is the name of a field that is shown.');
}

/** `-o json` is how others ask for a format, and `-output` is nobody's file `utput`. */
function outputFile(text: string): string {
  const isOfOthers = /^(?:ya?ml|jsonl|wide|name|(?:jsonpath|go-template|custom-columns)=.*)$/s;
  if (isOfOthers.test(text) || [...formats].some((format) => format === text)) {
    throw new InvalidArgumentError(
      `It is a format, and a file of that name would be written ./${text}.`,
    );
  }
  if (!/^(?:ut(?:put)?|verwrite)(?:=|$)/.test(text)) return text;
  throw new InvalidArgumentError(`Write --o${text} with two dashes.`);
}

/** What an action asks for that the parser does not: nobody can be asked for it, or it is of a service's blog. */
export async function missingIn(called: Command, context: Context): Promise<string | undefined> {
  const given = called.opts();
  const holds = (...keys: readonly string[]) => keys.some((name) => given[name] !== undefined);
  const missing: string[] = [];
  const scope = scopeOf(called);
  if (scope === 'auth login' && called.args.length === 0) {
    const { knownBlog } = await import('./login.ts');
    if ((await knownBlog(context)) === undefined) missing.push('<blog-url>');
  }
  if (scope === 'runs undo' && called.args.length === 0 && !holds('source')) missing.push('<run>');
  if (scope === 'articles create' && !context.terminal.mayAsk && !holds('fromFile', 'editor')) {
    if (!holds('title')) missing.push('--title <text>');
    if (!holds('content', 'contentFile')) missing.push('--content <text>');
  }
  const isChange = /^(?:articles update|store edit-blog)$/.test(scope);
  if (
    isChange &&
    !holds('title', 'content', 'contentFile', 'fromFile', 'clearContent', 'description')
  )
    missing.push('--title <text>');
  if (await lacksStore(called, context)) missing.push('--store <file>');
  return missing.length === 0 ? undefined : missing.join(' ');
}

async function lacksStore(called: Command, context: Context): Promise<boolean> {
  const isOfStore = called.options.some((option) => option.attributeName() === 'store');
  if (!isOfStore || /^(?:serve|init|upgrade)$/.test(called.name())) return false;
  const isNamed = called.registeredArguments[0]?.name() === 'store' && called.args.length > 0;
  if (isNamed || called.opts()['store'] !== undefined || context.env['BLOGCTL_STORE']) return false;
  return (await context.chosen()).value.kind === 'service';
}
