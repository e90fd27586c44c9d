import { BlogctlError, type Hint } from '../errors.ts';
import type { TerminalFlags } from './streams.ts';
import {
  bold,
  type Piece,
  piecesOf,
  printableField,
  printableJson,
  printableLine,
  type Text,
} from './text.ts';
import {
  type Fields,
  type Format,
  type ManyView,
  type OneView,
  fieldFor,
  type ReportFormat,
  rowFormats,
  textOf,
  type View,
} from './view.ts';

type Showing = {
  readonly format: Format;
  readonly selection: Pick<TerminalFlags, 'fields' | 'field' | 'jq' | 'csvSafe'>;
  /** A person looks at it. */
  readonly isScreen: boolean;
  readonly width: number;
  readonly write: WriteText;
  /** Text for reading; it may be long. */
  readonly page: WriteText;
  /** What a jq filter makes of JSON. */
  readonly filter: (json: string, filter: string) => Promise<string>;
};

/** Where text goes; what it may not hold on a screen is seen to there. */
type WriteText = (text: Text) => Promise<void>;

/** Writes what was asked for of a view, or says what was done before where that fails. */
export async function show<T extends Fields>(given: View<T>, showing: Showing): Promise<void> {
  try {
    await writeChosen(given, showing);
  } catch (error) {
    const { done } = given;
    throw done !== undefined && error instanceof BlogctlError ? error.hinting(done) : error;
  }
}

/** Some fields, one value, a jq filter's answer, or all. */
async function writeChosen(given: View, showing: Showing): Promise<void> {
  const lines = 'one' in given && ofLines.has(showing.format) ? given.lines : undefined;
  const view: View = lines ?? given;
  const { fields, field, jq } = showing.selection;
  if (field !== undefined) return showField(selectFields(view, [field]), field, showing);
  const isByRow = jq === undefined && rowFormats.has(showing.format);
  const shown = isByRow && 'one' in view ? (view.rows ?? view) : view;
  const selected = fields === undefined ? shown : selectFields(shown, fields);
  if (jq !== undefined) return showFiltered(selected, jq, showing);
  return writers[showing.format](selected, showing);
}

const ofLines: ReadonlySet<Format> = new Set(['ndjson', 'csv', 'tsv', 'ids']);

async function showFiltered(view: View, jq: string, showing: Showing): Promise<void> {
  const parts: string[] = [];
  await writeJson(view, async (text) => void parts.push(text));
  await showing.write(await showing.filter(parts.join(''), jq));
}

/** One value goes into a pipe as it is, to the byte; of many, each is a line. */
async function showField(view: View, field: string, showing: Showing): Promise<void> {
  if (!('one' in view)) {
    return writeLines(view, showing.write, (thing) => printableField(textOf(thing[field])));
  }
  const text = textOf(view.one[field]);
  await showing.write(showing.isScreen ? `${text}\n` : text);
}

type Writer = (view: View, showing: Showing) => Promise<void>;

/** JSON is one document, NDJSON and lines are a stream. */
const writers: Readonly<Record<Format, Writer>> = {
  table: (view, showing) => ('one' in view ? showOne(view, showing) : showTable(view, showing)),
  json: (view, { write }) => writeJson(view, write),
  ndjson: (view, { write }) => writeLines(view, write, (thing) => printableJson(thing)),
  tsv: (view, { write }) => writeLines(view, write, (thing) => tabbed(thing, view.columns)),
  csv: (view, showing) => writeCsv(view, showing),
  ids: (view, { write }) =>
    writeLines(view, write, (thing) => printableField(textOf(thing[view.id ?? 'id']))),
  md: (view, showing) => writeMarkdown(view, showing),
  tap: (view, { write }) => writeReport(view, 'tap', write),
  junit: (view, { write }) => writeReport(view, 'junit', write),
};

async function writeReport(view: View, format: ReportFormat, out: WriteText): Promise<void> {
  const report = 'one' in view ? view.reports?.[format]() : undefined;
  if (report !== undefined) return out(report);
  throw new BlogctlError(
    'usage',
    `This is no report of tests: it cannot be written as ${format}.`,
    {
      hint: 'Choose another --format.',
    },
  );
}

function tabbed(thing: Fields, columns: readonly string[]): string {
  return columns.map((name) => printableField(textOf(thing[name]))).join('\t');
}

async function showOne(view: OneView, { page }: Showing): Promise<void> {
  await page(view.human?.() ?? describe(view.one));
}

function describe(thing: Fields): Text {
  const entries = Object.entries(thing).filter(([, value]) => value !== undefined);
  const longest = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.flatMap(([name, value]): Piece[] => [
    bold(`${name}:`.padEnd(longest + 2)),
    `${printableLine(textOf(value))}\n`,
  ]);
}

