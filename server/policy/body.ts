import { isUtf8 } from 'node:buffer';
import { Refusal } from '../errors.ts';

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

/** The one expectation there is (RFC 9110, 10.1.1). */
const known = /^100-continue$/i;

/** A client that expects something else may wait with its body for ever, so the connection ends. */
export function checkExpectation(field: string | undefined): void {
  if (field === undefined || known.test(field)) return;
  throw new Refusal('expectation-failed', 'Only 100-continue can be expected here.', {
    headers: { Connection: 'close' },
  });
}

/** Deep enough for any article, shallow enough for any parser (decisions 28). */
const mostLevels = 32;

/** The JSON value a body holds; 400 where it holds none. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new Refusal('bad-request', 'The body is empty.');
  if (!isUtf8(body)) throw new Refusal('bad-request', 'The body is not valid UTF-8.');
  if (isDeeperThan(mostLevels, body)) {
    throw new Refusal('bad-request', `The body is nested deeper than ${mostLevels} levels.`);
  }
  return parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
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
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Counts brackets outside strings, so that a hostile body never reaches the parser's stack. */
function isDeeperThan(levels: number, body: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === quote) at = endOfString(body, at);
    else if (opening.has(byte)) depth += 1;
    else if (closing.has(byte)) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
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
