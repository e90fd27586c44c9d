import { BlogctlError } from '../../../errors.ts';
import {
  ValidationError,
  rejectOf,
  sourceReadAs,
  type FileFormat,
  type Entry,
  type Batch,
  type ReadingOptions,
} from '../source.ts';
import { createJsonScanner } from './json-scanner.ts';
import { membersOfJson, parseJson, entryOfRecord, holdsText, unnamed } from './mapped-record.ts';
import { readWhole } from '../chunks.ts';
import { decodeRecord, decodeText, readUtf8, type Encoding } from '../encoding.ts';
import { draftIn } from './export-item.ts';
import { inShell } from '../../../terminal/text.ts';

type JsonFile = {
  readonly path: string;
  readonly name: string;
  readonly list: readonly string[];
  readonly encoding?: string | undefined;
};

export type Piece = {
  readonly index: number;
  /** A ValidationError where its bytes are in no encoding that they could have. */
  readonly text: () => string;
};

/** The objects of one array in a JSON document, or the document where it is the record itself. */
export const jsonDocument: FileFormat = {
  name: 'JSON',
  recognises: ({ head }) => head.startsWith('[') || head.startsWith('{'),
  open: async ({ path, name }, options) => {
    const { list: asked, encoding } = options;
    const { lists, isRecord } = await shapeOf(path, options);
    const isOther = asked !== undefined && !lists.includes(asked) && (isRecord || lists.length > 0);
    if (isOther && !(await hasList(path, asked.split('.'), encoding)))
      throw noSuchList(name, asked, lists);
    const isOne = asked === undefined && (isRecord || lists.length === 0);
    const list = asked ?? (isOne ? '' : chosenList(name, lists));
    const file = { path, name, list: list === '' ? [] : list.split('.'), encoding };
    const isOfDrafts = draftIn(`${list.split('.').at(-1)}/`) !== undefined;
    const sign = { key: 'draft', name: list, value: true };
    const beside = isOfDrafts ? [...(options.beside ?? []), sign] : options.beside;
    const batches = isOne ? documentBatches : itemBatches;
    const read = { ...options, ...(beside && { beside }) };
    return sourceReadAs({ name, batches: () => batches(file, read) }, read);
  },
};

/** Of the others nothing would be read, without a word. */
function noSuchList(name: string, asked: string, lists: readonly string[]): BlogctlError {
  const there = lists.filter((list) => list !== '').map((list) => `--list ${inShell(list)}`);
  return new BlogctlError('unusable-input', `"${name}" has no list "${asked}".`, {
    hint: there.length === 0 ? 'It is read without --list.' : `There is: ${there.join(', ')}.`,
  });
}

function chosenList(name: string, lists: readonly string[]): string {
  const [only, ...others] = lists;
  if (only === undefined) return '';
  if (others.length === 0) return only;
  throw new BlogctlError('unusable-input', `"${name}" holds ${lists.length} lists of records.`, {
    hint: `Choose one: ${lists.map((list) => `--list ${inShell(list)}`).join(', ')}.`,
  });
}

async function* itemBatches(
  file: JsonFile,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  for await (const pieces of jsonItems(file)) {
    yield pieces.map((piece) => entryOfPiece(piece, file.name, options));
  }
}

/** An object without the members of a record is none. */
async function* documentBatches(
  file: JsonFile,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  // Says where it breaks off, and what is in a list of no objects.
  let isList = false;
  for await (const batch of itemBatches(file, options)) {
    isList = true;
    yield batch;
  }
  if (isList) return;
  const bytes = await readWhole(file.path);
  const whole = { index: 0, text: () => decodeText(bytes, file.encoding) };
  const entry = entryOfPiece(whole, file.name, options);
  const isRead = entry.kind === 'reject' && typeof entry.record === 'object';
  if (!isRead || holdsText(entry.record, options)) yield [entry];
}

/** The items of the array that `list` leads to, in order, as bytes: those that end in one chunk. */
export async function* jsonItems(file: JsonFile): AsyncGenerator<readonly Piece[], void, void> {
  const { list } = file;
  let ready: Piece[] = [];
  const wanted = JSON.stringify(list);
  const scanner = createJsonScanner({
    opened: (where, kind) => {
      if (kind === 'array' && JSON.stringify(where) === wanted) return 'items';
      return where.every((member, depth) => member === list[depth]) ? 'inside' : 'nothing';
    },
    item: (bytes, index, offset) =>
      ready.push({ index, text: () => decodeRecord(bytes, file.encoding, offset) }),
  });
  for await (const chunk of readUtf8(file.path, file.encoding)) {
    locally(file.name, () => scanner.write(chunk));
    if (ready.length > 0) yield ready;
    ready = [];
  }
  locally(file.name, () => scanner.end());
}

