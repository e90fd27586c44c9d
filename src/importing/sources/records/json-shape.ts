import { readUtf8, type Encoding } from '../files/encoding.ts';

import { createJsonScanner } from './json-scanner.ts';
import { Flaw, type ReadingOptions } from '../source.ts';

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
    if (error instanceof Flaw) return false;
    throw error;
  }
}
