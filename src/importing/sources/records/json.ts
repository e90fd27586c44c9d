import { BlogctlError } from '../../../errors.ts';
import type { FileFormat } from '../file-format.ts';
import { createJsonScanner } from './json-scanner.ts';
import { recordItself } from './json-record.ts';
import { listsOf } from './json-shape.ts';
import { parseJson } from './json-text.ts';
import { entryOfItem, unnamed } from './mapped-record.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions } from '../source.ts';
import { readUtf8 } from '../files/encoding.ts';
import { decodeUtf8 } from '../files/utf8.ts';

type JsonFile = {
  readonly path: string;
  readonly name: string;
  readonly list: readonly string[];
  readonly encoding?: string | undefined;
};

export type Piece = { readonly bytes: Buffer; readonly index: number; readonly offset: number };

/** The objects of one array in a JSON document. */
export const jsonDocument: FileFormat = {
  name: 'JSON',
  recognises: ({ head }) => head.startsWith('[') || head.startsWith('{'),
  open: async ({ path, name }, options) => {
    const { encoding } = options;
    const lists = options.list === undefined ? await listsOf(path, encoding) : [options.list];
    const list = chosenList(name, lists);
    const file = { path, name, list: list === '' ? [] : list.split('.'), encoding };
    const portionsOf = lists.length === 0 ? documentPortions : itemPortions;
    return { name, portions: () => portionsOf(file, options) };
  },
};

function chosenList(name: string, lists: readonly string[]): string {
  const [only, ...others] = lists;
  if (only === undefined) return '';
  if (others.length === 0) return only;
  throw new BlogctlError('unusable-input', `"${name}" holds ${lists.length} lists of records.`, {
    hint: `Choose one: ${lists.map((list) => `--list ${list}`).join(', ')}.`,
  });
}

async function* itemPortions(
  file: JsonFile,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  for await (const pieces of jsonItems(file)) {
    yield pieces.map((piece) => entryOfPiece(piece, file.name, options));
  }
}

async function* documentPortions(
  file: JsonFile,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  // Says where it breaks off.
  yield* itemPortions(file, options);
  yield await recordItself(file, options);
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
    item: (bytes, index, offset) => ready.push({ bytes, index, offset }),
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
    if (!(error instanceof Flaw)) throw error;
    throw new BlogctlError('unusable-input', `"${name}" is not whole JSON: ${error.message}`, {
      hint: 'Nothing after this place can be read. Repair the file, or import NDJSON, one record a line.',
      cause: error,
    });
  }
}

function entryOfPiece(
  { bytes, index, offset }: Piece,
  source: string,
  options: ReadingOptions,
): Entry {
  const place = { source, position: index + 1 };
  let text: string | undefined;
  try {
    text = decodeUtf8(bytes, offset);
    return entryOfItem({ place, value: parseJson(text) }, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', identity: unnamed(place), place, flaw: error, record: text };
  }
}
