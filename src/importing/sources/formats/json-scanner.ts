import { ValidationError } from '../source.ts';
import { messageOf } from '../../../errors.ts';

/** What to do with a container: hand out its items as bytes, look into it, or pass it over. */
export type Interest = 'items' | 'inside' | 'nothing';

type Kind = 'array' | 'object';

export type JsonVisitor = {
  /** `path` names the members that lead there; the items of an array are named 0, 1, 2… */
  opened(path: readonly string[], kind: Kind, parent: Kind | undefined): Interest;
  /** A member of an object that is looked into, before its value. */
  named?(path: readonly string[]): void;
  item(bytes: Buffer, index: number, offset: number): void;
};

export type JsonScanner = {
  write(chunk: Buffer): void;
  /** A ValidationError where the document is not complete. */
  end(): void;
};

type Level = { readonly kind: Kind; readonly items: boolean; name: string; count: number };

const byteOrderMark = [0xef, 0xbb, 0xbf];
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const closerOf = { array: closeArray, object: closeObject } as const;

/**
 * Finds the items of one array in a JSON document of any size, keeping one item in memory. The
 * items are for a JSON parser to check; of what surrounds them only strings and brackets are.
 */
export function createJsonScanner(visitor: JsonVisitor): JsonScanner {
  const levels: Level[] = [];
  let offset = 0;
  let skipped = 0; // open brackets inside an item or a container passed over
  let inString = false;
  let escaped = false;
  let awaitsName = false;
  let taken: Take | undefined; // the item or the name being read
  let finished = false;

  function write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === undefined) continue;
      if (inString) stepInString(byte, chunk, at);
      else if (byte > 0x20) step(byte, chunk, at);
    }
    taken?.keep(chunk);
    offset += chunk.length;
  }

  function stepInString(byte: number, chunk: Buffer, at: number): void {
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) {
      inString = false;
      if (awaitsName && skipped === 0) readName(chunk, at + 1);
    }
  }

  function readName(chunk: Buffer, past: number): void {
    const level = levels.at(-1);
    if (level === undefined || taken === undefined) return;
    level.name = String(parsed(taken.until(chunk, past).toString('utf8')));
    taken = undefined;
    visitor.named?.(levels.map(({ name }) => name));
  }

  function step(byte: number, chunk: Buffer, at: number): void {
    if (finished) throw error('Text after the end of the document', at);
    const level = levels.at(-1);
    if (level?.items === true && taken === undefined && byte !== comma && byte !== closeArray) {
      taken = takeFrom(at, offset + at);
    }
    if (byte === quote) startString(at);
    else if (byte === openArray || byte === openObject) open(byte);
    else if (byte === closeArray || byte === closeObject) close(byte, chunk, at);
    else if (skipped > 0) return;
    else if (byte === comma) next(level, chunk, at);
    else if (byte === colon) awaitsName = false;
    else if (level === undefined && !inByteOrderMark(byte, at))
      throw error('Neither an array nor an object', at);
  }

  function inByteOrderMark(byte: number, at: number): boolean {
    return offset + at < 3 && byte === byteOrderMark[offset + at];
  }

  function startString(at: number): void {
    inString = true;
    if (levels.length === 0 && skipped === 0) throw error('Neither an array nor an object', at);
    if (awaitsName && skipped === 0) taken = takeFrom(at, offset + at);
  }

  function open(byte: number): void {
    const kind: Kind = byte === openArray ? 'array' : 'object';
    if (skipped > 0 || levels.at(-1)?.items === true) skipped += 1;
    else {
      const path = levels.map(({ name }) => name);
      const interest = visitor.opened(path, kind, levels.at(-1)?.kind);
      if (interest === 'nothing') skipped += 1;
      else levels.push({ kind, items: interest === 'items', name: '0', count: 0 });
    }
    awaitsName = skipped === 0 && kind === 'object';
  }

  function close(byte: number, chunk: Buffer, at: number): void {
    if (skipped > 0) skipped -= 1;
    else leave(byte, chunk, at);
    finished = skipped === 0 && levels.length === 0;
  }

  function leave(byte: number, chunk: Buffer, at: number): void {
    const level = levels.pop();
    if (level === undefined || closerOf[level.kind] !== byte)
      throw error(`Unexpected "${String.fromCharCode(byte)}"`, at);
    if (level.items && (taken !== undefined || level.count > 0)) handOut(level, chunk, at);
    awaitsName = false;
  }

  function next(level: Level | undefined, chunk: Buffer, at: number): void {
    if (level === undefined) throw error('Unexpected ","', at);
    if (level.items) handOut(level, chunk, at);
    level.count += level.items ? 0 : 1;
    awaitsName = level.kind === 'object';
    if (!awaitsName) level.name = String(level.count);
  }

  function handOut(level: Level, chunk: Buffer, at: number): void {
    const item = taken ?? takeFrom(at, offset + at);
    taken = undefined;
    visitor.item(item.until(chunk, at), level.count, item.offset);
    level.count += 1;
  }

  function end(): void {
    if (!finished) throw error('The document ends in the middle', 0);
  }

  function error(what: string, at: number): ValidationError {
    return new ValidationError('syntax', `${what} at offset ${offset + at}.`);
  }

  return { write, end };
}

