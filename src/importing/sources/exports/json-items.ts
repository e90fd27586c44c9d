import type { Member } from '../publicity-signs.ts';
import { membersOfJson, parseJson } from '../records/json-text.ts';
import { jsonItems, type Piece } from '../records/json.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions } from '../source.ts';
import { entryOfItem, type ExportItem } from './export-item.ts';

export type JsonObject = ReadonlyMap<string, unknown>;

/** What an object of an export means; `members` holds those too whose names stand twice. */
type ItemOf = (value: JsonObject, members: readonly Member[]) => ExportItem;

type JsonList = { readonly path: string; readonly name: string; readonly list: readonly string[] };

/** The entries of one list of a JSON document; `itemOf` knows what its objects mean. */
export async function* exportPortions(
  file: JsonList,
  itemOf: ItemOf,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  const { encoding } = options;
  for await (const pieces of jsonItems({ ...file, encoding })) {
    yield pieces.map((piece) => entryOfPiece(piece, file.name, { itemOf, options }));
  }
}

function entryOfPiece(
  { index, text }: Piece,
  source: string,
  { itemOf, options }: { itemOf: ItemOf; options: ReadingOptions },
): Entry {
  const place = { source, position: index + 1 };
  let record: string | undefined;
  try {
    record = text();
    const value = parseJson(record);
    return entryOfItem(itemOf(objectOf(value), membersOfJson(value, record)), place, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', place, flaw: error, record };
  }
}

/** The objects of a list that can be read; others are left to whoever needs them. */
export async function* jsonObjects(
  file: JsonList,
  { encoding }: ReadingOptions,
): AsyncGenerator<JsonObject, void, void> {
  for await (const pieces of jsonItems({ ...file, encoding })) {
    for (const piece of pieces) {
      const value: unknown = parsed(piece);
      if (typeof value === 'object' && value !== null) yield new Map(Object.entries(value));
    }
  }
}

function parsed({ text }: Piece): unknown {
  try {
    return parseJson(text());
  } catch (error) {
    if (error instanceof Flaw) return undefined;
    throw error;
  }
}

function objectOf(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value));
  throw new Flaw('syntax', `Not an object but ${JSON.stringify(value).slice(0, 40)}.`);
}

export function textMember(object: JsonObject, name: string): string | undefined {
  const value = object.get(name);
  return typeof value === 'string' ? value : undefined;
}
