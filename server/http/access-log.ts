import type { App, Request, Response } from './message.ts';

/** What a line of the access log tells; headers, and so tokens, are never in it. */
export type Entry = {
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly id: string;
};

export type RequestLog = {
  /** Takes one line, or several joined by line ends, when there is time; absent = no log. */
  readonly write?: ((lines: string) => void) | undefined;
  readonly format: (entry: Entry) => string;
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number;
  readonly newId: () => string;
};

/** Gives each exchange an id, the client's own where it sent one, and writes one line about it. */
export function withRequestLog(app: App, { write, format, now, newId }: RequestLog): App {
  const put = write === undefined ? undefined : gathered(write);
  return async (request) => {
    const startedAt = now();
    const id = idOf(request) ?? newId();
    const response = await app(request);
    put?.(format(entryOf(request, response, { id, startedAt, endedAt: now() })));
    if (response.status === 0) return response;
    return { ...response, headers: { ...response.headers, 'X-Request-Id': id } };
  };
}

function idOf({ headers }: Request): string | undefined {
  const id = headers['x-request-id'];
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

type Run = { readonly id: string; readonly startedAt: number; readonly endedAt: number };

function entryOf(request: Request, response: Response, { id, startedAt, endedAt }: Run): Entry {
  return {
    time: new Date(startedAt).toISOString(),
    method: request.method,
    path: request.target,
    status: response.status,
    bytes: response.body.length,
    ms: Math.round((endedAt - startedAt) * 10) / 10,
    id,
  };
}

export function textLine({ method, path, status, bytes, ms, id }: Entry): string {
  return [printable(method), printable(path), status || '-', bytes, `${ms}ms`, id].join(' ');
}

export function jsonLine(entry: Entry): string {
  return JSON.stringify({ ...entry, path: printable(entry.path) });
}

/** A stranger's text in a log is one word of visible ASCII, whatever it was. */
function printable(text: string): string {
  if (text.length <= longest && !invisible.test(text)) return text;
  const start = text.length > longest ? `${text.slice(0, longest)}...` : text;
  return start.replaceAll(invisibles, (mark) => `\\u${hex(mark)}`);
}

const longest = 500;
const invisible = /[^\x21-\x7e]/;
const invisibles = /[^\x21-\x7e]/g;

function hex(mark: string): string {
  return mark.charCodeAt(0).toString(16).padStart(4, '0');
}

/** Lines of one turn of the event loop leave together: a write each would cost more than the work. */
function gathered(write: (lines: string) => void): (line: string) => void {
  const waiting: string[] = [];
  return (line) => {
    if (waiting.push(line) > 1) return;
    setImmediate(() => write(waiting.splice(0).join('\n')));
  };
}
