import { BlogctlError } from '../../../errors.ts';
import type { FileFormat } from '../file-format.ts';
import { createJsonScanner } from './json-scanner.ts';
import { shapeOf } from './json-shape.ts';
import { membersOfJson, parseJson } from './json-text.ts';
import { entryOfItem, holdsText, unnamed } from './mapped-record.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions } from '../source.ts';
import { readWhole } from '../files/chunks.ts';
import { decodeRecord, decodeText, readUtf8 } from '../files/encoding.ts';

type JsonFile = {
  readonly path: string;
  readonly name: string;
  readonly list: readonly string[];
  readonly encoding?: string | undefined;
};

export type Piece = {
  readonly index: number;
  /** A Flaw where its bytes are in no encoding that they could have. */
  readonly text: () => string;
};

/** The objects of one array in a JSON document, or the document where it is the record itself. */
export const jsonDocument: FileFormat = {
  name: 'JSON',
  recognises: ({ head }) => head.startsWith('[') || head.startsWith('{'),
  open: async ({ path, name }, options) => {
    const { list: asked, encoding } = options;
    const { lists, isRecord } = await shapeOf(path, options);
    const isOne = asked === undefined && (isRecord || lists.length === 0);
    const list = asked ?? (isOne ? '' : chosenList(name, lists));
    const file = { path, name, list: list === '' ? [] : list.split('.'), encoding };
    return { name, portions: () => (isOne ? documentPortions : itemPortions)(file, options) };
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

/** An object without the members of a record is none. */
async function* documentPortions(
  file: JsonFile,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  // Says where it breaks off, and what is in a list of no objects.
  let isList = false;
  for await (const portion of itemPortions(file, options)) {
    isList = true;
    yield portion;
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
    if (!(error instanceof Flaw)) throw error;
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
    return entryOfItem({ place, value, members: () => membersOfJson(value, whole) }, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', identity: unnamed(place), place, flaw: error, record: text };
  }
}
