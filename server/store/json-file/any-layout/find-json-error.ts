import type { ByteWindow } from './byte-window.ts';

export type JsonError = { readonly offset: number; readonly what: string };

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
  let at = window.at(0) === 0xef && window.at(1) === 0xbb && window.at(2) === 0xbf ? 3 : 0;
  for (;;) {
    while (isSpace(window.at(at))) at += 1;
    if (window.at(at) < 0)
      return expected === 'end' ? undefined : { offset: at, what: 'The file ends too early' };
    const step = read(window, at, { expected, open });
    if ('what' in step) return step;
    ({ at, expected } = step);
  }
}

type Step = { readonly at: number; readonly expected: Expected };
type State = { readonly expected: Expected; readonly open: string[] };

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

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
    if (byte === 0x22) return { at: at + 1, expected };
    if (byte < 0 || byte === 0x0a || byte === 0x0d)
      return { offset: start, what: 'Unterminated string' };
    if (byte < 0x20) return { offset: at, what: 'Control character in a string' };
    if (byte !== 0x5c) continue;
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
