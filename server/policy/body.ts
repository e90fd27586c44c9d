import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { Idempotency } from '../store/store.ts';

type Headers = Readonly<Record<string, string | undefined>>;

const json =
  /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?(?:;[ \t]*)?$/i;

/**
 * What can be said of a body before it is read (decisions 20, 30): its type, its coding and its
 * announced size. Only `application/json` passes, which is also the wall against forms that a
 * foreign page sends in a browser's name.
 */
export function checkFraming(headers: Headers, maxBodyBytes: number): void {
  const type = headers['content-type'];
  if (type === undefined || !json.test(type)) {
    const sent = type === undefined ? 'none' : JSON.stringify(type.slice(0, 100));
    throw unsupported(`The Content-Type of a body is application/json in UTF-8, not ${sent}.`);
  }
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupported('A body is sent without Content-Encoding.');
  }
  if (headers['content-range'] !== undefined) {
    const message = 'A part of an article (Content-Range) is not taken: send all of it.';
    throw new Refusal('bad-request', message);
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

/**
 * Refuses a body whose end another recipient may see elsewhere: any transfer coding but `chunked`
 * alone, an empty one among them (RFC 9112, 6.1). Nothing more is read on that connection.
 */
export function checkTransferCoding(headers: Headers): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return;
  const sent = JSON.stringify(coding.slice(0, 100));
  throw new Refusal('bad-request', `The one Transfer-Encoding taken is chunked, not ${sent}.`, {
    headers: { Connection: 'close' },
  });
}

function tooLarge(maxBodyBytes: number): Refusal {
  return new Refusal('payload-too-large', `A body has at most ${maxBodyBytes} bytes.`);
}

function unsupported(message: string): Refusal {
  return new Refusal('unsupported-media-type', message, {
    headers: { Accept: 'application/json', 'Accept-Encoding': 'identity' },
  });
}

/** Deep enough for any article, shallow enough for any parser (decisions 28). */
const mostLevels = 32;

/** The JSON value a body holds; 400 where it holds none. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new Refusal('bad-request', 'The body is empty.');
  if (!isUtf8(body)) throw new Refusal('bad-request', 'The body is not valid UTF-8.');
  const members = countMembers(body);
  if (members < 0) {
    throw new Refusal('bad-request', `The body is nested deeper than ${mostLevels} levels.`);
  }
  const value = parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  if (isObject(value) && Object.keys(value).length !== members) throw doubled(body);
  return value;
}

/** Which of the two counts nobody could say (RFC 8259, 4), so none is taken (decisions 28). */
function doubled(body: Uint8Array): Refusal {
  const names: string[] = [];
  countMembers(body, names);
  const name = names.find((one, at) => names.indexOf(one) < at) ?? '';
  return unprocessable([{ pointer: pointerTo(name), detail: 'stands there more than once' }]);
}

/** JSON.parse can be asked in this way only; what makes answers of refusals is elsewhere. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw new Refusal('bad-request', `The body is not JSON: ${reason}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/**
 * How many members the text of an object has, those of the same name too. Counts brackets outside
 * strings, so that a hostile body never reaches the parser's stack: -1 where it is nested too deep.
 */
function countMembers(body: Uint8Array, names?: string[]): number {
  let [depth, count, last] = [0, 0, 0];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === quote) {
      last = at;
      at = endOfString(body, at);
    } else if (opening.has(byte)) depth += 1;
    else if (closing.has(byte)) depth -= 1;
    else if (byte === colon && depth === 1) {
      count += 1;
      names?.push(nameAt(body, last));
    }
    if (depth > mostLevels) return -1;
  }
  return count;
}

function nameAt(body: Uint8Array, start: number): string {
  return String(
    JSON.parse(Buffer.from(body.subarray(start, endOfString(body, start) + 1)).toString()),
  );
}

function endOfString(body: Uint8Array, start: number): number {
  let at = start;
  do {
    at = body.indexOf(quote, at + 1);
    if (at < 0) return body.length;
  } while (isEscaped(body, at));
  return at;
}

function isEscaped(body: Uint8Array, quoteAt: number): boolean {
  let at = quoteAt - 1;
  while (body[at] === backslash) at -= 1;
  return (quoteAt - at) % 2 === 0;
}

