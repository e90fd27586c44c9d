import { isWhole } from '../representations/representation.ts';
import type { Subject } from '../store/store.ts';
import { type App, linesOf, type Request, type Response, whenAnswered } from './message.ts';

/** What a target shows, as far as the cache has to know. */
type Subjects = {
  readonly subjectOf: (target: string) => Subject | undefined;
  /** Another number for each change of it; of anything that can be read, where it is undefined. */
  readonly version: (subject: Subject | undefined) => number | Promise<number>;
};

/** One object, with all that is needed to send it again: thousands of them are in no fast memory. */
type Cached = Response & {
  readonly subject: Subject | undefined;
  readonly version: number;
};

/** By target and conditions. */
type Responses = Map<string, Cached>;

/** The responses to requests with equal selecting fields. */
type Selected = { readonly fields: readonly string[]; readonly responses: Responses };

/** Some ten thousand articles of usual length, and their pages. */
const mostBytes = 48 * 1024 * 1024;
/** Targets, to know which of them is asked for again. */
const mostAsked = 16_384;
/** Characters; whoever invents targets must not fill the memory. */
const longestAsked = 512;
/** What is kept of a read beside its body and what was asked. */
const objectBytes = 1024;

/** Most clients send these with the same values each time. */
const selectingFields: ReadonlySet<string> = new Set([
  'accept',
  'access-control-request-method',
  'content-length',
  'expect',
  'host',
  'origin',
  'transfer-encoding',
]);

const conditions: ReadonlySet<string> = new Set([
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
]);

/**
 * The fields of a request that an answer to a read can depend on. What the others say makes no
 * difference, and many clients put an id or a date of their own into each request.
 */
export const fieldsOfReads: ReadonlySet<string> = new Set([...selectingFields, ...conditions]);

/**
 * Answers a read again as it was answered before, as long as nothing that it shows has changed: of
 * two requests that ask for the same in the same way the second needs no check that the first
 * passed. For apps whose answers to reads depend on nothing but target, the fields above and what
 * is counted of the target's subject. Where to ask for a version takes time, it is asked for what is
 * known alone, and answers tell their own.
 */
export function withResponseCache(app: App, { subjectOf, version }: Subjects): App {
  const fields: string[] = [];
  const cache = new ResponseCache();
  let isTold = false;
  const readAnew = (request: Request, place: CacheKey, now?: number) =>
    whenAnswered(app(request), (response) => {
      const of = now ?? response.version;
      return of !== undefined && isWorthIt(response) ? cache.keep(place, response, of) : response;
    });
  return (request) => {
    const key = keyOf(request, fields);
    if (key === undefined) return app(request);
    const responses = cache.select(fields);
    const known = responses.get(key);
    if (isTold && known === undefined && cache.isNew(key)) return app(request);
    const subject = known === undefined ? subjectOf(request.target) : known.subject;
    const place = { responses, key, subject };
    if (isTold && known === undefined) return readAnew(request, place);
    const now = version(subject);
    if (known !== undefined && known.version === now) return known;
    if (typeof now === 'number') return readAnew(request, place, now);
    isTold = true;
    return now.then(
      (then) => (known?.version === then ? known : readAnew(request, place)),
      // What keeps the version from being read is the app's to tell.
      () => app(request),
    );
  };
}

/** Where a response is kept. */
type CacheKey = {
  readonly responses: Responses;
  readonly key: string;
  readonly subject: Subject | undefined;
};

class ResponseCache {
  readonly #selected = new Map<string, Selected>();
  /** Clients send what they sent before, and to compare it costs less than to look it up. */
  #last = nobody;
  #bytes = 0;
  readonly #asked = new Set<string>();

  /** Names and values in turn. */
  select(fields: readonly string[]): Responses {
    if (isSame(fields, this.#last.fields)) return this.#last.responses;
    const name = fields.join('\n');
    const known = this.#selected.get(name);
    this.#last = known ?? { fields: [...fields], responses: new Map() };
    if (known === undefined) {
      this.#take(name.length + objectBytes);
      this.#selected.set(name, this.#last);
    }
    return this.#last.responses;
  }

  /** Not asked for of late: what is asked for once is not worth its memory. */
  isNew(key: string): boolean {
    if (this.#asked.has(key)) return false;
    if (key.length > longestAsked) return true;
    if (this.#asked.size >= mostAsked) this.#asked.clear();
    this.#asked.add(key);
    return true;
  }

  keep({ responses, key, subject }: CacheKey, response: Response, version: number): Response {
    const { status, headers, body } = response;
    const lines = linesOf(headers);
    const cached: Cached = { status, headers, body, lines, subject, version };
    const before = responses.get(key);
    if (before === undefined) this.#take(key.length + body.length + objectBytes);
    else this.#take(body.length - before.body.length);
    responses.set(key, cached);
    return cached;
  }

  #take(bytes: number): void {
    if (this.#bytes > mostBytes) {
      this.#bytes = 0;
      this.#last = nobody;
      this.#selected.clear();
    }
    this.#bytes += bytes;
  }
}

/** Has a field that no request has. */
const nobody: Selected = { fields: [''], responses: new Map() };

function isSame(fields: readonly string[], others: readonly string[]): boolean {
  if (fields.length !== others.length) return false;
  for (let at = 0; at < fields.length; at += 1) if (fields[at] !== others[at]) return false;
  return true;
}

/**
 * Target and conditions of a read, with its selecting fields in `into`; undefined for what is no
 * read, or came without the lines of its header.
 */
function keyOf({ method, target, lines }: Request, into: string[]): string | undefined {
  if (method !== 'GET' || lines === undefined) return undefined;
  let key = target;
  into.length = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase();
    const value = lines[at + 1] ?? '';
    if (selectingFields.has(name)) into.push(name, value);
    else if (conditions.has(name)) key += `\n${name}:${value}`;
  }
  return key;
}

/** A refusal is no read, and a body of many megabytes would push all others out. */
function isWorthIt({ status, headers, body }: Response): boolean {
  const isRead = (status === 200 || status === 304) && headers['Cache-Control'] !== 'no-store';
  return isRead && isWhole(body) && body.length < mostBytes / 4;
}
