import { createReadStream } from 'node:fs';

import { readLines, type Line } from '../files/lines.ts';
import { entryOfItem, identified } from './mapped-record.ts';
import { parseJson } from './json-text.ts';
import { Flaw, type Entry, type ReadingOptions, type Source } from '../source.ts';
import { decodeUtf8 } from '../files/utf8.ts';

/** One JSON object a line; a record is known by `--key-field`, else by its line. */
export function ndjsonFile(file: { path: string; name: string }, options: ReadingOptions): Source {
  return {
    name: file.name,
    numbered: options.keyField === undefined,
    entries: () => lineEntries(file, options),
  };
}

async function* lineEntries(
  { path, name }: { path: string; name: string },
  options: ReadingOptions,
): AsyncGenerator<Entry, void, void> {
  for await (const line of readLines(createReadStream(path))) {
    const entry = entryOfLine(line, name, options);
    if (entry !== undefined) yield entry;
  }
}

function entryOfLine(line: Line, source: string, options: ReadingOptions): Entry | undefined {
  const place = { source, position: line.number };
  let text: string | undefined;
  try {
    text = decodeUtf8(line.bytes, line.offset);
    if (text.trim() === '') return undefined;
    return entryOfItem({ place, value: parseJson(text) }, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', ...identified(place, options), place, flaw: error, record: text };
  }
}
