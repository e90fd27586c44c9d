import { readUtf8, type Encoding } from '../files/encoding.ts';

import { createJsonScanner, type JsonScanner } from './json-scanner.ts';
import { Flaw } from '../source.ts';

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

/**
 * The arrays of objects in a JSON document, by the members that lead there: `posts`,
 * `result.items`; an empty name is the document itself. Lists inside of lists do not count.
 */
export async function listsOf(path: string, encoding: Encoding): Promise<readonly string[]> {
  const found = new Set<string>();
  const scanner: JsonScanner = createJsonScanner({
    opened: (where, _kind, parent) => {
      if (parent === 'array') found.add(where.slice(0, -1).join('.'));
      return parent === 'array' || where.length > deepestList ? 'nothing' : 'inside';
    },
    item: () => undefined,
  });
  for await (const chunk of readUtf8(path, encoding)) {
    if (!scans(() => scanner.write(chunk))) break;
  }
  return [...found];
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
