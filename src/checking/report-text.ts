import {
  bold,
  dim,
  green,
  type Piece,
  printableWords,
  red,
  type Text,
  yellow,
} from '../terminal/text.ts';
import { byReason, type Left, placesIn, restLines } from './remains.ts';
import { quoted } from './outcome.ts';
import { brokenOf, type Report, type ReportLine } from './report.ts';

/** For a person, in lines of so many columns; only the curl lines are as long as they are. */
export function textOf(report: Report, columns: number): Text {
  const broken = report.results.filter(({ outcome }) => outcome === 'broken');
  const choices = report.results.filter(({ outcome }) => outcome === 'choice');
  return [
    ...broken.flatMap((line) => brokenText(line, columns)),
    ...section('What it does where the interface is silent', choices, columns),
    ...uncheckedOf(report).flatMap(([heading, items]) =>
      section(
        heading,
        items.map(([numbers, what]) => ({ what: `${numbers}: ${what}` })),
        columns,
      ),
    ),
    ...report.holdsAgain.flatMap((number) => [
      yellow(`${number} holds again.`),
      ' Take it off the list.\n',
    ]),
    brokenOf(report).length > 0 ? red(sentenceOf(report)) : green(sentenceOf(report)),
    '\n',
  ];
}

/** The whole in a sentence. */
export function sentenceOf(report: Report): string {
  const { choices, skipped, requests, ms } = report.summary;
  const parts = report.results.filter(isPart).length;
  const known = report.results.filter((line) => line.known).length;
  const told = [parts > 0 ? `${parts} in part` : '', known > 0 ? `${known} known not to` : ''];
  const but = told.filter((text) => text !== '').join(', ');
  const took = `${requests} ${requests === 1 ? 'request' : 'requests'} in ${(ms / 1000).toFixed(1)} s`;
  const choicesText = `${choices} ${choices === 1 ? 'choice' : 'choices'}`;
  const rules = `${heldOf(report)} rules hold${but === '' ? '' : ` (${but})`}`;
  return `${rules}; ${choicesText}, ${skipped} not checked; ${took}.`;
}

/** Of all rules that were asked for, whether they could be looked at or not. */
function heldOf({ summary }: Report): string {
  return `${summary.held} of ${summary.rules}`;
}

/** A rule that holds as far as it was tried. */
const isPart = ({ outcome, what }: ReportLine) => outcome === 'held' && what !== undefined;

function brokenText(line: ReportLine, columns: number): Piece[] {
  const { number, sentence, request = '', expected = '', got = '', known } = line;
  const mark = known === true ? yellow('known ') : red('broken');
  const facts = [
    ['request ', printableWords(request)],
    ['expected', printableWords(expected)],
    ['got     ', printableWords(got)],
  ].flatMap(([name = '', value = '']) => ['  ', dim(name), `  ${value}\n`]);
  const [first = '', ...others] = wrapped(sentence, columns - 14);
  const rest = others.map((part) => `${' '.repeat(14)}${part}\n`).join('');
  return [mark, ' ', bold(number.padEnd(6)), ` ${first}\n${rest}`, ...facts, '\n'];
}

type Item = { readonly number?: string; readonly what?: string };

function section(heading: string, lines: readonly Item[], columns: number): Piece[] {
  if (lines.length === 0) return [];
  const items = lines.flatMap(({ number = '', what = '' }) => item(number, what, columns));
  return [bold(heading), '\n', ...items, '\n'];
}

/** Numbers by their reasons, under their headings; what has nothing to look at anywhere is listed by --list. */
function uncheckedOf({ results }: Report) {
  const isSkipped = ({ outcome }: ReportLine) => outcome === 'skipped';
  return Object.entries({ 'Checked in part': isPart, 'Not checked': isSkipped }).map(
    ([heading, is]) => {
      const lines = results.filter(is);
      const numbersOf = (reason?: string) =>
        lines.flatMap(({ number, what }) => (what === reason ? [number] : [])).join(' ');
      const reasons = [...new Set(lines.map(({ what }) => what))];
      return [heading, reasons.map((what = '') => [numbersOf(what), what])] as const;
    },
  );
}

function item(number: string, what: string, columns: number): Piece[] {
  const indent = number === '' ? 2 : 8;
  const lines = wrapped(printableWords(what), columns - indent);
  return lines.map(
    (line, at) =>
      `${at === 0 && number !== '' ? `  ${number.padEnd(6)}` : ' '.repeat(indent)}${line}\n`,
  );
}