/** What a client sends as an article; absent content on PUT removes it (decisions 28, 29). */
export type ArticleInput = { readonly title: string; readonly content?: string };

type Flaw = { readonly pointer: string; readonly detail: string };
type Members = { readonly [member: string]: unknown };

/** Clients send back what they read: what the service itself adds is taken and ignored. */
const members = new Set(['title', 'content', 'id', '_links', '_embedded']);

/**
 * Reads the body of POST, which needs content (interface, Endpoints, rule 12), or of PUT, which does
 * not (interface, Endpoints, rules 3, 4 and 15). 422 names every flaw with its JSON pointer.
 */
export function parseArticle(body: unknown, content: 'required' | 'optional'): ArticleInput {
  if (!isObject(body)) {
    const one = Array.isArray(body) ? ': a request creates one article' : '';
    throw unprocessable([{ pointer: '', detail: `must be an object${one}` }]);
  }
  const { title, content: text } = body;
  const mayLack = content === 'optional' && text === undefined;
  const flaws = [
    ...flawsOf(body, 'title', titleFlaws),
    ...(mayLack ? [] : flawsOf(body, 'content', textFlaws)),
    ...Object.keys(body)
      .filter((name) => !members.has(name))
      .map(unknownMember),
  ];
  if (flaws.length > 0 || typeof title !== 'string') throw unprocessable(flaws);
  return typeof text === 'string' ? { title, content: text } : { title };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flawsOf(
  body: Members,
  name: string,
  flawsIn: (text: string) => readonly string[],
): Flaw[] {
  const value = body[name];
  if (typeof value === 'string') {
    return flawsIn(value).map((detail) => ({ pointer: `/${name}`, detail }));
  }
  const detail = Object.hasOwn(body, name) ? 'must be a string' : 'is missing';
  return [{ pointer: `/${name}`, detail }];
}

/** Neither blank nor made of marks that print nothing. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const surrogate = /\p{Surrogate}/u;
const mostTitleCharacters = 1000;

function textFlaws(text: string): readonly string[] {
  return surrogate.test(text) ? ['holds half a surrogate pair, which is no character'] : [];
}

function titleFlaws(title: string): readonly string[] {
  const isLong =
    title.length > mostTitleCharacters && Array.from(title).length > mostTitleCharacters;
  return [
    ...textFlaws(title),
    ...(visible.test(title) ? [] : ['needs at least one visible character']),
    ...(isLong ? [`has more than ${mostTitleCharacters} characters`] : []),
  ];
}

/** An answer many times as long as its request would be a weapon: enough are named. */
const mostFlaws = 20;

function unprocessable(flaws: readonly Flaw[]): Refusal {
  const errors = flaws.slice(0, mostFlaws);
  const named = errors.map(({ pointer, detail }) => `${pointer || 'The body'} ${detail}`);
  const more = flaws.length > mostFlaws ? `; and ${flaws.length - mostFlaws} more` : '';
  return new Refusal('unprocessable', `${named.join('; ')}${more}.`, { errors });
}

function unknownMember(name: string): Flaw {
  return { pointer: pointerTo(name), detail: 'is not a member of an article' };
}

function pointerTo(name: string): string {
  return `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const bareKey = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,255}$/;
const quotedKey = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/**
 * The key of a request, if it has one: visible ASCII, bare or as a quoted string, which mean the
 * same (decisions 38). Read before the body, because bad syntax is 400 whatever the body says.
 */
export function readKey(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (bareKey.test(field)) return field;
  const quoted = quotedKey.exec(field)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  const what = 'An Idempotency-Key is sent once and has 1 to 255 visible ASCII characters:';
  throw new Refusal('bad-request', `${what} in quotes where a space or a comma is among them.`);
}

/** Key and meaning of the request as the store keeps them; the spelling of the JSON is no meaning. */
export function identify(key: string, { title, content = '' }: ArticleInput): Idempotency {
  // The title is framed by its quotes, so the rest is the content.
  const request = JSON.stringify(title) + content;
  return { key: hashOfKey(key), request: hash('sha256', request) };
}

/** A key as the store knows it. */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}
