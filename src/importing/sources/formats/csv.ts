import { BlogctlError } from '../../../errors.ts';
import {
  ValidationError,
  rejectOf,
  noticeOf,
  type FileFormat,
  type FileSample,
  type Entry,
  type Batch,
  type ReadingOptions,
  type Source,
} from '../source.ts';
import { partDecoder, readUtf8, type Encoding } from '../encoding.ts';
import {
  delimiterOf,
  hasColumns,
  isDelimiterLine,
  readHeader,
  doubtfulBackslash,
  unescapedFields,
  type Header,
  type Value,
} from './csv-header.ts';
import { isStrict, readRows, type Dialect, type CsvRow } from './csv-rows.ts';
import { entryOfRecord, unnamed } from './mapped-record.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const backslash = 0x5c;
const quote = 0x22;

/** A row as its values are to be understood. */
type TableRow = Omit<CsvRow, 'fields'> & { readonly fields: readonly Value[] };

type Table = {
  readonly path: string;
  readonly name: string;
  readonly dialect: Dialect;
  /** Of a table with quotes behind backslashes, how many rows the dialect does not fit. */
  readonly odd: number;
};

/** A table with a header line. */
export const csvTable: FileFormat = {
  name: 'CSV or TSV',
  recognises: ({ extension, head }, options) =>
    ['.csv', '.tsv', '.tab'].includes(extension) || hasColumns(head, options),
  open: async (sample, options) => {
    const { path, name } = sample;
    const { dialect, odd } = await dialectOf(sample, options);
    return {
      name,
      batches: () => rowBatches({ path, name, dialect, odd }, options),
    } satisfies Source;
  },
};

async function dialectOf(
  sample: FileSample,
  options: ReadingOptions,
): Promise<Pick<Table, 'dialect' | 'odd'>> {
  const newline = sample.head.includes('\n') ? '\n' : '\r';
  const usual = { delimiter: delimiterOf(sample, options), escape: '"', newline } as const;
  if (!(await holdsEscapedQuote(sample.path, options.encoding))) return { dialect: usual, odd: 0 };
  const withBackslash = { ...usual, escape: '\\' } as const;
  const [often, seldom] = [
    await countBadRows(sample.path, options.encoding, usual),
    await countBadRows(sample.path, options.encoding, withBackslash),
  ];
  return seldom < often ? { dialect: withBackslash, odd: seldom } : { dialect: usual, odd: often };
}

/** Most tables do not, and need not be looked at twice. */
async function holdsEscapedQuote(path: string, encoding: Encoding): Promise<boolean> {
  let last: number | undefined;
  for await (const chunk of readUtf8(path, encoding)) {
    if (chunk.includes('\\"') || (last === backslash && chunk[0] === quote)) return true;
    last = chunk.at(-1) ?? last;
  }
  return false;
}

/** How many rows are not written as this dialect has them. */
async function countBadRows(path: string, encoding: Encoding, dialect: Dialect): Promise<number> {
  let bad = 0;
  let width: number | undefined;
  for await (const rows of readRows(tableBytes(path, encoding), dialect)) {
    for (const { fields, raw, isTorn } of rows) {
      width ??= fields.length;
      const isOdd = fields.some((field) => field[0] === quote) && !isStrict(raw, dialect);
      if (isTorn || isOdd || fields.length !== width) bad += 1;
    }
  }
  return bad;
}

async function* rowBatches(
  table: Table,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  if (table.odd > 0) yield [mixedNotice(table)];
  let header: Header | undefined;
  let isSaid = false;
  for await (const rows of readRows(tableBytes(table.path, options.encoding), table.dialect)) {
    const entries: Entry[] = [];
    for (const each of rows) {
      const row = unescaped(each, table.dialect);
      const doubt: Entry | undefined = isSaid ? undefined : doubtIn(row, table);
      if (doubt !== undefined) entries.push(doubt);
      isSaid ||= doubt !== undefined;
      if (isBlank(row) || (header === undefined && isDelimiterLine(row.raw))) continue;
      if (header === undefined) {
        header = headerOf(row, table.name, options);
        entries.push(...noticesOf(header, table.name, row.line));
      } else entries.push(entryOfRow(row, { header, table }, options));
    }
    yield entries;
  }
}

function unescaped(row: CsvRow, { escape, delimiter }: Dialect): TableRow {
  if (escape === '"' || row.isTorn) return row;
  return { ...row, fields: unescapedFields(row.raw, delimiter) };
}