async function showTable(view: ManyView, showing: Showing): Promise<void> {
  if (view.text !== undefined) {
    return writeLines(view, showing.write, (thing) => view.text?.(thing) ?? '');
  }
  const rows: Fields[] = [];
  for await (const thing of view.many) rows.push(view.row?.(thing) ?? thing);
  const [first] = rows;
  if (first === undefined) return;
  const { renderTable } = await import('./table.ts');
  const columns = view.row === undefined ? view.columns : Object.keys(first);
  const { isWhole = false } = view;
  await showing.write(renderTable(rows, { columns, width: showing.width, isWhole }));
}

async function writeJson(view: View, out: (text: string) => Promise<void>): Promise<void> {
  if ('one' in view) return out(`${printableJson(view.one, 2)}\n`);
  let separator = '[\n';
  for await (const thing of view.many) {
    await out(separator + printableJson(thing, 2).replaceAll(/^/gm, '  '));
    separator = ',\n';
  }
  await out(separator === '[\n' ? '[]\n' : '\n]\n');
}

async function writeCsv(view: View, { write: out, selection }: Showing): Promise<void> {
  const harmless = selection.csvSafe === true;
  await out(csvLine(view.columns));
  for await (const thing of thingsOf(view)) {
    await out(csvLine(csvCells(thing, view.columns, harmless)));
  }
}

async function writeMarkdown(view: View, { write: out }: Showing): Promise<void> {
  if ('one' in view && view.markdown !== undefined) return out(await view.markdown());
  await out(markdownHead(view.columns));
  for await (const thing of thingsOf(view)) await out(markdownRow(thing, view.columns));
}

async function writeLines<T extends Fields>(
  view: View<T>,
  out: WriteText,
  format: (thing: T) => Text,
): Promise<void> {
  for await (const thing of thingsOf(view)) await out([...piecesOf(format(thing)), '\n']);
}

function thingsOf<T extends Fields>(view: View<T>): ManyView<T>['many'] {
  return 'one' in view ? [view.one] : view.many;
}

/**
 * The view with only these fields, in this order, in every format. A field is known by the view's
 * own list or by being there; another is `usage`, with those there are.
 */
function selectFields(view: View, names: readonly string[]): View {
  const known = view.fields ?? view.columns;
  requireFields(names, known, 'one' in view ? Object.keys(view.one) : []);
  const pick = (thing: Fields): Fields =>
    Object.fromEntries(names.flatMap((name) => (name in thing ? [[name, thing[name]]] : [])));
  const only = { columns: names, id: names[0] ?? 'id' };
  if ('one' in view) return { one: pick(view.one), ...only };
  return { many: pickEach(view.many, pick), ...only };
}

async function* pickEach(
  things: AsyncIterable<Fields> | Iterable<Fields>,
  pick: (thing: Fields) => Fields,
): AsyncGenerator<Fields, void, void> {
  for await (const thing of things) yield pick(thing);
}

/** Throws `usage` where a name is none of these fields. */
export function requireFields(
  names: readonly string[],
  known: readonly string[],
  there: readonly string[] = [],
): void {
  const unknown = names.find((name) => !known.includes(name) && !there.includes(name));
  if (unknown === undefined) return;
  const meant = [...new Set(names.map((name) => fieldFor(name, known)))];
  const others = meant.filter((name) => name !== undefined).join(',');
  const said: Hint = names.length === 1 ? `It is called ${others}.` : `Give ${others}.`;
  const all: Hint = `The fields are ${known.join(', ')}${others === '' ? '' : `: give ${others}`}.`;
  const hint = meant.includes(undefined) ? all : said;
  throw new BlogctlError('usage', `There is no field "${unknown}".`, { hint });
}

/** One line of RFC 4180: fields in quotes where they need them, lines ended by CR LF. */
function csvLine(values: readonly string[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

/** What each cell says; `harmless` cells are safe to open in a spreadsheet. */
function csvCells(thing: Fields, columns: readonly string[], harmless: boolean): readonly string[] {
  const cells = columns.map((name) => textOf(thing[name]));
  return harmless ? cells.map(harmlessCell) : cells;
}

/**
 * With an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV Injection"): `=`,
 * `+`, `-`, `@`, their full-width forms, and white space that some programs pass over.
 */
export function harmlessCell(text: string): string {
  return /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function markdownHead(columns: readonly string[]): string {
  return `${markdownLine(columns)}${markdownLine(columns.map(() => '---'))}`;
}

function markdownRow(thing: Fields, columns: readonly string[]): string {
  return markdownLine(columns.map((name) => markdownCell(textOf(thing[name]))));
}

function markdownLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function markdownCell(text: string): string {
  return printableLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|');
}
