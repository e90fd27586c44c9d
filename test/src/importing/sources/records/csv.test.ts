import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { briefly, readSources, withFiles } from '../files.ts';

async function read(
  name: string,
  text: string | Buffer,
  options: Parameters<typeof readSources>[1] = {},
): Promise<readonly string[]> {
  return withFiles({ [name]: text }, async (folder) =>
    briefly(await readSources([join(folder, name)], options)),
  );
}

describe('a table', () => {
  it.each([
    ['commas', 't.csv', 'title,content\nA,x\nB,y\n'],
    ['semicolons', 't.csv', 'title;content\nA;x\nB;y\n'],
    ['tabs', 't.csv', 'title\tcontent\nA\tx\nB\ty\n'],
    ['bars', 't.csv', 'title|content\nA|x\nB|y\n'],
    ['commas in quotes in its header', 't.csv', '"x, y, z";title;content\n1;A;x\n2;B;y'],
    ['CR LF and a byte order mark', 't.csv', '\uFEFF"title",content\r\nA,x\r\nB,y\r\n'],
    ['blank lines', 't.csv', 'title,content\n\nA,x\n\nB,y\n'],
    ['another name', 't.data', 'id,title,content\n1,A,x\n2,B,y\n'],
  ])('parted by %s is read row by row', async (_name, file, text) => {
    expect(await read(file, text)).toEqual([`${file}: 1 "A"`, `${file}: 2 "B"`]);
  });

  it.each([
    ['line breaks, quotes and delimiters', '"one\r\ntwo, ""three"""', 'one\r\ntwo, "three"'],
    ['quotes inside of an unquoted field', 'say "no" twice', 'say "no" twice'],
    ['white space', '  x\t', '  x\t'],
    ['nothing', '', ''],
    ['a byte order mark of its own', '\uFEFFx', '\uFEFFx'],
  ])('keeps %s in a field', async (_name, field, content) => {
    await withFiles({ 't.csv': `title,content\nA,${field}\n` }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      expect(source?.entries[0]).toMatchObject({ content });
    });
  });

  it('rejects a row with another number of fields, and one with wrong bytes, alone', async () => {
    const text = Buffer.from('title,content\nA\nB,x,y\nC,caf\u00E9\nD,z\n', 'latin1');
    expect(await read('t.csv', text)).toEqual([
      't.csv: t.csv:1 rejected, syntax: 1 fields, but the header has 2.',
      't.csv: t.csv:2 rejected, syntax: 3 fields, but the header has 2.',
      't.csv: t.csv:3 rejected, encoding: Column "content": Not UTF-8: byte 0xE9 at offset 3. Choose with --encoding, e.g. latin1.',
      't.csv: 4 "D"',
    ]);
    expect((await read('t.csv', text, { encoding: 'latin1' }))[2]).toBe('t.csv: 3 "C"');
  });

  it('identifies rows by a column', async () => {
    const text = 'slug,title,content\na-b,A,x\n';
    expect(await read('t.csv', text, { keyField: 'slug' })).toEqual(['t.csv: a-b "A"']);
  });

  it.each([
    ['headline,body\nA,x\n', '"t.csv" has no column "title".', 'Columns: headline, body. Choose'],
    ['title,title,content\n', '"t.csv" has 2 columns "title".', 'Columns: title, title, content.'],
    [
      'title,con;tent\n',
      'What parts the columns of "t.csv" is not clear.',
      'Choose with --delimiter',
    ],
    [
      'title,content\nA,"x\nB,y\n',
      '"t.csv" is not a whole table: Quote Not Closed',
      'A quote that',
    ],
  ])('is refused with what would help: %j', async (text, message, hint) => {
    await expect(read('t.csv', text)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});
