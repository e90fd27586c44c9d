import { BlogctlError } from '../../../errors.ts';
import type { FileSample } from '../file-format.ts';
import type { ReadingOptions } from '../source.ts';

const candidates = [',', ';', '\t', '|'] as const;

/** Excel says on a line of its own, in front of the header, what parts the columns. */
const signLine = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n|\n|\r|$)/i;

/** The sign between the columns: the one given, else the one that the file says or shows. */
export function delimiterOf({ name, head }: FileSample, { delimiter }: ReadingOptions): string {
  const known = delimiter ?? signLine.exec(head)?.[1];
  if (known !== undefined) return known;
  const [best, second] = ranked(head);
  if (best.times === 0 || best.times > second.times) return best.sign;
  throw new BlogctlError('unusable-input', `What parts the columns of "${name}" is not clear.`, {
    hint: 'Choose with --delimiter, one of , ; | or tab.',
  });
}

/** Whether a line is the one of Excel, which is no row. */
export function isSignLine(raw: Buffer): boolean {
  return raw.length < 20 && signLine.test(raw.toString('latin1').trimStart());
}

/** Whether the header line has these columns, in any case. */
export function hasColumns(head: string, { map, delimiter }: ReadingOptions): boolean {
  const sign = delimiter ?? signLine.exec(head)?.[1] ?? ranked(head)[0].sign;
  const columns = headerLine(head)
    .split(sign)
    .map((column) =>
      folded(
        column
          .trim()
          .replace(/^"(.*)"$/, '$1')
          .trim(),
      ),
    );
  return columns.includes(folded(map.title)) && columns.includes(folded(map.content));
}

export type Header = {
  /** Each with the name by which its values are asked for. */
  readonly columns: readonly string[];
  /** As they are written, which may be one name several times. */
  readonly names: readonly string[];
  /** Names that stand several times, of which the first is used. */
  readonly repeated: readonly string[];
};

/**
 * The columns of a table by the fields of its header; white space around a name and its case do not
 * count. Title, content and the key must each be one column.
 */
export function readHeader(
  fields: readonly string[],
  name: string,
  { map, keyField }: ReadingOptions,
): Header {
  const names = fields.map((field) => field.trim());
  const wanted = [map.title, map.content, ...(keyField === undefined ? [] : [keyField])];
  const asked = new Map(wanted.map((column) => [oneColumn(column, names, name), column]));
  const times = new Map<string, number>();
  const columns = names.map((column, index) => {
    const time = (times.get(column) ?? 0) + 1;
    times.set(column, time);
    return asked.get(index) ?? (time === 1 ? column : `${column} (${time})`);
  });
  const repeated = [...times].filter(([column, count]) => count > 1 && column !== '');
  return { columns, names, repeated: repeated.map(([column]) => column) };
}

/** Written exactly so, else in another case. */
function oneColumn(column: string, names: readonly string[], table: string): number {
  for (const same of [(name: string) => name, folded]) {
    const found = names.flatMap((name, index) => (same(name) === same(column) ? [index] : []));
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    if (found.length > 1) throw notOneColumn(table, column, { times: found.length, names });
  }
  throw notOneColumn(table, column, { times: 0, names });
}

function notOneColumn(
  table: string,
  column: string,
  { times, names }: { times: number; names: readonly string[] },
): BlogctlError {
  const what = times === 0 ? 'no column' : `${times} columns`;
  return new BlogctlError('unusable-input', `"${table}" has ${what} "${column}".`, {
    hint: `Columns: ${names.join(', ')}. Choose with --map title=…,content=… and --key-field.`,
  });
}

type Rank = { readonly sign: string; readonly times: number };

function ranked(head: string): readonly [Rank, Rank, ...Rank[]] {
  const line = headerLine(head).replaceAll(/"[^"]*"/g, '""');
  const rank = (sign: string): Rank => ({ sign, times: line.split(sign).length - 1 });
  const [comma, semicolon, tab, bar] = candidates;
  const ranks: [Rank, Rank, ...Rank[]] = [rank(comma), rank(semicolon), rank(tab), rank(bar)];
  ranks.sort((a, b) => b.times - a.times);
  return ranks;
}

function headerLine(head: string): string {
  return /^[^\r\n]*/.exec(head.replace(signLine, ''))?.[0] ?? '';
}

function folded(name: string): string {
  return name.toLowerCase();
}
