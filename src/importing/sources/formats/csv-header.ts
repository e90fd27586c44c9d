import { BlogctlError } from '../../../errors.ts';
import { mayIdentify } from '../identity.ts';
import { isSignName, type Member } from '../publicity-signs.ts';
import type { FileSample, ReadingOptions } from '../source.ts';

const candidates = [',', ';', '\t', '|'] as const;

/** Excel says on a line of its own, in front of the header, what parts the columns. */
const delimiterLine = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n|\n|\r|$)/i;

/** What stands between the columns: the one given, else the one that the file says or shows. */
export function delimiterOf({ name, head }: FileSample, { delimiter }: ReadingOptions): string {
  const known = delimiter ?? delimiterLine.exec(head)?.[1];
  if (known !== undefined) return known;
  const [best, second] = ranked(head);
  if (best.times === 0 || best.times > second.times) return best.delimiter;
  throw new BlogctlError('unusable-input', `What parts the columns of "${name}" is not clear.`, {
    hint: 'Choose with --delimiter, one of , ; | or tab.',
  });
}

/** Whether a line is the one of Excel, which is no row. */
export function isDelimiterLine(raw: Buffer): boolean {
  return raw.length < 20 && delimiterLine.test(raw.toString('latin1').trimStart());
}

/** Whether the header line has these columns, in any case. */
export function hasColumns(head: string, { map, delimiter }: ReadingOptions): boolean {
  const used = delimiter ?? delimiterLine.exec(head)?.[1] ?? ranked(head)[0].delimiter;
  const columns = headerLine(head)
    .split(used)
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
  /** Names of what is neither in an article nor says anything of one. */
  readonly unread: readonly string[];
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
  const wanted = [...Object.values(map), ...(keyField === undefined ? [] : [keyField])];
  const asked = new Map(wanted.map((column) => [oneColumn(column, names, name), column]));
  const times = new Map<string, number>();
  const columns = names.map((column, index) => {
    const time = (times.get(column) ?? 0) + 1;
    times.set(column, time);
    return asked.get(index) ?? (time === 1 ? column : `${column} (${time})`);
  });
  const repeated = [...times].filter(([column, count]) => count > 1 && column !== '');
  const unread = names.filter(
    (column, index) =>
      column !== '' && !asked.has(index) && !isSignName(column) && !mayIdentify(column),
  );
  return { columns, names, repeated: repeated.map(([column]) => column), unread };
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

type Rank = { readonly delimiter: string; readonly times: number };

function ranked(head: string): readonly [Rank, Rank, ...Rank[]] {
  const line = headerLine(head).replaceAll(/"[^"]*"/g, '""');
  const rank = (delimiter: string): Rank => ({
    delimiter,
    times: line.split(delimiter).length - 1,
  });
  const [comma, semicolon, tab, bar] = candidates;
  const ranks: [Rank, Rank, ...Rank[]] = [rank(comma), rank(semicolon), rank(tab), rank(bar)];
  ranks.sort((a, b) => b.times - a.times);
  return ranks;
}

function headerLine(head: string): string {
  return /^[^\r\n]*/.exec(head.replace(delimiterLine, ''))?.[0] ?? '';
}

function folded(name: string): string {
  return name.toLowerCase();
}

/** The value of a field; null where the table says that there is none (`\N`). */
export type Value = Buffer | null;

const backslash = 0x5c;
const quote = 0x22;
/** What MySQL writes behind a backslash, and means by it. */
const meanings: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001A',
};
/** Signs that need a backslash in some place of MySQL's. */
const escapable = new Set([...Object.keys(meanings), 'N', '"', "'", '\\', '\n', '\r']);

/**
 * The fields of a row that escapes with backslashes, as MySQL does (LOAD DATA): a sign without a
 * meaning of its own stands for itself. In quotes a quote may be doubled too.
 */
export function unescapedFields(row: Buffer, delimiter: string): readonly Value[] {
  const bytes = withoutLineEnds(row);
  const parts = Buffer.from(delimiter);
  const values: Value[] = [];
  let start = 0;
  for (;;) {
    const { value, end } = readField(bytes, start, parts);
    values.push(value);
    if (end >= bytes.length) return values;
    start = end + parts.length;
  }
}

/**
 * Where a backslash may well be no escape: in front of a sign that needs none, or in what looks like
 * a path of Windows.
 */
export function doubtfulBackslash(row: Buffer, delimiter: string): string | undefined {
  const text = row.toString('latin1');
  const [path] = /(?<![A-Za-z])[A-Za-z]:\\(?![\\"'])[^\s"]{0,20}/.exec(text) ?? [];
  if (path !== undefined) return path;
  for (const [pair, sign = ''] of text.matchAll(/\\([^])/g)) {
    if (!escapable.has(sign) && sign !== delimiter[0]) return pair;
  }
  return undefined;
}

function withoutLineEnds(row: Buffer): Buffer {
  const start = row.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  let end = row.length;
  if (row[end - 1] === 0x0a) end -= 1;
  if (row[end - 1] === 0x0d) end -= 1;
  return row.subarray(Math.max(start, 0), end);
}

function readField(
  bytes: Buffer,
  start: number,
  delimiter: Buffer,
): { readonly value: Value; readonly end: number } {
  let inQuotes = bytes[start] === quote;
  const from = inQuotes ? start + 1 : start;
  const pieces: Buffer[] = [];
  let piece = from;
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === backslash && at + 1 < bytes.length) {
      pieces.push(bytes.subarray(piece, at), meaningOf(bytes.subarray(at + 1, at + 2)));
      at += 1;
      piece = at + 1;
    } else if (inQuotes && byte === quote) {
      pieces.push(bytes.subarray(piece, at));
      if (bytes[at + 1] === quote) at += 1;
      else inQuotes = false;
      piece = inQuotes ? at : at + 1;
    } else if (!inQuotes && startsAt(bytes, at, delimiter)) break;
  }
  pieces.push(bytes.subarray(piece, at));
  const written = bytes.toString('latin1', start, at);
  const isNull = written === '\\N' || written === '"\\N"';
  return { value: isNull ? null : Buffer.concat(pieces), end: at };
}

function meaningOf(sign: Buffer): Buffer {
  const meaning = meanings[sign.toString('latin1')];
  return meaning === undefined ? sign : Buffer.from(meaning);
}

function startsAt(bytes: Buffer, at: number, sign: Buffer): boolean {
  return bytes[at] === sign[0] && bytes.subarray(at, at + sign.length).equals(sign);
}

/** The signs of Substack's `posts.csv`, by the names of the files in `posts/`; '' stands for those that it lacks. */
export function rowsByPost(text: string): ReadonlyMap<string, readonly Member[]> | undefined {
  if (!/^[^\n]*\bpost_id\b/.test(text)) return undefined;
  const rows: string[][] = [[]];
  for (const [, field = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(field.replaceAll(/^"|"$/g, '').replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...posts] = rows;
  // Other tables of posts need not be of all files that lie beside them.
  const isOfSubstack = ['is_published', 'email_sent_at'].every((each) => names.includes(each));
  const others = isOfSubstack ? [{ key: 'draft', value: 'not in it' }] : [];
  const known = posts.map((row) => {
    const said = names.flatMap((key, at) =>
      isSignName(key) ? [{ key, value: row[at] ?? '' }] : [],
    );
    return [row[names.indexOf('post_id')] ?? '', said] as const;
  });
  return new Map<string, readonly Member[]>([...known, ['', others]]);
}
