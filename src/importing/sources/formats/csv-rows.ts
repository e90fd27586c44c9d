import { CsvError, parse, type Options, type Parser } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';

/** How a table is written. */
export type Dialect = {
  readonly delimiter: string;
  /** What stands in front of a quote in a quoted field: another one, or a backslash (MySQL). */
  readonly escape: '"' | '\\';
  /** What ends a line, a CR in front of it aside; old Macs have CR alone. */
  readonly newline: '\n' | '\r';
};

export type CsvRow = {
  readonly fields: readonly Buffer[];
  /** As it stands in the file; good until the next rows are asked for. */
  readonly raw: Buffer;
  /** Where it begins, of the lines of the file, from 1. */
  readonly line: number;
  /** A quote opens a field and is not closed as it should be; only this line was read. */
  readonly isTorn: boolean;
};

/** What is longer is no row but the rest of a file behind a quote that is never closed. */
const longestRow = 1 << 25;
/** What the parser gets at once grows: behind a torn row it begins anew. */
const firstSlice = 1 << 8;
const longestSlice = 1 << 17;
const quote = 0x22;
const tab = '\t';

/**
 * The rows of a table, those that end in one chunk together; blank lines are none. Quotes inside of
 * a field that does not begin with one stand for themselves, as exports of spreadsheets and
 * databases have them. Behind a torn row reading goes on with the next line.
 */
export async function* readRows(
  chunks: AsyncIterable<Buffer>,
  dialect: Dialect,
): AsyncGenerator<readonly CsvRow[], void, void> {
  const reader = new RowReader(dialect);
  for await (const chunk of chunks) yield reader.read(chunk);
  yield reader.end();
}

/** Whether a row is written as the dialect has it, without any leniency. */
export function isStrict(raw: Buffer, dialect: Dialect): boolean {
  try {
    parseSync(raw, { ...optionsOf(dialect), relax_quotes: false });
    return true;
  } catch (error) {
    if (error instanceof CsvError) return false;
    throw error;
  }
}

type ScannedRow = { readonly fields: readonly Buffer[]; readonly end: number };