/** The words in lines of at most so many letters. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

export function markdownOf(report: Report): string {
  const { blog, version, at, wrote, results, error } = report;
  const of = (outcome: ReportLine['outcome']) => results.filter((line) => line.outcome === outcome);
  const broken = of('broken').map(
    ({ number, sentence, request = '', expected = '', got = '', known }) =>
      `- **${number}**${known ? ' (known)' : ''} ${sentence} Expected ${code(expected)}, got ${got === quoted(undefined) ? got : code(got)}:\n  ${code(request)}\n`,
  );
  const choices = of('choice').map(({ number, what = '' }) => `- ${number}: ${code(what)}\n`);
  const by = `blogctl ${version}, ${at.slice(0, 10)}`;
  return [
    `**Conforms: ${heldOf(report)}** (${code(blog)}, ${wrote ? 'with' : 'without'} writing; ${by})\n`,
    error === undefined ? '' : `\nStopped: ${code(error.message)}\n`,
    error?.detail === undefined ? '' : `\n${code(error.detail)}\n`,
    listed('Broken', broken),
    listed('Choices', choices),
    ...uncheckedOf(report).map(([heading, items]) =>
      listed(
        heading,
        items.map(([numbers, what = '']) => `- ${numbers}: ${code(what)}\n`),
      ),
    ),
    ...Object.entries(placesIn({ ...report, earlier: byReason(report).earlier })).map(
      ([what, places]) => listed(what, placesOf(places)),
    ),
  ].join('');
}

function placesOf(list: readonly Left[]): readonly string[] {
  return list.map(({ url, reason }) => `- ${code(url)}: ${code(reason)}\n`);
}

function listed(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${heading}:\n\n${lines.join('')}`;
}

/** As code in Markdown, between more backticks than it has in a row. */
function code(text: string): string {
  const words = printableWords(text);
  const longest = Math.max(0, ...[...words.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${words}\`` : `${fence} ${words} ${fence}`;
}

/** TAP 14: what is known to be broken is a TODO, a choice passes, and so does what holds as far as it was tried. */
export function tapOf(report: Report): string {
  const { results, error } = report;
  const lines = results.map((line, at) => {
    const { number, sentence, outcome, what = '', known } = line;
    const name = `${at + 1} - ${number} ${tapText(sentence)}`;
    if (outcome === 'held' && what === '') return `ok ${name}\n`;
    if (outcome === 'held' || outcome === 'choice') return `ok ${name} (${tapText(what)})\n`;
    if (outcome !== 'broken') return `ok ${name} # SKIP ${tapText(what)}\n`;
    const { request, expected, got } = line;
    const facts = Object.entries({ request, expected, got });
    const block = facts.map(
      ([fact, value = '']) => `  ${fact}: ${JSON.stringify(printableWords(value))}\n`,
    );
    return `not ok ${name}${known ? ' # TODO known' : ''}\n  ---\n${block.join('')}  ...\n`;
  });
  const notes = restLines(report).concat(error?.detail ?? []);
  const there = notes.map((line) => `# ${tapText(line)}\n`).join('');
  const bail = error === undefined ? '' : `Bail out! ${tapText(error.message)}\n`;
  return `TAP version 14\n1..${results.length}\n${lines.join('')}${there}${bail}`;
}

function tapText(text: string): string {
  return printableWords(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

/** JUnit's XML, as far as the readers of CI services agree on it. */
export function junitOf(report: Report): string {
  const { blog, at, summary, results, error } = report;
  const failures = results.filter(({ outcome, known }) => outcome === 'broken' && !known).length;
  const skipped = summary.skipped + summary.notes + summary.broken - failures;
  const errors = error === undefined ? 0 : 1;
  const counts = `tests="${results.length + errors}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  const cases = results.map((line) => {
    const { number, sentence } = line;
    const name = `name="${xml(`${number} ${sentence}`)}" classname="interface.${number.split('.')[0]}"`;
    const inner = junitOutcome(line);
    return `    <testcase ${name} time="0"${inner === '' ? '/>' : `>${inner}</testcase>`}\n`;
  });
  if (error !== undefined) {
    const { message, detail } = error;
    const inner = `<error message="${xml(message)}"${detail ? `>${xml(detail)}</error>` : '/>'}`;
    cases.push(
      `    <testcase name="the whole run" classname="interface" time="0">${inner}</testcase>\n`,
    );
  }
  const when = `timestamp="${at.replace(/\..*/, '')}" time="${summary.ms / 1000}"`;
  const suite = `name="${xml(`blogctl check ${blog}`)}" ${counts} ${when}`;
  const there = restLines(report).map((line) => `    <system-err>${xml(line)}</system-err>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite ${suite}>
${[...cases, ...there].join('')}  </testsuite>
</testsuites>
`;
}

function junitOutcome({ outcome, what = '', known, ...line }: ReportLine): string {
  const { request = '', expected = '', got = '' } = line;
  const said = `expected ${expected}, got ${got}`;
  if (outcome === 'held' && what === '') return '';
  if (outcome === 'held' || outcome === 'choice') return `<system-out>${xml(what)}</system-out>`;
  if (outcome !== 'broken') return `<skipped message="${xml(what)}"/>`;
  if (known) return `<skipped message="${xml(`known: ${said}`)}"/>`;
  return `<failure message="${xml(said)}">${xml(request)}</failure>`;
}

/** Without what XML 1.0 cannot hold, escaped or not. */
function xml(text: string): string {
  return printableWords(text)
    .replaceAll(
      /[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
