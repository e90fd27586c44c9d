import type { FileFormat } from '../file-format.ts';
import { readLines, type Line } from '../files/lines.ts';
import { entryOfItem, unnamed } from './mapped-record.ts';
import { holdsJsonLines } from './json-shape.ts';
import { membersOfJson, parseJson } from './json-text.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions } from '../source.ts';
import { decodeRecord, readUtf8 } from '../files/encoding.ts';
import { withoutByteOrderMark } from '../files/utf8.ts';

/** One JSON object a line. */
export const jsonLines: FileFormat = {
  name: 'NDJSON',
  recognises: ({ path, extension, head }, { encoding }) =>
    extension === '.ndjson' ||
    extension === '.jsonl' ||
    (head.startsWith('{') && holdsJsonLines(path, encoding)),
  open: ({ path, name }, options) => ({
    name,
    portions: () => linePortions({ path, name }, options),
  }),
};

async function* linePortions(
  { path, name }: { path: string; name: string },
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  for await (const lines of readLines(readUtf8(path, options.encoding))) {
    yield entriesOf(lines, name, options);
  }
}

function* entriesOf(lines: Iterable<Line>, source: string, options: ReadingOptions): Portion {
  for (const line of lines) {
    const entry = entryOfLine(line, source, options);
    if (entry !== undefined) yield entry;
  }
}

function entryOfLine(line: Line, source: string, options: ReadingOptions): Entry | undefined {
  const place = { source, position: line.number };
  let text: string | undefined;
  try {
    text = decodeRecord(line.bytes, options.encoding, line.offset);
    if (line.number === 1) text = withoutByteOrderMark(text);
    if (text.trim() === '') return undefined;
    const [value, whole] = [parseJson(text), text];
    return entryOfItem({ place, value, members: () => membersOfJson(value, whole) }, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', identity: unnamed(place), place, flaw: error, record: text };
  }
}
