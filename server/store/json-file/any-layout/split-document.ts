import type { ByteWindow } from './byte-window.ts';

type Visitor = {
  /** A top-level member other than `articles`; its value stands between the two offsets. */
  member(name: string, from: number, to: number): void;
  /** The list of articles begins. */
  list(from: number): void;
  /** An element of `articles`. */
  article(from: number, to: number): void;
};

/** Where the structure of a document breaks; how, a closer reading tells. */
export class NotSplit extends Error {
  override readonly name = 'NotSplit';
  readonly offset: number;

  constructor(offset: number) {
    super(`unexpected byte at ${offset}`);
    this.offset = offset;
  }
}

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Cuts a JSON document of any layout into its members and articles without parsing them: what is
 * inside a value is for the visitor to judge.
 */
export function splitDocument(window: ByteWindow, visitor: Visitor): void {
  let at = expect(window, skipSpace(window, afterMark(window)), OPEN_BRACE);
  at = list(window, at, CLOSE_BRACE, (start) => member(window, start, visitor));
  at = skipSpace(window, at);
  if (at < window.size) throw new NotSplit(at);
}

function afterMark(window: ByteWindow): number {
  return BYTE_ORDER_MARK.every((byte, index) => window.at(index) === byte)
    ? BYTE_ORDER_MARK.length
    : 0;
}

function skipSpace(window: ByteWindow, from: number): number {
  let at = from;
  for (let byte = window.at(at); isSpace(byte); byte = window.at(at)) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

function expect(window: ByteWindow, at: number, byte: number): number {
  if (window.at(at) !== byte) throw new NotSplit(at);
  return at + 1;
}

/** Reads items parted by commas up to the closing byte; answers the offset behind it. */
function list(
  window: ByteWindow,
  from: number,
  close: number,
  item: (start: number) => number,
): number {
  let at = skipSpace(window, from);
  if (window.at(at) === close) return at + 1;
  for (;;) {
    at = skipSpace(window, item(at));
    if (window.at(at) === close) return at + 1;
    at = skipSpace(window, expect(window, at, COMMA));
  }
}

function member(window: ByteWindow, start: number, visitor: Visitor): number {
  if (window.at(start) !== QUOTE) throw new NotSplit(start);
  const nameEnd = stringEnd(window, start);
  const name = nameOf(window, start, nameEnd);
  const value = skipSpace(window, expect(window, skipSpace(window, nameEnd), COLON));
  if (name === 'articles' && window.at(value) === OPEN_LIST) {
    visitor.list(value);
    return list(window, value + 1, CLOSE_LIST, (from) => {
      const to = valueEnd(window, from);
      visitor.article(from, to);
      return to;
    });
  }
  const end = valueEnd(window, value);
  visitor.member(name, value, end);
  return end;
}

function nameOf(window: ByteWindow, start: number, end: number): string {
  try {
    return String(JSON.parse(window.slice(start, end).toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) throw new NotSplit(start);
    throw error;
  }
}

/** The offset behind a string that starts at `start`. */
function stringEnd(window: ByteWindow, start: number): number {
  for (let from = start + 1; ;) {
    const quote = window.indexOf(QUOTE, from);
    if (quote < 0) throw new NotSplit(start);
    let escapes = 0;
    while (window.at(quote - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** The offset behind a value that starts at `start` and ends before `limit`, brackets and strings told apart. */
export function valueEnd(window: ByteWindow, start: number, limit = Infinity): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const byte = window.at(at);
    if (byte === QUOTE) {
      at = stringEnd(window, at);
    } else {
      if (byte < 0 || at >= limit) throw new NotSplit(at);
      if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_LIST)) break;
      if (byte === OPEN_BRACE || byte === OPEN_LIST) depth += 1;
      if (byte === CLOSE_BRACE || byte === CLOSE_LIST) depth -= 1;
      at += 1;
    }
    if (depth === 0 && endsHere(byte)) return at;
  }
  return trimmed(window, start, at);
}

/** Strings, objects and arrays end with themselves; numbers and words where something follows. */
function endsHere(byte: number): boolean {
  return byte === QUOTE || byte === CLOSE_BRACE || byte === CLOSE_LIST;
}

function trimmed(window: ByteWindow, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(window.at(at - 1))) at -= 1;
  if (at === start) throw new NotSplit(start);
  return at;
}

type JsonError = { readonly offset: number; readonly what: string };

/** What may come next while a JSON text is read byte by byte. */
type Expected = 'value' | 'value or ]' | 'name or }' | 'name' | 'colon' | 'comma' | 'end';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = new Set(['true', 'false', 'null']);
const ESCAPES = new Set('"\\/bfnrt');
const HEX = /^[0-9a-fA-F]{4}$/;
/** JSON.parse takes as much; a deeper text is an attack or an accident. */
const DEEPEST = 5000;

/** The first thing in a file that is no JSON, in words; undefined where all of it is. */
export function findJsonError(window: ByteWindow): JsonError | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = afterMark(window);
  for (;;) {
    at = skipSpace(window, at);
    if (window.at(at) < 0)
      return expected === 'end' ? undefined : { offset: at, what: 'The file ends too early' };
    const step = read(window, at, { expected, open });
    if ('what' in step) return step;
    ({ at, expected } = step);
  }
}

