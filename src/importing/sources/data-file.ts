import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { holdsJsonLines, listsOf } from './records/json-shape.ts';
import { jsonFile } from './records/json.ts';
import { ndjsonFile } from './records/ndjson.ts';
import type { ReadingOptions, Source } from './source.ts';

type DataFile = { readonly path: string; readonly name: string };

const linesExtensions = new Set(['.ndjson', '.jsonl']);

/** A file of records, by what it holds: its name only decides between lines and one document. */
export async function openDataFile(file: DataFile, options: ReadingOptions): Promise<Source> {
  if (linesExtensions.has(extname(file.name).toLowerCase())) return ndjsonFile(file, options);
  const first = await firstCharacter(file.path);
  if (first === '{' && (await holdsJsonLines(file.path))) return ndjsonFile(file, options);
  if (first === '{' || first === '[') return jsonDocument(file, options);
  throw new BlogctlError('unusable-input', `"${file.name}" is in no format that can be imported.`, {
    hint: 'Formats: a folder of Markdown (.md .mdx .markdown .html), NDJSON, JSON.',
  });
}

async function jsonDocument(file: DataFile, options: ReadingOptions): Promise<Source> {
  const list = options.list ?? chosenList(file.name, await listsOf(file.path));
  return jsonFile({ ...file, list: list === '' ? [] : list.split('.') }, options);
}

function chosenList(name: string, lists: readonly string[]): string {
  const [only, ...others] = lists;
  if (only === undefined) return '';
  if (others.length === 0) return only;
  throw new BlogctlError('unusable-input', `"${name}" holds ${lists.length} lists of records.`, {
    hint: `Choose one: ${lists.map((list) => `--list ${list}`).join(', ')}.`,
  });
}

/** The first character that is neither white space nor a byte order mark. */
async function firstCharacter(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.toString('utf8', 0, bytesRead).replace('\uFEFF', '').trimStart().charAt(0);
  } finally {
    await handle.close();
  }
}
