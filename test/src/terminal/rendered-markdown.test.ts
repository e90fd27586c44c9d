import { describe, expect, it } from 'vitest';
import { displayWidth, render } from '../../../src/terminal/text.ts';
import { renderMarkdown } from '../../../src/terminal/rendered-markdown.ts';

const shown = (text: string, width = 40) => render(renderMarkdown(text, width), false);

describe('Markdown for reading', () => {
  it.each([
    ['# Head\n\nOne\ntwo.', 'Head\n\nOne two.\n'],
    ['A **bold**, `code` &amp; more.', 'A bold, code & more.\n'],
    ['- a\n- b\n  - c\n\n1. x\n2. y', '• a\n• b\n  • c\n\n1. x\n2. y\n'],
    ['- [ ] open\n- [x] done', '• [ ] open\n• [x] done\n'],
    ['> said\n> so', '│ said so\n'],
    ['```js\nconst  x;\n```', '    const  x;\n'],
    ['one\\\ntwo', 'one\ntwo\n'],
    ['[here](https://b.test/x) <https://c.test>', 'here (https://b.test/x) https://c.test\n'],
    ['![Cat](cat.png)', '[Cat] cat.png\n'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '| a | b |\n|---|---|\n| 1 | 2 |\n'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>\n'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('a paragraph that no person wrote costs what it is long, and the others are read', () => {
    const costOf = (times: number) => {
      const before = process.cpuUsage();
      const text = shown(`**a**\n\n${'_a_'.repeat(times)}\n\n**b**`);
      expect(text.startsWith('a\n\n_a_') && text.endsWith('\n\nb\n')).toBe(true);
      return process.cpuUsage(before).user;
    };
    costOf(5000);
    // Ten times as much, and a hundred times where each mark is compared with each.
    expect(costOf(30_000) / Math.max(20_000, costOf(3000))).toBeLessThan(40);
  });

  it('paragraphs that no person wrote cost together what one of them may, and the others are read', () => {
    const one = '_a_ '.repeat(1600);
    const paragraphs = shown(`${`${one}\n\n`.repeat(8)}**b**`, 100_000).split('\n\n');
    const asWritten = paragraphs.filter((text) => text.startsWith('_a_ _a_'));
    expect(paragraphs[0]).toMatch(/^(a )+a$/);
    expect(asWritten.length).toBeGreaterThan(4);
    expect(paragraphs.at(-1)).toBe('b\n');
  });

  it('has looks for what is strong, code and head', () => {
    const text = render(renderMarkdown('# A\n\n**b** `c`', 40), true);
    expect(text).toBe('\x1b[1mA\x1b[22m\n\n\x1b[1mb\x1b[22m \x1b[32mc\x1b[39m\n');
  });

  it.each([40, 24])('is wrapped at %i columns, between words and by what they take', (width) => {
    const words = 'お茶を飲む **strong** words, and [a link](https://b.test/) to wrap. ';
    const lines = shown(words.repeat(5), width).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join(' ').match(/strong words,/g)).toHaveLength(5);
  });

  it.each([
    'x \x1b[31mred\x1b]0;title\x07',
    '`\x1b[2J`',
    '```\n\x1b[2J\n```',
    '[a](https://b.test/\x1b[2J)',
    '&#27;[2J and &#x202e;',
    '<b \x1b[2J>',
  ])('lets nothing through to the screen: %j', (text) => {
    const bare = shown(text).replaceAll('\n', '');
    // oxlint-disable-next-line eslint/no-control-regex -- what may not be there
    expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it.each([
    ['nested beyond all measure', '> '.repeat(20_000)],
    ['longer than anybody reads', 'word '.repeat(21_000)],
  ])('what is %s is shown as it is written', (_, text) => {
    expect(renderMarkdown(text, 40)).toEqual([text]);
  });
});