type Step = { readonly at: number; readonly expected: Expected };
type State = { readonly expected: Expected; readonly open: string[] };

function read(window: ByteWindow, at: number, { expected, open }: State): Step | JsonError {
  const character = String.fromCharCode(window.at(at));
  const closes = open.at(-1) === '{' ? '}' : ']';
  const mayClose = expected === 'comma' || expected === 'name or }' || expected === 'value or ]';
  if (mayClose && character === closes) {
    open.pop();
    return { at: at + 1, expected: afterValue(open) };
  }
  if (expected === 'comma') {
    return character === ','
      ? { at: at + 1, expected: closes === '}' ? 'name' : 'value' }
      : { offset: at, what: `Expected "," or "${closes}"` };
  }
  if (expected === 'colon') {
    return character === ':'
      ? { at: at + 1, expected: 'value' }
      : { offset: at, what: 'Expected ":"' };
  }
  if (expected === 'end') return { offset: at, what: 'Something follows the end of the document' };
  return readValue(window, at, { expected, open });
}

function readValue(window: ByteWindow, at: number, { expected, open }: State): Step | JsonError {
  const character = String.fromCharCode(window.at(at));
  const isName = expected === 'name' || expected === 'name or }';
  if (character === '"') return readString(window, at, isName ? 'colon' : afterValue(open));
  if (isName) return { offset: at, what: 'Expected a member name in quotes' };
  if (character === '{' || character === '[') {
    open.push(character);
    if (open.length > DEEPEST) return { offset: at, what: 'Nested too deeply' };
    return { at: at + 1, expected: character === '{' ? 'name or }' : 'value or ]' };
  }
  return readWord(window, at, afterValue(open));
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : 'comma';
}

function readString(window: ByteWindow, start: number, expected: Expected): Step | JsonError {
  for (let at = start + 1; ; at += 1) {
    const byte = window.at(at);
    if (byte === QUOTE) return { at: at + 1, expected };
    if (byte < 0 || byte === NEWLINE || byte === RETURN)
      return { offset: start, what: 'Unterminated string' };
    if (byte < 0x20) return { offset: at, what: 'Control character in a string' };
    if (byte !== BACKSLASH) continue;
    const length = escapeLength(window, at);
    if (length === 0) return { offset: at, what: 'Unknown escape in a string' };
    at += length;
  }
}

/** How many bytes follow the backslash; 0 where they are no escape. */
function escapeLength(window: ByteWindow, at: number): number {
  const character = String.fromCharCode(window.at(at + 1));
  if (ESCAPES.has(character)) return 1;
  const digits = [2, 3, 4, 5].map((i) => String.fromCharCode(window.at(at + i))).join('');
  return character === 'u' && HEX.test(digits) ? 5 : 0;
}

function readWord(window: ByteWindow, start: number, expected: Expected): Step | JsonError {
  let at = start;
  let word = '';
  while (/[\w+.-]/.test(String.fromCharCode(window.at(at))) && word.length < 400) {
    word += String.fromCharCode(window.at(at));
    at += 1;
  }
  if (WORDS.has(word) || NUMBER.test(word)) return { at, expected };
  return { offset: start, what: word === '' ? 'Expected a value' : `"${word}" is no JSON value` };
}