/** Positions are counted from the beginning of the file. */
class RowReader {
  readonly #dialect: Dialect;
  readonly #newline: string;
  /** What was not read to the end of a row, and where it begins. */
  #held: Buffer = Buffer.alloc(0);
  #heldFrom = 0;
  /** Where the row begins that is read now. */
  #begin = 0;
  #line = 1;
  /** How many fields the header has. */
  #width: number | undefined;
  #parser: Parser;
  /** How far the parser has come, and how much it gets next. */
  #fed = 0;
  #slice = longestSlice;
  #found: ScannedRow[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#newline = dialect.newline;
    this.#parser = this.#createParser();
  }

  read(chunk: Buffer): readonly CsvRow[] {
    this.#held = Buffer.concat([this.#held.subarray(this.#begin - this.#heldFrom), chunk]);
    this.#heldFrom = this.#begin;
    const rows: CsvRow[] = [];
    const end = this.#heldFrom + this.#held.length;
    while (this.#fed < end) {
      this.#feed(this.#held.subarray(this.#fed - this.#heldFrom).subarray(0, this.#slice));
      this.#take(rows);
      if (this.#fed - this.#begin > longestRow) rows.push(this.#tear());
    }
    return rows;
  }

  /** The parser looks ahead: blank lines behind the last row make it finish that. */
  end(): readonly CsvRow[] {
    const rows = [...this.read(Buffer.from(this.#newline.repeat(16)))];
    while (this.#held.subarray(this.#begin - this.#heldFrom).some((byte) => byte > 0x20)) {
      rows.push(this.#tear());
      // They may be more than a call takes arguments.
      for (const row of this.read(Buffer.alloc(0))) rows.push(row);
    }
    return rows;
  }

  #feed(slice: Buffer): void {
    this.#found = [];
    // Nothing is pushed on, so it is parsed at once; with this leniency nothing is an error.
    this.#parser.write(slice);
    this.#fed += slice.length;
    this.#slice = Math.min(this.#slice * 2, longestSlice);
  }

  #take(rows: CsvRow[]): void {
    for (const { fields, end } of this.#found) {
      const raw = this.#bytes(this.#begin, end);
      if (this.#isTorn(fields, raw)) {
        rows.push(this.#tear());
        return;
      }
      rows.push(this.#leave(fields, end));
    }
  }

  #bytes(from: number, to: number): Buffer {
    return this.#held.subarray(from - this.#heldFrom, to - this.#heldFrom);
  }

  #leave(fields: readonly Buffer[], end: number, isTorn = false): CsvRow {
    this.#width ??= fields.length;
    const raw = this.#bytes(this.#begin, end);
    const row = { fields, raw, isTorn, line: this.#line + this.#count(blankStart(raw)) };
    this.#line += this.#count(raw);
    this.#begin = end;
    return row;
  }

  #count(bytes: Buffer): number {
    let count = 0;
    for (let at = bytes.indexOf(this.#newline); at !== -1; count += 1) {
      at = bytes.indexOf(this.#newline, at + 1);
    }
    return count;
  }

  /** The parser takes a quote that closes in the middle of a text for a sign, on a later line too. */
  #isTorn(fields: readonly Buffer[], raw: Buffer): boolean {
    const isOpen = fields.some((field) => field[0] === quote && field.includes(this.#newline));
    if (isOpen && !isStrict(raw, this.#dialect)) return true;
    if (this.#dialect.delimiter !== tab) return false;
    return fields.some((field) => field.includes(this.#newline)) && this.#isPlain(raw);
  }

  /** Each line of it is a row: then the quotes are text, and join nothing. */
  #isPlain(raw: Buffer): boolean {
    const lines = raw.toString('latin1').trim().split(this.#newline);
    return lines.every((line) => line.split(tab).length === this.#width);
  }

  /** Reads one line alone, and begins anew behind it. In a table of tabs a quote may be text. */
  #tear(): CsvRow {
    const rest = this.#held.subarray(this.#begin - this.#heldFrom);
    const from = blankStart(rest).length;
    const at = rest.indexOf(this.#newline, from);
    const to = at === -1 ? rest.length : at;
    const line = rest.subarray(from, rest[to - 1] === 0x0d ? to - 1 : to);
    const fields = this.#dialect.delimiter === tab ? splitAt(line, tab) : [line];
    const isText = this.#dialect.delimiter === tab && fields.length === this.#width;
    const end = Math.min(to + 1, rest.length) + this.#begin;
    const row = this.#leave(fields, end, !isText);
    this.#fed = end;
    this.#slice = firstSlice;
    this.#parser = this.#createParser();
    return row;
  }

  #createParser(): Parser {
    const from = this.#fed;
    return parse({
      ...optionsOf(this.#dialect),
      relax_quotes: true,
      on_record: (fields: unknown, { bytes }) => {
        if (isBuffers(fields)) this.#found.push({ fields, end: from + bytes });
        return null;
      },
    });
  }
}

/** Fields stay bytes: a row that is not UTF-8 is rejected alone, not read with signs replaced. */
function optionsOf({ delimiter, escape, newline }: Dialect): Options {
  return {
    delimiter,
    escape,
    encoding: null,
    record_delimiter: newline === '\r' ? newline : ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  };
}

/** What `encoding: null` makes of fields, whatever their declared type. */
function isBuffers(fields: unknown): fields is readonly Buffer[] {
  return Array.isArray(fields) && fields.every((field) => Buffer.isBuffer(field));
}

/** The line ends in front of a row. */
function blankStart(raw: Buffer): Buffer {
  const begin = raw.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return raw.subarray(0, begin === -1 ? raw.length : begin);
}

function splitAt(line: Buffer, sign: string): readonly Buffer[] {
  const fields: Buffer[] = [];
  let from = 0;
  for (let at = line.indexOf(sign); at !== -1; at = line.indexOf(sign, from)) {
    fields.push(line.subarray(from, at));
    from = at + 1;
  }
  return [...fields, line.subarray(from)];
}
