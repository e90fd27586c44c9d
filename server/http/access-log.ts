import type { App, Request, Response } from './message.ts';

/** What a line of the access log tells; headers are not in it, and no token, wherever it was put. */
type Entry = {
  readonly method: string;
  readonly path: string;
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly id: string;
};

type RequestLog = {
  /** Takes one line; absent = no log. */
  readonly put?: ((line: string) => void) | undefined;
  readonly format: (entry: Entry) => string;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  readonly newId: () => string;
  /** A token of somebody's choice, by which nobody could tell that it is one. */
  readonly secret?: string | undefined;
};

/**
 * Gives each exchange an id, the client's own where it sent one, and writes one line about it; none
 * about a health that is good.
 */
export function withRequestLog(app: App, log: RequestLog): App {
  const { put, format, elapsed, newId, secret = '' } = log;
  const hide = hiding(secret);
  const finish = (request: Request, response: Response, { id, ms }: LogEntry): Response => {
    const { status, headers, body, lines } = response;
    const { method } = request;
    const path = hide(request.target);
    // Asked every second by a balancer: only what it should act on is worth a line.
    if (!isHealth(path) || status !== 200)
      put?.(format({ method, path, status, bytes: body.length, ms, id }));
    return status === 0 ? response : { status, headers, body, lines, id };
  };
  return (request) => {
    const id = ownId(request) ?? newId();
    const answer = app(request);
    // What is ready at once took no time; to look at the clock would take longer.
    if (!(answer instanceof Promise)) return finish(request, answer, { id, ms: 0 });
    const startedAt = elapsed();
    return answer.then((response) => {
      const ms = Math.round((elapsed() - startedAt) * 10) / 10;
      return finish(request, response, { id, ms });
    });
  };
}

/** What a balancer asks, or who waits until the service is there; also in the absolute form. */
export function isHealth(target: string): boolean {
  return target === '/health' || /^https?:\/\/[^/?#]+\/health$/i.test(target);
}

/** A shorter one is found in other words, too. */
const shortestSecret = 8;

/** One mark of a target, escaped or not, and that any number of times. */
const writtenMark = /%(?:25)*[\da-f]{2}|[^]/gi;

function marksOf(target: string): readonly string[] {
  return target.match(writtenMark) ?? [];
}

function readAs(marks: readonly string[]): string {
  const plain = (each: string) =>
    each.length === 1 ? each : String.fromCharCode(Number.parseInt(each.slice(-2), 16));
  return marks.map(plain).join('');
}

/** Masks tokens of ours and the chosen one by what is read there, in whatever way it was escaped. */
export function hiding(secret = ''): (target: string) => string {
  const chosen = readAs(marksOf(secret)).replaceAll(/[^\w]/g, String.raw`\$&`);
  const isLong = secret.length >= shortestSecret;
  const tokens = new RegExp(isLong ? `${chosen}|bct_\\w+` : String.raw`bct_\w+`, 'g');
  const masked = (token: string) => (token.startsWith('bct_') ? 'bct_***' : '***');
  return (target) => {
    if (!target.includes('%')) return target.replace(tokens, masked);
    const marks = marksOf(target);
    let [shown, at] = ['', 0];
    for (const { 0: token, index } of readAs(marks).matchAll(tokens)) {
      shown += marks.slice(at, index).join('') + masked(token);
      at = index + token.length;
    }
    return shown + marks.slice(at).join('');
  };
}

type LogEntry = { readonly id: string; readonly ms: number };

function ownId({ id }: Request): string | undefined {
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

export function textLine({ method, path, status, bytes, ms, id }: Entry): string {
  return `${method} ${printable(path)} ${status || '-'} ${bytes} ${ms}ms ${id}`;
}

/** `now` in milliseconds since the epoch; many requests share one. */
export function jsonLines(now: () => number): (entry: Entry) => string {
  let last = Number.NaN;
  let time = '';
  return ({ method, path, status, bytes, ms, id }) => {
    const at = now();
    if (at !== last) [last, time] = [at, new Date(at).toISOString()];
    const texts = `"id":${quoted(id)},"path":${quoted(path)}`;
    return `{"time":"${time}","method":"${method}","status":${status},"bytes":${bytes},"ms":${ms},${texts}}`;
  };
}

function quoted(text: string): string {
  return text.length <= longest && !unquotable.test(text)
    ? `"${text}"`
    : JSON.stringify(printable(text));
}

/** A stranger's text in a log is one word of visible ASCII, whatever it was. */
function printable(text: string): string {
  if (text.length <= longest && !invisible.test(text)) return text;
  const start = text.length > longest ? `${text.slice(0, longest)}...` : text;
  return start.replaceAll(invisibles, (mark) => `\\u${hex(mark)}`);
}

const longest = 500;
const invisible = /[^\x21-\x7e]/;
const unquotable = /[^\x21\x23-\x5b\x5d-\x7e]/;
const invisibles = /[^\x21-\x7e]/g;

function hex(mark: string): string {
  return mark.charCodeAt(0).toString(16).padStart(4, '0');
}

type GatheredLines = {
  /** Takes a line of ASCII. */
  readonly put: (line: string) => void;
  /** Writes what waits, at once. */
  readonly flush: () => void;
};

const gatherMs = 20;
const roomBytes = 64 * 1024;
const lineFeed = 10;

/**
 * Lets lines leave together: a write for each would cost more than the answer it tells of. They wait
 * as bytes: a thousand short strings would be copied by every collection of garbage meanwhile.
 */
export function gatherLines(write: (lines: string) => void): GatheredLines {
  const waiting = Buffer.alloc(roomBytes);
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    const lines = waiting.toString('latin1', 0, length - 1);
    length = 0;
    write(lines);
  };
  return {
    put(line) {
      if (line.length >= roomBytes - length) flush();
      if (length === 0) setTimeout(flush, gatherMs);
      length += waiting.write(line, length, 'latin1');
      waiting[length] = lineFeed;
      length += 1;
    },
    flush,
  };
}
