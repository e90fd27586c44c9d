import { expect, it } from 'vitest';
import { displayWidth, render } from '../../../src/terminal/text.ts';
import { fitColumns, renderTable } from '../../../src/terminal/table.ts';

const rows = [
  { id: 1, title: 'Short' },
  { id: 20, title: '世界の記事についての長い題名 and more 👨‍👩‍👧‍👦 text' },
  { id: 300, title: 'A \x1b[31mred\x1b[0m\ntitle' },
];

const table = (width: number) =>
  render(renderTable(rows, { columns: ['id', 'title'], width }), false);

it('parts the words of a heading', () => {
  const chosen = renderTable([{ chosenBy: 'flag' }], { columns: ['chosenBy'], width: 80 });
  expect(render(chosen, false)).toBe('CHOSEN BY\nflag\n');
});

it('shows a row a line beneath a heading', () => {
  expect(table(80)).toBe(
    [
      'ID   TITLE',
      '1    Short',
      '20   世界の記事についての長い題名 and more 👨‍👩‍👧‍👦 text',
      '300  A \\x1b[31mred\\x1b[0m title',
      '',
    ].join('\n'),
  );
});

it.each([80, 40, 20, 12])('fits a screen of %i columns', (width) => {
  const lines = table(width).split('\n');
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

it('takes from the widest column first, and leaves every column a little', () => {
  expect(fitColumns([3, 50], 40)).toEqual([3, 35]);
  expect(fitColumns([30, 50], 40)).toEqual([19, 19]);
  expect(fitColumns([30, 50], 4)).toEqual([4, 4]);
});

it('cuts addresses where they are alike, and names not at all', () => {
  const runs = [1, 2].map((id) => ({
    run: `8ce0a9bec${id}`,
    blog: `https://blog.example/blogs/${id}`,
  }));
  const text = render(renderTable(runs, { columns: ['run', 'blog'], width: 24 }), false);
  expect(text).toBe('RUN         BLOG\n8ce0a9bec1  …ple/blogs/1\n8ce0a9bec2  …ple/blogs/2\n');
});

it('what is to stay whole stands beneath where it does not fit, addresses in one piece', () => {
  const href = `http://blog.test/${'a'.repeat(40)}`;
  const links = [
    { rel: 'self', href, title: 'A title of several words' },
    { rel: 'doc:blog', href: 'http://blog.test/' },
  ];
  const shown = (width: number) =>
    render(renderTable(links, { columns: ['rel', 'href', 'title'], width, isWhole: true }), false);
  expect(shown(120).split('\n')[1]).toBe(`self      ${href}  A title of several words`);
  expect(shown(20)).toBe(
    `self\n  ${href}\n  A title of several\n  words\ndoc:blog\n  http://blog.test/\n`,
  );
});

it.each([
  [['articles import', 'articles delete'], 9, ['ar…import', 'ar…delete']],
  [['The garden, part A', 'The garden, part B'], 14, ['The…en, part A', 'The…en, part B']],
  [
    ['https://production.example/api/v1.2/blogs/1', 'https://staging.example/api/v1.2/blogs/1'],
    20,
    ['…production.example…', '…staging.example/ap…'],
  ],
  [['One long title of a text', 'Another title of a text'], 12, ['One long ti…', 'Another tit…']],
])('cuts no difference away: %j', (names, width, shown) => {
  const many = names.map((name) => ({ name }));
  const text = render(renderTable(many, { columns: ['name'], width }), false);
  expect(text).toBe(`NAME\n${shown.join('\n')}\n`);
});

it('keeps its columns where a title piles up marks, and shows no more of it than has room', () => {
  const marks = '\u0336\u0327\u0488'.repeat(400);
  const piled = [
    { title: 'Plain', id: 1 },
    { title: `Zalgo${marks}`, id: 2 },
    { title: `a${'\u200da'.repeat(1000)}`, id: 3 },
  ];
  const text = render(renderTable(piled, { columns: ['title', 'id'], width: 12 }), false);
  const lines = text.split('\n').slice(0, -1);
  expect(lines.map((line) => displayWidth(line))).toEqual([12, 11, 11, 11]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(16 * 12);
});

it('takes a title of millions of signs, of whatever kind', () => {
  for (const sign of ['a', '\u0488', '\u200da', '漢', '\x1b', '👩‍🚀']) {
    const long = [{ title: `Z${sign.repeat(2_000_000)}`, id: 1 }];
    const text = render(renderTable(long, { columns: ['title', 'id'], width: 40 }), false);
    expect(text.length).toBeLessThan(2 * 16 * 40);
    expect(text).toMatch(/^TITLE +ID\nZ.*… +1\n$/);
  }
});
