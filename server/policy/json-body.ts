import { isUtf8 } from 'node:buffer';
import { Refusal } from '../errors.ts';

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
  let at = start + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}
