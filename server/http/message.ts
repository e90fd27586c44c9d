import { Refusal } from '../errors.ts';
import { type Body, wholeOf } from '../representations/representation.ts';
import { isUtf8 } from 'node:buffer';

/** Field names in lower case; a field sent twice is joined with ", " (RFC 9110, 5.3). */
export type Headers = Readonly<Record<string, string | undefined>>;

/** One request in plain values: nothing here knows a socket. */
export type Request = {
  readonly method: string;
  /** As it stood in the request line: path and query, an absolute URL, or `*`. */
  readonly target: string;
  readonly headers: Headers;
  /** Address of the one who is connected; empty within the process. */
  readonly peer: string;
  /** Scheme, address and port that it came to, whatever it says of them; absent within the process. */
  readonly receivedAt?: string | undefined;
  /** The client's own name for this exchange (X-Request-Id). */
  readonly id?: string | undefined;
  /** Names and values of the header in turn, as they were sent; absent within the process. */
  readonly lines?: readonly string[] | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** The whole body. Refuses when it is longer than `limitBytes` or breaks off. */
  body(limitBytes: number): Promise<Uint8Array>;
};

export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The name of this exchange, sent as X-Request-Id; apart, because all else can be sent again. */
  readonly id?: string;
  /** Of what it shows, where a store told it with what was read. */
  readonly version?: number | undefined;
  /** The names and values of `headers` in turn, for those that are sent again and again. */
  readonly lines?: readonly string[] | undefined;
};

/** Answers at once where the answer is known, else when it is. */
export type App = (request: Request) => Response | Promise<Response>;

/** Goes on with an answer, at once where it is there. */
export function whenAnswered<Result>(
  answer: Response | Promise<Response>,
  go: (response: Response) => Result,
): Result | Promise<Result> {
  return answer instanceof Promise ? answer.then(go) : go(answer);
}

export const noBody: Uint8Array = new Uint8Array(0);

/** Says that the connection ends without an answer; only where somebody asked for such faults. */
export const noAnswer: Response = { status: 0, headers: {}, body: noBody };

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
 * turn. Where the connection goes on, the client hears for how long (decisions 42).
 */
export function createFieldLines(keepAliveMs: number): FieldLines {
  const keepAlive = ['Keep-Alive', `timeout=${Math.floor(keepAliveMs / 1000)}`];
  const none: readonly string[] = [];
  return ({ headers, lines = linesOf(headers), id }, goesOn) => {
    const kept = goesOn && headers['Connection'] === undefined ? keepAlive : none;
    return id === undefined ? [...lines, ...kept] : [...lines, ...kept, 'X-Request-Id', id];
  };
}

/** Names and values in turn. */
export function linesOf(headers: Response['headers']): readonly string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  return lines;
}

/** A request that never sees a socket: absolute URL, field names in lower case. */
export type PlainRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
};

export type PlainResponse = {
  readonly status: number;
  /** Field names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** Lets a caller in this process use an app as if it were sent over HTTP. */
export function inProcess(app: App): (request: PlainRequest) => Promise<PlainResponse> {
  return async ({ method, url: target, headers, body = new Uint8Array(0), signal }) => {
    const response = await app({
      method,
      target,
      headers: { host: new URL(target).host, ...headers },
      id: headers['x-request-id'],
      peer: '',
      signal,
      body: async (limitBytes) => {
        if (body.length <= limitBytes) return body;
        throw new Refusal('payload-too-large', `A body has at most ${limitBytes} bytes.`);
      },
    });
    const { status, headers: own } = response;
    return { status, headers: inLowerCase(own), body: await wholeOf(response.body) };
  };
}

function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const fields = Object.entries(headers);
  return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
}

type ParsedTarget = {
  /** The authority of an absolute-form target, which outranks Host (RFC 9112, 3.2.2). */
  readonly authority: string | undefined;
  /** Exactly as sent, escapes included; `*` for the server as a whole. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
};

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Takes a request target apart by hand: a URL parser would read `//host/path` as another host
 * and resolve `/../` (decisions 40). A bad escape is refused.
 */
export function readTarget(target: string): ParsedTarget {
  const absolute = absoluteForm.exec(target);
  const rest = absolute === null ? target : originForm(absolute[2] ?? '');
  if (rest !== '*' && !rest.startsWith('/')) {
    throw new Refusal('bad-request', 'The request target must be a path or an http URL.');
  }
  if (rest.includes('%') && !isWellEscaped(rest)) {
    throw new Refusal('bad-request', 'The request target has an escape that is not UTF-8 in %XX.');
  }
  return { authority: absolute?.[1], ...splitQuery(rest) };
}

function originForm(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isWellEscaped(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false;
  const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return runs.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}

function splitQuery(rest: string): { path: string; query: string } {
  const mark = rest.indexOf('?');
  if (mark === -1) return { path: rest, query: '' };
  return { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}
