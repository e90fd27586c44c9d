import { Readable } from 'node:stream';

import { CsvError, parse, type Parser } from 'csv-parse';

import { BlogctlError } from '../../../errors.ts';
import type { FileFormat, FileSample } from '../file-format.ts';
import { readUtf8 } from '../files/encoding.ts';
import { decodeUtf8 } from '../files/utf8.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions, type Source } from '../source.ts';
import { columnsOf, delimiterOf } from './csv-header.ts';
import { entryOfItem, unnamed } from './mapped-record.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

type Row = { readonly fields: readonly Buffer[]; readonly position: number };

/**
 * A table with a header line. Quotes inside of a field that does not begin with one stand for
 * themselves, as exports of spreadsheets and databases have them.
 */
export const csvTable: FileFormat = {
  name: 'CSV or TSV',
  recognises: ({ extension, head }, options) =>
    ['.csv', '.tsv', '.tab'].includes(extension) || hasColumns(head, options),
  open: (sample, options) => {
    const delimiter = delimiterOf(sample, options);
    return {
      name: sample.name,
      portions: () => rowPortions({ ...sample, delimiter }, options),
    } satisfies Source;
  },
};

function hasColumns(head: string, { map, delimiter }: ReadingOptions): boolean {
  const columns = columnsOf(head, delimiter);
  return columns.includes(map.title) && columns.includes(map.content);
}

type Table = FileSample & { readonly delimiter: string };

async function* rowPortions(
  table: Table,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  let columns: readonly string[] | undefined;
  for await (const row of rowsOf(table, options)) {
    if (columns === undefined) columns = readHeader(row, table, options);
    else yield [entryOfRow(row, { columns, source: table.name }, options)];
  }
}

async function* rowsOf(table: Table, options: ReadingOptions): AsyncGenerator<Row, void, void> {
  const bytes = Readable.from(withoutMark(readUtf8(table.path, options.encoding)), {
    objectMode: false,
  });
  const parser = bytes.pipe(createParser(table.delimiter));
  bytes.on('error', (error) => parser.destroy(error));
  const rows: AsyncIterable<readonly Buffer[]> = parser;
  let position = 0;
  try {
    for await (const fields of rows) {
      yield { fields, position };
      position += 1;
    }
  } catch (error) {
    throw error instanceof CsvError ? broken(table, error) : error;
  } finally {
    bytes.destroy();
  }
}

/** A quote behind a byte order mark would not count as one. */
async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const marked = isFirst && chunk.subarray(0, 3).equals(byteOrderMark);
    // The parser keeps what it is given longer than the chunk is good.
    yield Buffer.from(marked ? chunk.subarray(3) : chunk);
    isFirst = false;
  }
}

/** Fields stay bytes: a row that is not UTF-8 is rejected alone, not read with signs replaced. */
function createParser(delimiter: string): Parser {
  return parse({
    delimiter,
    encoding: null,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
}

function readHeader(
  row: Row,
  { name }: Table,
  { map, keyField }: ReadingOptions,
): readonly string[] {
  const columns = row.fields.map((field) => decodeUtf8(field));
  const wanted = [map.title, map.content, ...(keyField === undefined ? [] : [keyField])];
  for (const column of wanted) {
    const times = columns.filter((other) => other === column).length;
    if (times !== 1) throw notOneColumn(name, column, { times, columns });
  }
  return columns;
}

function entryOfRow(
  { fields, position }: Row,
  { columns, source }: { columns: readonly string[]; source: string },
  options: ReadingOptions,
): Entry {
  const place = { source, position };
  try {
    if (fields.length !== columns.length) throw wrongLength(fields.length, columns.length);
    const members = fields.map((field, index) => [
      columns[index],
      decodeField(field, columns[index]),
    ]);
    return entryOfItem({ place, value: Object.fromEntries(members) }, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    const record = fields.map((field) => field.toString('utf8'));
    return { kind: 'reject', identity: unnamed(place), place, flaw: error, record };
  }
}

function decodeField(field: Buffer, column = ''): string {
  try {
    return decodeUtf8(field);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    throw new Flaw('encoding', `Column "${column}": ${error.message}`, { cause: error });
  }
}

function wrongLength(fields: number, columns: number): Flaw {
  return new Flaw('syntax', `${fields} fields, but the header has ${columns}.`);
}

function notOneColumn(
  name: string,
  column: string,
  { times, columns }: { times: number; columns: readonly string[] },
): BlogctlError {
  const what = times === 0 ? 'no column' : `${times} columns`;
  return new BlogctlError('unusable-input', `"${name}" has ${what} "${column}".`, {
    hint: `Columns: ${columns.join(', ')}. Choose with --map title=…,content=… and --key-field.`,
  });
}

function broken({ name }: Table, error: CsvError): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" is not a whole table: ${error.message}`, {
    hint: 'A quote that opens a field must be closed; quotes inside of it are doubled.',
    cause: error,
  });
}