function locally(name: string, scan: () => void): void {
  try {
    scan();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new BlogctlError('unusable-input', `"${name}" is not whole JSON: ${error.message}`, {
      hint: 'Nothing after this place can be read. Repair the file, or import NDJSON, one record a line.',
      cause: error,
    });
  }
}

function entryOfPiece(
  { index, text: textOf }: Piece,
  source: string,
  options: ReadingOptions,
): Entry {
  const place = { source, position: index + 1 };
  let text: string | undefined;
  try {
    text = textOf();
    const [value, whole] = [parseJson(text), text];
    return entryOfRecord({ place, value, members: () => membersOfJson(value, whole) }, options);
  } catch (error) {
    return rejectOf(error, { identity: unnamed(place), place, record: text });
  }
}

/** Deeper than this a list belongs to something else than the document. */
const deepestList = 3;
const newline = 0x0a;

/**
 * Whether a file holds one JSON object a line rather than one document: its first line is complete
 * and something follows. JSON allows no newline inside a string, so this cannot be mistaken.
 */
export async function holdsJsonLines(path: string, encoding: Encoding): Promise<boolean> {
  const first = createJsonScanner({ opened: () => 'nothing', item: () => undefined });
  let complete = false;
  for await (const chunk of readUtf8(path, encoding)) {
    if (complete && !isBlank(chunk)) return true;
    const end = complete ? -1 : lineEnd(chunk);
    if (!complete && !scans(() => first.write(chunk.subarray(0, end === -1 ? undefined : end)))) {
      return false;
    }
    if (end === -1) continue;
    complete = scans(() => first.end());
    if (!complete) return false;
    if (!isBlank(chunk.subarray(end))) return true;
  }
  return false;
}

export type Shape = {
  /**
   * The arrays of objects, by the members that lead there: `posts`, `result.items`; an empty name
   * is the document itself. Lists inside of lists do not count, nor the links of HAL.
   */
  readonly lists: readonly string[];
  /** The document has the members of one record itself. */
  readonly isRecord: boolean;
};

/** What a JSON document holds, by these members of a record. */
export async function shapeOf(
  path: string,
  { map, encoding }: Pick<ReadingOptions, 'map' | 'encoding'>,
): Promise<Shape> {
  const lists = new Set<string>();
  const values = new Set<string>();
  const scanner = createJsonScanner({
    opened: (where, _kind, parent) => {
      values.delete(where.join('.'));
      if (parent === 'array') lists.add(where.slice(0, -1).join('.'));
      const isOther = parent === 'array' || where.length > deepestList || where.at(-1) === '_links';
      return isOther ? 'nothing' : 'inside';
    },
    named: (where) => values.add(where.join('.')),
    item: () => undefined,
  });
  for await (const chunk of readUtf8(path, encoding)) {
    if (!scans(() => scanner.write(chunk))) break;
  }
  return { lists: [...lists], isRecord: values.has(map.title) && values.has(map.content) };
}

/** Whether that path of members leads to an array. */
export async function hasList(
  path: string,
  list: readonly string[],
  encoding: Encoding,
): Promise<boolean> {
  let found = false;
  const scanner = createJsonScanner({
    opened: (where, kind) => {
      found ||= kind === 'array' && where.join('\n') === list.join('\n');
      return where.every((name, depth) => name === list[depth]) ? 'inside' : 'nothing';
    },
    item: () => undefined,
  });
  for await (const chunk of readUtf8(path, encoding)) {
    if (!scans(() => scanner.write(chunk)) || found) break;
  }
  return found;
}

/** The newline that ends the first line with something on it; -1 where there is none. */
function lineEnd(chunk: Buffer): number {
  let end = chunk.indexOf(newline);
  while (end !== -1 && isBlank(chunk.subarray(0, end))) end = chunk.indexOf(newline, end + 1);
  return end;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

function scans(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof ValidationError) return false;
    throw error;
  }
}
