import type { Headers, Response } from './message.ts';

/**
 * Headers from Node's raw list of names and values: Node's own reading drops the second of two
 * Host or Content-Type fields without a word. Joined, the pair is what it is: malformed.
 */
export function headersOf(raw: readonly string[]): Headers {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/**
 * Headers and the id of a response as the flat list node:http takes, names and values in turn. The
 * list of headers that are sent again and again is made once.
 */
export function linesOf({ headers, id }: Response): string[] {
  const lines = known.get(headers) ?? flatten(headers);
  return id === undefined ? lines.slice() : lines.concat('X-Request-Id', id);
}

const known = new WeakMap<Response['headers'], string[]>();

function flatten(headers: Response['headers']): string[] {
  const lines = Object.entries(headers).flat();
  known.set(headers, lines);
  return lines;
}
