import { type Command, Option } from 'commander';
import { formats, reportFormats } from '../terminal/view.ts';
import { duration, names, origins, wholeNumber } from './arguments.ts';

/** The flags every command takes, before or after its name. */
export function addGlobalFlags(program: Command): void {
  program
    .option(
      '--blog <url|file:path>',
      'the blog to work on (default: $BLOGCTL_BLOG, profile, local)',
    )
    .option('--profile <name>', 'the profile to use (default: $BLOGCTL_PROFILE, profile use)')
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
        .conflicts(['field', 'jq']),
    )
    .addOption(new Option('--field <name>', 'the bare value of this field').conflicts('jq'))
    .option('--jq <filter>', 'filter the JSON with jq')
    .option('--csv-safe', 'in CSV, an apostrophe before what a spreadsheet would run (=1+1)')
    .option('-o, --output <file>', 'write the answer to this file')
    .option('--overwrite', 'the file of --output or of an export may be there already')
    .option('--token-file <file>', 'read the access token from this file, or - for stdin')
    .option('--allow-origin <origin>', 'links may lead there too; repeatable', origins)
    .option('--allow-insecure-links', 'links of an https blog may lead to http')
    .option('-q, --quiet', 'no notices and no progress on stderr')
    .option('-v, --verbose', 'show requests; -vv header fields too, -vvv bodies too', count, 0)
    .option('-y, --yes', 'answer yes to every question')
    .option('--no-input', 'ask nothing')
    .option('--no-color', 'no colours')
    .option('--no-pager', 'no pager for long texts')
    .option('--timeout <duration>', 'longest wait for a whole answer (default: 30s)', duration)
    .option(
      '--retries <n>',
      'further attempts where no answer came (default: 3)',
      wholeNumber(0, 100),
    )
    .option('--max-wait <duration>', 'longest wait a service may ask for (default: 5m)', duration)
    .option('--debug', 'show where in the program a failure happened');
}

function count(_value: string, previous: number): number {
  return previous + 1;
}
