import { describe, expect, it } from 'vitest';
import type { Format } from '../../../src/terminal/formats.ts';
import { chooseFormat } from '../../../src/terminal/formats.ts';
import { show } from '../../../src/terminal/show.ts';
import type { Fields, View } from '../../../src/terminal/view.ts';

async function shown(view: View, format: Format): Promise<string> {
  let text = '';
  const write = async (chunk: string | Uint8Array) => void (text += String(chunk));
  await show(view, { format, width: 80, write, bold: (bold) => bold });
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
  ])('as %s', async (format, text) => {
    expect(await shown(many, format)).toBe(text);
  });

  it.each<[Format, string]>([
    ['json', '[]\n'],
    ['ndjson', ''],
    ['tsv', ''],
    ['ids', ''],
    ['table', ''],
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
