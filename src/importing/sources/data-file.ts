import { stat } from 'node:fs/promises';
import { extname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { ghostExport } from './exports/ghost.ts';
import { jsonFeed } from './exports/json-feed.ts';
import { xmlFeed } from './exports/xml-feed.ts';
import type { FileFormat, FileSample } from './file-format.ts';
import { readStart } from './files/chunks.ts';
import { decodeSample } from './files/encoding.ts';
import { unreadKind } from './files/signature.ts';
import { singlePost } from './posts/markdown.ts';
import { csvTable } from './records/csv.ts';
import { jsonDocument } from './records/json.ts';
import { jsonLines } from './records/ndjson.ts';
import { rejectsFile } from './records/rejected.ts';
import type { ReadingOptions, Source } from './source.ts';

/** The first that recognises a file reads it; the strictest come first. */
const formats: readonly FileFormat[] = [
  xmlFeed,
  ghostExport,
  jsonFeed,
  rejectsFile,
  jsonLines,
  jsonDocument,
  singlePost,
  csvTable,
];

const sampleBytes = 1 << 16;

/** A file of records, by what it holds. */
export async function openDataFile(
  file: { readonly path: string; readonly name: string },
  options: ReadingOptions,
): Promise<Source> {
  const extension = extname(file.name.replace(/\.gz$/i, '')).toLowerCase();
  const sample = { ...file, extension, head: await headOf(file, options) };
  if (sample.head === '' && (await stat(file.path)).size <= sampleBytes) return empty(file.name);
  for (const format of formats) {
    if (await format.recognises(sample, options)) return format.open(sample, options);
  }
  throw unknownFormat(sample);
}

/** A stream or a file without a single sign is in every format, and holds nothing. */
function empty(name: string): Source {
  return { name, async *portions() {} };
}

async function headOf(
  { path, name }: { readonly path: string; readonly name: string },
  { encoding }: ReadingOptions,
): Promise<string> {
  const start = await readStart(path, sampleBytes);
  const unread = unreadKind(start);
  if (unread === undefined) return decodeSample(start, encoding).trimStart();
  throw new BlogctlError('unusable-input', `"${name}" is ${unread.name}, which is not read.`, {
    hint: unread.hint,
  });
}

function unknownFormat({ name }: FileSample): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" is in no format that can be imported.`, {
    hint: `Formats: a folder of Markdown (.md .mdx .markdown .html), ${formats.map((format) => format.name).join(', ')}.`,
  });
}
