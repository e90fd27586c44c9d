import type { Headers, Response } from './message.ts';

export type FieldLines = (response: Response, goesOn: boolean) => string[];

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
 * Makes of headers and the id of a response the flat list node:http takes, names and values in
 * turn; good until the next call. The list of headers that are sent again and again is made once.
 * Where the connection goes on, the client hears for how long (decisions 42).
 */
export function createFieldLines(keepAliveMs: number): FieldLines {
  const keepAlive = ['Keep-Alive', `timeout=${Math.floor(keepAliveMs / 1000)}`];
  const known = new WeakMap<Response['headers'], string[]>();
  const flatten = ({ headers, id }: Response, goesOn: boolean) => {
    const lines = Object.entries(headers).flat();
    if (goesOn && headers['Connection'] === undefined) lines.push(...keepAlive);
    if (id !== undefined) lines.push('X-Request-Id', id);
    return lines;
  };
  return (response, goesOn) => {
    const { headers, id } = response;
    const last = goesOn && id !== undefined ? known.get(headers) : undefined;
    const lines = last ?? flatten(response, goesOn);
    if (id === undefined || !goesOn) return lines;
    if (last === undefined) known.set(headers, lines);
    lines[lines.length - 1] = id;
    return lines;
  };
}
