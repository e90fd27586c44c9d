import { readFile } from 'node:fs/promises';
import { decodeText } from '../files/encoding.ts';
import type { Portion, ReadingOptions } from '../source.ts';
import { Flaw } from '../source.ts';
import { parseJson } from './json-text.ts';
import { entryOfItem, holdsText } from './mapped-record.ts';

/**
 * A JSON document that holds no list because it is the record, as one line piped in or one article
 * that was saved; an object without the members of a record is none.
 */
export async function recordItself(
  { path, name }: { readonly path: string; readonly name: string },
  options: ReadingOptions,
): Promise<Portion> {
  const value = valueOf(decodeText(await readFile(path), options.encoding));
  if (!holdsText(value, options)) return [];
  return [entryOfItem({ place: { source: name, position: 1 }, value }, options)];
}

/** Nothing where it is not JSON, which is the scanner's to tell. */
function valueOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Flaw) return undefined;
    throw error;
  }
}
