import { describe, expect, it } from 'vitest';
import type { TerminalFlags } from '../../../src/terminal/streams.ts';
import { chooseFormat, type Fields, type Format, type View } from '../../../src/terminal/view.ts';
import { show } from '../../../src/terminal/show.ts';
import { printableText, render, type Text } from '../../../src/terminal/text.ts';

async function shown(view: View, format: Format, selection: TerminalFlags = {}): Promise<string> {
  let text = '';
  // As a screen gets it, where it is one.
  const clean = format === 'table' ? printableText : undefined;
  const write = async (chunk: Text) => void (text += render(chunk, false, clean));
  await show(view, {
    format,
    selection,
    isScreen: format === 'table',
    width: 80,
    write,
    page: write,
    filter: async () => '',
  });
  return text;
}

const things = [
  { id: 1, title: 'One', content: 'a\tb\nc' },
  { id: 2, title: 'Two' },
];
const many: View = { many: things, columns: ['id', 'title', 'content'] };
const one: View = { one: { id: 1, title: 'One', content: undefined }, columns: ['id', 'title'] };

describe('many things', () => {
  it.each<[Format, string]>([
    ['json', `${JSON.stringify(things, null, 2)}\n`],
    ['ndjson', things.map((thing) => `${JSON.stringify(thing)}\n`).join('')],
    ['tsv', '1\tOne\ta\\tb\\nc\n2\tTwo\t\n'],
    ['ids', '1\n2\n'],
    ['table', 'ID  TITLE  CONTENT\n1   One    a b c\n2   Two\n'],
    ['csv', 'id,title,content\r\n1,One,"a\tb\nc"\r\n2,Two,\r\n'],
    ['md', '| id | title | content |\n| --- | --- | --- |\n| 1 | One | a b c |\n| 2 | Two |  |\n'],
  ])('as %s', async (format, text) => {
    expect(await shown(many, format)).toBe(text);
  });

  it.each<[Format, string]>([
    ['json', '[]\n'],
    ['ndjson', ''],
    ['tsv', ''],
    ['ids', ''],
    ['table', ''],
    ['csv', 'id\r\n'],
  ])('of which there are none as %s', async (format, text) => {
    expect(await shown({ many: [], columns: ['id'] }, format)).toBe(text);
  });

  it('come from a stream as well', async () => {
    async function* stream(): AsyncGenerator<Fields> {
      yield* things;
    }
    expect(await shown({ many: stream(), columns: ['id'] }, 'tsv')).toBe('1\n2\n');
  });
});

describe('one thing', () => {
  it.each<[Format, string]>([
    ['json', '{\n  "id": 1,\n  "title": "One"\n}\n'],
    ['ndjson', '{"id":1,"title":"One"}\n'],
    ['tsv', '1\tOne\n'],
    ['ids', '1\n'],
    ['table', 'id:    1\ntitle: One\n'],
  ])('as %s', async (format, text) => {
    expect(await shown(one, format)).toBe(text);
  });

  it.each([[['title']], [['title', 'id']]])('of which %j was asked for, as ids', async (fields) => {
    expect(await shown(one, 'ids', { fields })).toBe('One\n');
    expect(await shown({ ...many, many: [things[0] ?? {}] }, 'ids', { fields })).toBe('One\n');
  });
});

it.each([
  [{}, true, 'table'],
  [{}, false, 'tsv'],
  [{ format: 'ids' as const }, true, 'ids'],
  [{ json: true }, true, 'json'],
  [{ json: true, format: 'tsv' as const }, false, 'json'],
])('asked %j, terminal %s: %s', (asked, isTerminal, format) => {
  expect(chooseFormat(asked, isTerminal)).toBe(format);
});

describe('cells that a spreadsheet would run', () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\r\n@x',
    '  =1',
    '＝1',
    '=HYPERLINK("http://x")',
  ];
  const harmless = ['1', 'a=1', "'=1", ' 1', ''];
  const view = (text: string): View => ({ many: [{ text }], columns: ['text'] });
  const cell = async (text: string, selection: TerminalFlags) => {
    const written = (await shown(view(text), 'csv', selection)).slice('text\r\n'.length, -2);
    return written.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"');
  };

  it.each(texts)('have an apostrophe with --csv-safe alone: %j', async (text) => {
    expect(await cell(text, {})).toBe(text);
    expect(await cell(text, { csvSafe: true })).toBe(`'${text}`);
  });

  it.each(harmless)('and no others have: %j', async (text) => {
    expect(await cell(text, { csvSafe: true })).toBe(text);
  });
});

describe('chosen fields', () => {
  it.each<[Format, string]>([
    ['tsv', 'One\t1\nTwo\t2\n'],
    ['ndjson', '{"title":"One","id":1}\n{"title":"Two","id":2}\n'],
    ['table', 'TITLE  ID\nOne    1\nTwo    2\n'],
    ['csv', 'title,id\r\nOne,1\r\nTwo,2\r\n'],
  ])('come in the order asked for, as %s', async (format, text) => {
    expect(await shown(many, format, { fields: ['title', 'id'] })).toBe(text);
  });

  it('one alone is its bare value, to the byte', async () => {
    const content = 'no line break at the end \x1b';
    const view = { one: { content }, columns: ['content' as const] };
    expect(await shown(view, 'tsv', { field: 'content' })).toBe(content);
    expect(await shown(view, 'table', { field: 'content' })).toBe(
      'no line break at the end \\x1b\n',
    );
  });

  it('of many things, one alone is a line each', async () => {
    expect(await shown(many, 'tsv', { field: 'content' })).toBe('a\\tb\\nc\n\n');
  });

  it('that are not there are named with those that are', async () => {
    await expect(shown(many, 'tsv', { fields: ['id', 'titel'] })).rejects.toMatchObject({
      code: 'usage',
      message: 'There is no field "titel".',
      hint: 'Give id,title.',
    });
    await expect(shown(many, 'tsv', { fields: ['id', 'date'] })).rejects.toMatchObject({
      hint: 'The fields are id, title, content: give id.',
    });
  });
});
