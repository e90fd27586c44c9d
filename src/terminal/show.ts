import type { Format } from './formats.ts';
import type { Write } from './output.ts';
import { printableField, printableJson, printableLine } from './printable.ts';
import { type Fields, type ManyView, type OneView, textOf, type View } from './view.ts';

export type Screen = {
  readonly format: Format;
  readonly width: number;
  readonly write: Write;
  readonly bold: (text: string) => string;
};

/** Writes a view in the chosen format: JSON is one document, NDJSON and lines are a stream. */
export async function show<T extends Fields>(view: View<T>, screen: Screen): Promise<void> {
  switch (screen.format) {
    case 'table':
      return 'one' in view ? showOne(view, screen) : showTable(view, screen);
    case 'json':
      return 'one' in view
        ? screen.write(`${printableJson(view.one, 2)}\n`)
        : writeJsonArray(view.many, screen.write);
    case 'ndjson':
      return writeLines(view, screen.write, (thing) => printableJson(thing));
    case 'tsv':
      return writeLines(view, screen.write, (thing) =>
        view.columns.map((name) => printableField(textOf(thing[name]))).join('\t'),
      );
    case 'ids':
      return writeLines(view, screen.write, (thing) =>
        printableField(textOf(thing['many' in view ? (view.id ?? 'id') : 'id'])),
      );
  }
}

async function showOne<T extends Fields>(view: OneView<T>, screen: Screen): Promise<void> {
  await screen.write(view.human?.() ?? describe(view.one, screen.bold));
}

function describe(thing: Fields, bold: (text: string) => string): string {
  const entries = Object.entries(thing).filter(([, value]) => value !== undefined);
  const longest = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(
      ([name, value]) => `${bold(`${name}:`.padEnd(longest + 2))}${printableLine(textOf(value))}\n`,
    )
    .join('');
}

async function showTable<T extends Fields>(view: ManyView<T>, screen: Screen): Promise<void> {
  const { text } = view;
  if (text !== undefined) return writeLines(view, screen.write, text);
  const rows: T[] = [];
  for await (const row of view.many) rows.push(row);
  if (rows.length === 0) return;
  const { renderTable } = await import('./table.ts');
  await screen.write(
    renderTable(rows, { columns: view.columns, width: screen.width, heading: screen.bold }),
  );
}

async function writeJsonArray(things: ManyView['many'], write: Write): Promise<void> {
  let separator = '[\n';
  for await (const thing of things) {
    await write(separator + printableJson(thing, 2).replaceAll(/^/gm, '  '));
    separator = ',\n';
  }
  await write(separator === '[\n' ? '[]\n' : '\n]\n');
}

async function writeLines<T extends Fields>(
  view: View<T>,
  write: Write,
  format: (thing: T) => string,
): Promise<void> {
  const things: ManyView<T>['many'] = 'one' in view ? [view.one] : view.many;
  for await (const thing of things) await write(`${format(thing)}\n`);
}