function mixedNotice({ name, dialect, odd }: Table): Entry {
  const way = dialect.escape === '"' ? 'doubled' : 'behind a backslash';
  const message = `Quotes in fields were read as ${way}, which fits most lines but not ${odd} of them. Look at what became of those.`;
  return noticeOf(name, 'unclear-backslash', message);
}

/** In doubt what MySQL means is done, and said. */
function doubtIn({ raw, line, isTorn }: TableRow, { name, dialect }: Table): Entry | undefined {
  if (dialect.escape === '"' || isTorn) return undefined;
  const found = doubtfulBackslash(raw, dialect.delimiter);
  if (found === undefined) return undefined;
  const message =
    `The table escapes with backslashes, as MySQL does (\\" stands in it), so "${found}" was read that way. ` +
    'Where it means a backslash, double it in the file.';
  const place = { source: name, position: line };
  return { kind: 'notice', place, notice: { kind: 'unclear-backslash', message } };
}

/** A quote behind a byte order mark would not count as one. */
async function* tableBytes(path: string, encoding: Encoding): AsyncGenerator<Buffer, void, void> {
  let isFirst = true;
  for await (const chunk of readUtf8(path, encoding)) {
    yield isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk;
    isFirst = false;
  }
}

/** Spreadsheets leave rows of separators alone where cells were emptied. */
function isBlank({ fields }: TableRow): boolean {
  return fields.every((field) => field === null || field.every((byte) => byte <= 0x20));
}

function headerOf(row: TableRow, name: string, options: ReadingOptions): Header {
  try {
    if (row.isTorn) throw torn();
    if (row.raw.includes(0))
      throw new ValidationError('encoding', 'It holds NUL bytes, as UTF-16 does.');
    const fields = row.fields.map((field) => field ?? Buffer.alloc(0));
    return readHeader(fields.map(partDecoder(fields, options.encoding)), name, options);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const message = `The header of "${name}" cannot be read: ${error.message}`;
    throw new BlogctlError('unusable-input', message, {
      hint: 'Repair its first line, or name the encoding of the file with --encoding, e.g. utf-16le.',
      cause: error,
    });
  }
}

function noticesOf({ repeated, unread }: Header, source: string, line: number): readonly Entry[] {
  const entry = (kind: 'repeated-column' | 'not-read', message: string): Entry => {
    return { kind: 'notice', place: { source, position: line }, notice: { kind, message } };
  };
  const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  const twice = `The header names ${quoted(repeated)} several times; the first column of the name is used.`;
  const passed = `Not read: ${quoted(unread)}. Where one says what is public, name it: --map date=…,status=….`;
  return [
    ...(repeated.length > 0 ? [entry('repeated-column', twice)] : []),
    ...(unread.length > 0 ? [entry('not-read', passed)] : []),
  ];
}

function entryOfRow(
  { fields, raw, line, isTorn }: TableRow,
  { header, table }: { header: Header; table: Table },
  options: ReadingOptions,
): Entry {
  const { columns, names } = header;
  const place = { source: table.name, position: line };
  try {
    if (isTorn) throw torn();
    if (fields.length !== columns.length) throw wrongLength(fields.length, columns.length);
    const decode = partDecoder(
      fields.filter((field) => field !== null),
      options.encoding,
    );
    const values = fields.map((field, index) => decodeField(field, columns[index], decode));
    const value = Object.fromEntries(values.map((each, index) => [columns[index], each]));
    const members = () => values.map((each, index) => ({ key: names[index] ?? '', value: each }));
    return entryOfRecord({ place, value, members }, options);
  } catch (error) {
    // A quote that never ends has taken the delimiters behind it.
    const texts = isTorn
      ? raw.toString('utf8').trimEnd().split(table.dialect.delimiter)
      : fields.map((field) => field?.toString('utf8') ?? null);
    return rejectOf(error, { identity: unnamed(place), place, record: recordOf(texts, columns) });
  }
}

/** A row by its columns, to be repaired where it is; what stands behind them has a number. */
function recordOf(texts: readonly (string | null)[], columns: Header['columns']) {
  return Object.fromEntries(
    texts.map((text, index) => [columns[index] ?? `column ${index + 1}`, text]),
  );
}

function decodeField(field: Value, column = '', decode: (field: Buffer) => string): string | null {
  try {
    return field && decode(field);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError('encoding', `Column "${column}": ${error.message}`, { cause: error });
  }
}

function wrongLength(fields: number, columns: number): ValidationError {
  return new ValidationError('syntax', `${fields} fields, but the header has ${columns}.`);
}

function torn(): ValidationError {
  return new ValidationError(
    'syntax',
    'A quote that opens a field is not closed. Inside of a field quotes are doubled.',
  );
}
