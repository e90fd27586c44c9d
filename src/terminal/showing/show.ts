import { BlogctlError } from '../../errors.ts';
import { csvCells, csvLine } from './csv.ts';
import type { TerminalFlags } from '../flags.ts';
import type { Format, ReportFormat } from './formats.ts';
import { markdownHead, markdownRow } from './markdown.ts';
import { printableField, printableJson, printableLine } from '../letters/printable.ts';
import { bold, type Piece, piecesOf, type Text } from '../letters/style.ts';
import { selectFields } from './select.ts';
import { type Fields, type ManyView, type OneView, textOf, type View } from './view.ts';

export type Showing = {
  readonly format: Format;
  readonly selection: Pick<TerminalFlags, 'fields' | 'field' | 'jq' | 'csvSafe'>;
  /** A person looks at it. */
  readonly isScreen: boolean;
  readonly width: number;
  readonly write: WriteText;
  /** Text for reading; it may be long. */
  readonly page: WriteText;
};

/** Where text goes; what it may not hold on a screen is seen to there. */
type WriteText = (text: Text) => Promise<void>;

/** Writes what was asked for of a view: some fields, one value, a jq filter's answer, or all. */
export async function show<T extends Fields>(view: View<T>, showing: Showing): Promise<void> {
  const { fields, field, jq } = showing.selection;
  if (jq !== undefined) return showFiltered(view, jq, showing.write);
  if (field !== undefined) return showField(selectFields(view, [field]), field, showing);
  const selected = fields === undefined ? view : selectFields(view, fields);
  return writers[showing.format](selected, showing);
}

async function showFiltered(view: View, filter: string, out: WriteText): Promise<void> {
  const parts: string[] = [];
  await writeJson(view, async (text) => void parts.push(text));
  const { filterWithJq } = await import('./jq.ts');
  await out(await filterWithJq(parts.join(''), filter));
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
  ids: (view, { write }) => {
    const id = 'one' in view ? 'id' : (view.id ?? 'id');
    return writeLines(view, write, (thing) => printableField(textOf(thing[id])));
  },
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
      hint: 'choose another --format',
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
  for await (const row of view.many) rows.push(row);
  if (rows.length === 0) return;
  const { renderTable } = await import('./table.ts');
  const { width } = showing;
  await showing.write(renderTable(rows, { columns: view.columns, width }));
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
