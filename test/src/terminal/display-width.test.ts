import { assert, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth } from '../../../src/terminal/text.ts';

describe('columns on a terminal', () => {
  it.each([
    ['nothing', '', 0],
    ['letters', 'abc', 3],
    ['umlauts', 'Grüße', 5],
    ['umlauts of two characters', 'Gru\u0308ße', 5],
    ['Chinese', '世界', 4],
    ['Japanese', 'ブログの記事', 12],
    ['half-width Katakana', 'ｱｲｳ', 3],
    ['full-width letters', 'ＡＢ', 4],
    ['Korean', '한국어', 6],
    ['an emoji', '👋', 2],
    ['an emoji with a skin tone', '👋🏽', 2],
    ['a family', '👨‍👩‍👧‍👦', 2],
    ['a flag', '🇨🇭', 2],
    ['a heart as an emoji', '❤️', 2],
    ['a heart as text', '❤', 1],
    ['an emoji of a late Unicode', '🫠', 2],
    ['Hindi with marks', 'हिन्दी', 3],
    ['a zero width space', 'a\u200bb', 2],
    ['Arabic', 'مرحبا', 5],
  ])('%s', (_name, text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe('cutting', () => {
  it.each([
    ['what fits stays', 'abc', 3, 'abc'],
    ['the sign of the cut is within the width', 'abcdef', 4, 'abc…'],
    ['a wide character is not halved', '世界世界', 4, '世…'],
    ['nor is a family', '👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 3, '👨‍👩‍👧‍👦…'],
    ['nor a letter from its mark', 'u\u0308u\u0308u\u0308', 2, 'u\u0308…'],
    ['one column', 'abc', 1, '…'],
    ['no column', 'abc', 0, ''],
  ])('%s', (_name, text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut);
  });

  it('never takes more columns than there are', () => {
    assert(
      property(string({ unit: 'grapheme' }), nat(40), (text, columns) => {
        expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
