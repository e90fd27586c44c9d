import { type Command, InvalidArgumentError, Option } from 'commander';
import { BlogctlError } from '../errors.ts';
import { type Format, formats, isReport, reportFormats } from '../terminal/view.ts';
import { duration, names, origins, wholeNumber } from './arguments.ts';

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
    .addOption(
      new Option('--format <format>', 'how to write the answer').choices([
        ...formats,
        ...reportFormats,
      ]),
    )
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
    .option('--timeout <duration>', 'longest wait for a whole answer (default: 30s)', duration)
    .option(
      '--retries <n>',
      'further attempts where no answer came (default: 3)',
      wholeNumber(0, 100),
    )
    .option('--max-wait <duration>', 'longest wait a service may ask for (default: 5m)', duration);
}

function count(_value: string, previous: number): number {
  return previous + 1;
}

/** Before anything is done: what nobody can have meant is a usage error. */
export function refuseSenselessWords(called: Command): void {
  refuseEmptyValues(called);
  refuseTwoFormats(called.optsWithGlobals());
  refuseReport(called);
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

function refuseTwoFormats({ json, format }: { json?: true; format?: string }): void {
  if (json !== true || format === undefined || format === 'json') return;
  throw new BlogctlError('usage', `--json and --format ${format} ask for two formats.`, {
    hint: 'Give one of them.',
  });
}

/** What only `check` can write is no format of another command. */
function refuseReport(called: Command): void {
  const { format } = called.optsWithGlobals<{ format?: Format }>();
  const isCheck = called.name() === 'check' && called.parent?.parent === null;
  if (!isReport(format) || isCheck) return;
  throw new BlogctlError('usage', `--format ${format} is for blogctl check alone.`, {
    hint: 'Choose table, json, ndjson, csv, tsv, ids or md.',
  });
}

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