type Take = {
  readonly offset: number;
  keep(chunk: Buffer): void;
  until(chunk: Buffer, end: number): Buffer;
};

/** Bytes from a position on, over as many chunks as it takes. */
function takeFrom(start: number, offset: number): Take {
  const pieces: Buffer[] = [];
  let from = start;
  return {
    offset,
    keep(chunk) {
      // The chunk's own bytes are overwritten by the next one.
      pieces.push(Buffer.from(chunk.subarray(from)));
      from = 0;
    },
    until(chunk, end) {
      const last = chunk.subarray(from, end);
      return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    },
  };
}

/**
 * Where the JSON object ends that a post begins with, as Hugo writes them: behind its last brace.
 * Absent where the text begins with no such object (a shortcode may begin with a brace too),
 * Infinity where it is never closed.
 */
export function endOfJsonObject(text: string): number | undefined {
  if (!/^\{\s*["}]/.test(text)) return undefined;
  for (const { sign, at, depth } of structureOf(text)) {
    if (sign === '}' && depth === 0) return at + 1;
  }
  return Infinity;
}

/** The text of each member of an object, in order: parsed as a whole, one of two of a name is lost. */
export function jsonMembers(object: string): readonly string[] {
  const members: string[] = [];
  let start = object.indexOf('{') + 1;
  for (const { sign, at, depth } of structureOf(object)) {
    if (sign === ',' ? depth !== 1 : sign !== '}' || depth !== 0) continue;
    members.push(object.slice(start, at));
    start = at + 1;
  }
  return members;
}

const tokens =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[^"'`/{}\\]+|\\?[^]/g;

/** The members of an object in JavaScript at the beginning of a text, without comments and what is nested in them. */
export function membersOfCode(text: string): string {
  let [depth, members] = [0, ''];
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{') depth += 1;
    else if (token === '}') depth -= 1;
    else if (depth === 1 && !/^\/[/*]/.test(token)) members += token;
    if (depth === 0) break;
  }
  return members;
}

type Sign = {
  readonly sign: string;
  readonly at: number;
  /** Of brackets and braces that are open behind it. */
  readonly depth: number;
};

/** The signs outside of texts that make a structure. */
function* structureOf(text: string): Generator<Sign, void, void> {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (inString && sign === '\\') at += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && '{[]},'.includes(sign)) {
      if (sign === '{' || sign === '[') depth += 1;
      else if (sign !== ',') depth -= 1;
      yield { sign, at, depth };
    }
  }
}

/** A ValidationError with the parser's reason where the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ValidationError('syntax', `Not JSON: ${messageOf(error)}`, { cause: error });
  }
}
