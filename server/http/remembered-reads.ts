import { isWhole } from '../representations/representation.ts';
import { type App, type Request, type Response, whenAnswered } from './message.ts';

type Remembered = { readonly version: number; readonly response: Response };

/** Some ten thousand articles of usual length, and their pages. */
const mostBytes = 48 * 1024 * 1024;
/** What is kept of a read beside its body and what was asked. */
const objectBytes = 1024;

/**
 * The fields of a request that an answer to a read can depend on. What the others say makes no
 * difference, and many clients put an id or a date of their own into each request.
 */
export const fieldsOfReads: ReadonlySet<string> = new Set([
  'accept',
  'access-control-request-method',
  'content-length',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'origin',
  'transfer-encoding',
]);

/**
 * Answers a read again as it was answered before, as long as nothing that can be read has changed:
 * of two requests that ask for the same in the same way the second needs no check that the first
 * passed. For apps whose answers to reads depend on nothing but target, the fields above and what
 * `version` counts of that target.
 */
export function withRememberedReads(
  app: App,
  version: (target: string) => number | Promise<number>,
): App {
  const known = new Map<string, Remembered | undefined>();
  let bytes = 0;
  let isSlow = false;
  const note = (asked: string, remembered?: Remembered) => {
    if (bytes > mostBytes) {
      known.clear();
      bytes = 0;
    }
    bytes += asked.length + objectBytes + (remembered?.response.body.length ?? 0);
    bytes -= known.get(asked)?.response.body.length ?? 0;
    known.set(asked, remembered);
  };
  return (request) => {
    const asked = whatIsAsked(request);
    if (asked === undefined) return app(request);
    const read = (now: number) => {
      const last = known.get(asked);
      if (last?.version === now) return last.response;
      return whenAnswered(app(request), (response) => {
        if (isWorthIt(response)) note(asked, { version: now, response });
        return response;
      });
    };
    // What takes time to ask is asked for what was read before, and else only noted.
    if (isSlow && !known.has(asked)) {
      note(asked);
      return app(request);
    }
    const now = version(request.target);
    isSlow = typeof now !== 'number';
    return typeof now === 'number' ? read(now) : now.then(read);
  };
}

/** What a read asks for; undefined for what is no read, or came without the lines of its header. */
function whatIsAsked({ method, target, lines }: Request): string | undefined {
  if (method !== 'GET' || lines === undefined) return undefined;
  let asked = target;
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase();
    if (fieldsOfReads.has(name)) asked += `\n${name}:${lines[at + 1]}`;
  }
  return asked;
}

/** A refusal is no read, and a body of many megabytes would push all others out. */
function isWorthIt({ status, headers, body }: Response): boolean {
  const isRead = (status === 200 || status === 304) && headers['Cache-Control'] !== 'no-store';
  return isRead && isWhole(body) && body.length < mostBytes / 4;
}
