import { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  printableField,
  printableJson,
  printableLine,
  printableText,
} from '../../../src/terminal/text.ts';
import { anyText } from '../../support/any-text.ts';

describe('text of strangers on one line', () => {
  it.each([
    ['plain', 'Grüße, 世界 👋', 'Grüße, 世界 👋'],
    ['clears the screen', '\x1b[2Jgone', '\\x1b[2Jgone'],
    ['renames the window', '\x1b]0;root\x07', '\\x1b]0;root\\x07'],
    ['C1 control sequence', '\u009b31mred', '\\x9b31mred'],
    ['turns the line around', 'safe\u202egpj.exe', 'safe\\u202egpj.exe'],
    ['isolates', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['line breaks', 'one\ntwo\r\nthree\u2028four', 'one two three four'],
    ['carriage return over the line', 'price 10\rprice 1', 'price 10 price 1'],
    ['backspace', 'a\bb', 'a\\x08b'],
  ])('%s', (_name, text, shown) => {
    expect(printableLine(text)).toBe(shown);
  });
});

it('a body of text keeps line breaks and tabs, and nothing else', () => {
  expect(printableText('a\r\n\tb\x1b[31m\rc')).toBe('a\n\tb\\x1b[31m\\x0dc');
});

it('a field of a tab-separated line says exactly what it escaped', () => {
  expect(printableField('a\tb\\t\nc')).toBe('a\\tb\\\\t\\nc');
});

it('JSON reads back as the same value, and no character of it moves a cursor', () => {
  assert(
    property(anyText(), (text) => {
      const json = printableJson({ text });
      expect(JSON.parse(json)).toEqual({ text });
      expect(json).not.toMatch(unsafe);
    }),
  );
});

// oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
const unsafe = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f]/;
