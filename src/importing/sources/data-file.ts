import { stat } from 'node:fs/promises';
import { extname, dirname, join } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { ghostExport, jsonFeed } from './formats/json-exports.ts';
import { xmlFeed } from './formats/xml-feed.ts';
import {
  type FileFormat,
  type FileSample,
  type ReadingOptions,
  type Source,
  noticeOf,
  sourceReadAs,
  unsortedNotice,
  type Entry,
  type Batch,
} from './source.ts';
import { readStart } from './chunks.ts';
import { decodeSample } from './encoding.ts';
import {
  type FoundFile,
  type PassedOver,
  fileKind,
  rejectsKind,
  withoutGz,
  sampleBytes,
  unreadKind,
} from './file-kind.ts';
import { plainText, singlePost } from './formats/markdown.ts';
import { csvTable } from './formats/csv.ts';
import { jsonDocument } from './formats/json.ts';
import { jsonLines, rejectsFile } from './formats/ndjson.ts';
import { articleAddress } from './identity.ts';
import { holdsText, isObject } from './formats/mapped-record.ts';
import { inShell } from '../../terminal/text.ts';

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
  if (isStoreFile(sample)) throw isStore(sample);
  const source = await openSample(sample, formats, options);
  if (source === undefined) throw unknownFormat(sample);
  return source;
}

/** The same of a file that was found in a folder; undefined where it holds no records. */
async function openFolderFile(
  file: NamedFile,
  options: ReadingOptions,
): Promise<Source | undefined> {
  const sample = await sampleOf(file, options);
  if (isStoreFile(sample) || (await rejectsFile.recognises(sample, options))) return undefined;
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
    if (await format.recognises(sample, options))
      return sourceReadAs(await format.open(sample, options), options);
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
  return { name, async *batches() {} };
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

/** Its lines are versions, old and deleted ones among them. */
function isStore({ name }: FileSample): BlogctlError {
  const store = name === 'stdin' ? 'file:<store>' : inShell(`file:${name}`);
  return new BlogctlError(
    'unusable-input',
    `"${name}" is a store of blogs, with versions that are older or deleted.`,
    {
      hint: `Send what its blog shows: blogctl articles export - --blog ${store} | blogctl articles import -.`,
    },
  );
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

/**
 * The records of a file that was found in a folder, where it is one of articles: its format is known
 * and its first records have a title or content. Other files are passed over, for they may belong to
 * anything.
 */
export async function* folderDataBatches(
  found: FoundFile,
  options: ReadingOptions,
  passedOver: PassedOver,
): AsyncGenerator<Batch, void, void> {
  const { path } = found.file;
  try {
    let holdsArticles = false;
    for await (const entries of entriesOf(found, options)) {
      if (!holdsArticles) {
        holdsArticles = entries.some((entry) => !isOfNoArticle(entry, options));
        if (!holdsArticles && entries.length > 0) break;
        if (holdsArticles && options.sort === 'date') yield [unsortedNotice(path, options.sort)];
      }
      yield entries;
    }
    if (!holdsArticles) passedOver.add(path, await kindOfRejects(found, options));
  } catch (error) {
    if (!needsChoice(error)) throw error;
    const message = `${error.message} It is passed over. ${error.hint ?? ''}`.trim();
    yield [noticeOf(path, 'unclear-file', message)];
  }
}

async function* entriesOf(
  { set, file }: FoundFile,
  options: ReadingOptions,
): AsyncGenerator<readonly Entry[], void, void> {
  const path = join(set.folder, file.path);
  const source = await openFolderFile({ path, name: file.path }, options);
  if (source === undefined) return;
  for await (const batch of source.batches()) {
    yield Array.from(batch, (entry) => withWholeAddress(entry, dirname(path)));
  }
}

async function kindOfRejects({ set, file }: FoundFile, options: ReadingOptions) {
  const sample = await sampleOf({ path: join(set.folder, file.path), name: file.path }, options);
  return (await rejectsFile.recognises(sample, options)) ? rejectsKind : undefined;
}

/** Which list, which columns, how to unpack: what is broken has a cause, and stops the import. */
function needsChoice(error: unknown): error is BlogctlError {
  const isUnusable = error instanceof BlogctlError && error.code === 'unusable-input';
  return isUnusable && error.cause === undefined;
}

function isOfNoArticle(entry: Entry, options: ReadingOptions): boolean {
  if (entry.kind !== 'reject' || !isObject(entry.record)) return false;
  return !holdsText(entry.record, options);
}

/** The path in a `file:` address begins in the folder of the file that says it. */
function withWholeAddress(entry: Entry, folder: string): Entry {
  if (entry.kind !== 'record' || entry.article === undefined) return entry;
  return { ...entry, article: articleAddress(entry.article, folder) };
}
