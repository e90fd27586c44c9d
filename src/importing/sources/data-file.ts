import { stat } from 'node:fs/promises';
import { extname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { ghostExport, jsonFeed } from './formats/json-exports.ts';
import { xmlFeed } from './formats/xml-feed.ts';
import type { FileFormat, FileSample, ReadingOptions, Source } from './source.ts';
import { readStart } from './files/chunks.ts';
import { decodeSample } from './files/encoding.ts';
import { fileKind, withoutGz, sampleBytes, unreadKind } from './files/file-kind.ts';
import { plainText, singlePost } from './formats/markdown.ts';
import { csvTable } from './formats/csv.ts';
import { jsonDocument } from './formats/json.ts';
import { jsonLines, rejectsFile } from './formats/ndjson.ts';

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
  plainText,
];

type NamedFile = { readonly path: string; readonly name: string };

/** A file of records, by what it holds. */
export async function openDataFile(file: NamedFile, options: ReadingOptions): Promise<Source> {
  const sample = await sampleOf(file, options);
  const source = await openSample(sample, formats, options);
  if (source === undefined) throw unknownFormat(sample);
  return source;
}

/** The same of a file that was found in a folder; undefined where it holds no records. */
export async function openFolderFile(
  file: NamedFile,
  options: ReadingOptions,
): Promise<Source | undefined> {
  const sample = await sampleOf(file, options);
  if (isStoreFile(sample)) return undefined;
  const found = formats.filter(({ isNeverFound }) => isNeverFound !== true);
  return openSample(sample, found, options);
}

async function openSample(
  sample: FileSample,
  among: readonly FileFormat[],
  options: ReadingOptions,
): Promise<Source | undefined> {
  if (sample.head === '' && (await stat(sample.path)).size <= sampleBytes)
    return empty(sample.name);
  for (const format of among) {
    if (await format.recognises(sample, options)) return format.open(sample, options);
  }
  return undefined;
}

/** The blog that is written to may lie in the folder that is read. */
function isStoreFile({ head }: FileSample): boolean {
  return /^\{\s*"format"\s*:\s*"blogctl\//.test(head);
}

async function sampleOf(file: NamedFile, options: ReadingOptions): Promise<FileSample> {
  const extension = extname(withoutGz(file.name)).toLowerCase();
  return { ...file, extension, head: await headOf(file, options) };
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
  if (fileKind(name) === 'markup') {
    return new BlogctlError('unusable-input', `"${name}" is neither Markdown nor HTML.`, {
      hint: 'Convert it to one of them first, e.g. with pandoc.',
    });
  }
  return new BlogctlError('unusable-input', `"${name}" is in no format that can be imported.`, {
    hint: `Formats: a folder of Markdown (.md .mdx .markdown .html), ${formats.map((format) => format.name).join(', ')}.`,
  });
}
