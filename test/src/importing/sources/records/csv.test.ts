import { join } from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readRows } from '../../../../../src/importing/sources/formats/csv-rows.ts';
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

function isNoNotice(line: string): boolean {
  return !/ (?:repeated-column|not-read)$/.test(line);
}

describe('a table', () => {
  it.each([
    ['commas', 't.csv', 'title,content\nA,x\nB,y\n'],
    ['semicolons', 't.csv', 'title;content\nA;x\nB;y\n'],
    ['tabs', 't.csv', 'title\tcontent\nA\tx\nB\ty\n'],
    ['bars', 't.csv', 'title|content\nA|x\nB|y\n'],
    ['commas in quotes in its header', 't.csv', '"x, y, z";title;content\n1;A;x\n2;B;y'],
    ['CR LF and a byte order mark', 't.csv', '\uFEFF"title",content\r\nA,x\r\nB,y\r\n'],
    ['CR alone', 't.csv', 'title,content\rA,x\rB,"y"\r'],
    ['CR LF and LF', 't.csv', 'title,content\r\nA,x\nB,y\r\n'],
    ['rows of commas and blanks', 't.csv', 'title,content\n,\nA,x\n , \n"",""\nB,y\n,'],
    ['what Excel says', 't.csv', 'sep=|\r\ntitle|content\r\nA|x\r\nB|y\r\n'],
    ['what Excel says in quotes', 't.csv', '\uFEFF"sep=\t"\ntitle\tcontent\nA\tx,;,\nB\ty\n'],
    ['a sign given beside that line', 't.csv', 'sep=;\ntitle,content\nA,x\nB,y\n', ','],
    ['a header in another case, with white space', 't.csv', 'Title, CONTENT \nA,x\nB,y\n'],
    ['such a header under another name', 't.data', '" TITLE ";"Content"\nA;x\nB;y\n'],
    ['bytes of UTF-16', 't.csv', Buffer.from('\uFEFFtitle\tcontent\nA\tx\nB\ty\n', 'utf16le')],
    ['blank lines', 't.csv', 'title,content\n\nA,x\n\nB,y\n'],
    ['another name', 't.data', 'id,title,content\n1,A,x\n2,B,y\n'],
  ])('parted by %s is read row by row', async (_name, file, text, delimiter?: string) => {
    const lines = await read(file, text, { delimiter });
    const rows = lines.filter(isNoNotice).map((row) => row.replace(/ \d+ /, ' '));
    expect(rows).toEqual([`${file}: "A"`, `${file}: "B"`]);
  });

  it.each([
    ['line breaks, quotes and delimiters', '"one\r\ntwo, ""three"""', 'one\r\ntwo, "three"'],
    ['quotes inside of an unquoted field', 'say "no" twice', 'say "no" twice'],
    ['white space', '  x\t', '  x\t'],
    ['nothing', '', ''],
    ['a byte order mark of its own', '\uFEFFx', '\uFEFFx'],
    ['what no text should hold', '"a\u0000b\u0001\r"', 'a\u0000b\u0001\r'],
  ])('keeps %s in a field', async (_name, field, content) => {
    await withFiles({ 't.csv': `title,content\n A ,${field}\n` }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      expect(source?.entries[0]).toMatchObject({ title: ' A ', content });
    });
  });

  it('keeps a field of megabytes', async () => {
    const content = 'é,"\n'.repeat(1_200_000);
    const text = `title,content\nA,"${content.replaceAll('"', '""')}"\nB,x\n`;
    await withFiles({ 't.csv': text }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      const [first, second] = source?.entries ?? [];
      expect(first?.kind === 'record' && first.content === content).toBe(true);
      expect(second).toMatchObject({ title: 'B', place: { position: 1_200_003 } });
    });
  });

  it('rejects a row with another number of fields, and one with wrong bytes, alone', async () => {
    const text = Buffer.from('title,content\nA\nB,x,y\nC,caf\u00E9\nD,z\n', 'latin1');
    expect(await read('t.csv', text)).toEqual([
      't.csv: t.csv:2 rejected, syntax: 1 fields, but the header has 2.',
      't.csv: t.csv:3 rejected, syntax: 3 fields, but the header has 2.',
      't.csv: t.csv:4 rejected, encoding: Column "content": Not UTF-8: byte 0xE9 at offset 3. Choose with --encoding, e.g. latin1.',
      't.csv: 5 "D"',
    ]);
    expect((await read('t.csv', text, { encoding: 'latin1' }))[2]).toBe('t.csv: 4 "C"');
  });

  it('counts lines, not rows, wherever its texts break', async () => {
    const text = 'title,content\r\n\r\nA,"x\r\n\r\ny"\r\nB,"z\nz"\r\n,\r\nC,x\r\n';
    expect(await read('t.csv', text)).toEqual(['t.csv: 3 "A"', 't.csv: 6 "B"', 't.csv: 9 "C"']);
  });

  it('identifies rows by a column', async () => {
    const text = 'Slug,title,content\na-b,A,x\n';
    expect(await read('t.csv', text, { keyField: 'slug' })).toEqual(['t.csv: a-b "A"']);
  });

  it('uses the first of several columns of a name, and says so', async () => {
    const text = 'id,title,content,id,\n1,A,x,9,\n2,B,y,9,\n';
    expect(await read('t.csv', text)).toEqual([
      't.csv: t.csv repeated-column',
      't.csv: 1 "A"',
      't.csv: 2 "B"',
    ]);
  });

  it('passes over rows that are not public, by columns in any case', async () => {
    const text =
      'title,content,Status,PUBLISHED_AT\nA,x,Draft,\nB,x,publish,2999-01-01\nC,x,,2020-01-01\nD,x,,\nE,x,,NULL\nF,x,,\\N\n';
    expect(await read('t.csv', text)).toEqual([
      't.csv: t.csv skipped, draft',
      't.csv: t.csv skipped, future',
      't.csv: 4 "C"',
      ...Array.from({ length: 3 }, () => 't.csv: t.csv skipped, unpublished'),
    ]);
    expect(await read('t.csv', text, { drafts: true })).toHaveLength(6);
  });

  it.each([
    ['headline,body\nA,x\n', '"t.csv" has no column "title".', 'Columns: headline, body. Choose'],
    ['title,title,content\n', '"t.csv" has 2 columns "title".', 'Columns: title, title, content.'],
    ['Title,TITLE,content\n', '"t.csv" has 2 columns "title".', 'Columns: Title, TITLE, content.'],
    [
      'title,con;tent\n',
      'What parts the columns of "t.csv" is not clear.',
      'Choose with --delimiter',
    ],
    [
      '"title,content\nA,x\n',
      'The header of "t.csv" cannot be read: A quote that opens a field is not closed.',
      'Repair its first line',
    ],
    [
      Buffer.from('title,content,stra\u00DFe\nA,x,y\n', 'latin1'),
      'The header of "t.csv" cannot be read: Not UTF-8: byte 0xDF at offset 4.',
      'name the encoding of the file with --encoding',
    ],
    [
      Buffer.from('title,content\nA,x\n', 'utf16le'),
      'The header of "t.csv" cannot be read: It holds NUL bytes, as UTF-16 does.',
      '--encoding, e.g. utf-16le',
    ],
  ])('is refused with what would help: %j', async (text, message, hint) => {
    await expect(read('t.csv', text)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

const torn =
  'rejected, syntax: A quote that opens a field is not closed. Inside of a field quotes are doubled.';

describe('a quote that is not closed', () => {
  it('costs its own row alone, however many come behind it', async () => {
    async function* chunks() {
      yield Buffer.from(`a\tb\na\t"b\tc\n${'a\tb\n'.repeat(150_000)}`);
    }
    let [spoilt, whole] = [0, 0];
    const dialect = { delimiter: '\t', escape: '"', newline: '\n' } as const;
    for await (const rows of readRows(chunks(), dialect))
      for (const { isTorn } of rows) {
        if (isTorn) spoilt += 1;
        else whole += 1;
      }
    expect([spoilt, whole]).toEqual([1, 150_001]);
  });

  it.each([
    ['where no other follows', 'A,x\nB,"y\nC,z\n', ['2 "A"', `t.csv:3 ${torn}`, '4 "C"']],
    ['before quotes', 'B,"y\nC,"z"\nD,w\n', [`t.csv:2 ${torn}`, '3 "C"', '4 "D"']],
    ['in the last row', 'A,x\nB,"y', ['2 "A"', `t.csv:3 ${torn}`]],
    ['behind blank lines', '\n\r\nB,"y\nC,"z"\n', [`t.csv:4 ${torn}`, '5 "C"']],
    [
      'in several rows',
      'A,"x\nB,"y\nC,"z"\nD,"w\nE,v\n',
      [`t.csv:2 ${torn}`, `t.csv:3 ${torn}`, '4 "C"', `t.csv:5 ${torn}`, '6 "E"'],
    ],
    ['in the first column', '"B,y\nC,"z"\n', [`t.csv:2 ${torn}`, '3 "C"']],
    ['behind a text of lines', 'B,"y\ny"\nC,"z\nD,w', ['2 "B"', `t.csv:4 ${torn}`, '5 "D"']],
    ['because text follows on its line', 'B,"no" he said\nC,z\n', ['2 "B"', '3 "C"']],
    ['or is one of its text', 'B,"""y"" z\nz"\nC,z\n', ['2 "B"', '4 "C"']],
  ])('spoils one row at most: %s', async (_name, rows, expected) => {
    const found = await read('t.csv', `title,content\n${rows}`);
    expect(found).toEqual(expected.map((row) => `t.csv: ${row}`));
  });

  it('is a text between tabs, unless it opens a field of several lines', async () => {
    const rows = ['A\t"', 'B\t"x', '"C\ty', 'D\t5" x', 'E\t"', 'F\t"two', 'lines"', 'G\tz', ''];
    await withFiles({ 't.tsv': ['title\tcontent', ...rows].join('\n') }, async (folder) => {
      const [source] = await readSources([join(folder, 't.tsv')]);
      expect(source?.entries).toMatchObject([
        { title: 'A', content: '"' },
        { title: 'B', content: '"x' },
        { title: '"C', content: 'y' },
        { title: 'D', content: '5" x' },
        { title: 'E', content: '"' },
        { title: 'F', content: 'two\nlines' },
        { title: 'G', content: 'z' },
      ]);
    });
  });

  it('is found in each row of a long table', async () => {
    const rows = Array.from({ length: 4_000 }, (_, n) => `T${n},"${'x'.repeat(60)}`);
    const found = await read('t.csv', ['title,content', ...rows, 'End,z', ''].join('\n'));
    expect(found).toHaveLength(4_001);
    expect(found.at(-2)).toBe(`t.csv: t.csv:4001 ${torn}`);
    expect(found.at(-1)).toBe('t.csv: 4002 "End"');
  });
});

describe('a quote behind a backslash', () => {
  const { raw } = String;

  it.each([
    [
      'of MySQL',
      raw`A,"C:\\d"` + '\n' + raw`B,"say \"no\", twice"`,
      [raw`C:\d`, 'say "no", twice'],
    ],
    ['of MySQL, over lines', 'A,"one \\"1\\"\\\ntwo"\nB,"x"', ['one "1"\ntwo', 'x']],
    ['at the end of a path', 'A,"C:\\d\\"\nB,"D:\\"', ['C:\\d\\', 'D:\\']],
    ['beside doubled ones', raw`A,"say \""no\"", twice"` + '\nB,y', [raw`say \"no\", twice`, 'y']],
  ])('is read as it is meant: %s', async (_name, rows, contents) => {
    await withFiles({ 't.csv': `title,content\n${rows}` }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      expect(source?.entries).toMatchObject(contents.map((content) => ({ content })));
    });
  });
});

describe('the rows of a table', () => {
  const signs = ['a', 'é', '"', ',', '\n', '\r\n', ' ', '\\'];
  const text = fc.string({ unit: fc.constantFrom(...signs) });
  const dialect = { delimiter: ',', escape: '"', newline: '\n' } as const;
  const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

  async function* chunksOf(whole: Buffer, bytes: number): AsyncGenerator<Buffer, void, void> {
    const chunk = Buffer.alloc(bytes);
    for (let at = 0; at < whole.length; at += bytes) {
      // The same buffer each time, as files are read.
      yield chunk.subarray(0, whole.copy(chunk, 0, at, at + bytes));
    }
  }

  it('are found wherever chunks end, with the lines where they begin', async () => {
    const table = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 });
    const bytes = fc.integer({ min: 1, max: 30 });
    const newline = fc.constantFrom('\n', '\r\n');
    const property = fc.asyncProperty(table, bytes, newline, fc.boolean(), async (...given) => {
      const [rows, size, end, isEnded] = given;
      const lines = rows.map((row) => row.map(quoted).join(','));
      const whole = Buffer.from(lines.join(end) + (isEnded ? end : ''));
      const found: unknown[] = [];
      for await (const batch of readRows(chunksOf(whole, size), dialect)) {
        for (const { fields, line } of batch) found.push([fields.map(String), line]);
      }
      let next = 1;
      const expected = rows.map((row, index) => {
        const line = next;
        next += lines[index]?.split('\n').length ?? 0;
        return [row, line];
      });
      expect(found).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('a table of MySQL', () => {
  const raw = String.raw;
  const quoted = raw`0,"say \"no\"",x`;

  /** What is read of a row behind one that shows how the table escapes, in front of another. */
  async function second(row: string): Promise<unknown> {
    const text = `id,title,content\n${quoted}\n${row}\n2,"C",z\n`;
    return withFiles({ 't.csv': text }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      const entries = (source?.entries ?? []).filter(({ kind }) => kind !== 'notice');
      expect(entries).toHaveLength(3);
      return entries[1];
    });
  }

  it.each([
    [raw`1,"B","a\nb\tc\r\\n"`, 'a\nb\tc\r\\n'],
    [raw`1,B,a\tb\"c\"`, 'a\tb"c"'],
    [raw`1,"B","a\0\'\%\q\Z"`, "a\0'%q\u001A"],
    [raw`1,"B","\\N \N"`, '\\N N'],
    [raw`1,B,a\,b`, 'a,b'],
    ['1,"B","a\\\nb"', 'a\nb'],
    ['1,"B",""', ''],
  ])('has its escapes: %s', async (row, content) => {
    expect(await second(row)).toMatchObject({ title: 'B', content });
  });

  it.each([raw`\N`, raw`"\N"`])('has no value where NULL is written: %s', async (written) => {
    expect(await second(`1,B,${written}`)).toMatchObject({
      kind: 'reject',
      error: { message: 'The member "content" is not a text but null.' },
      record: { id: '1', title: 'B', content: null },
    });
  });

  it('has no public row where NULL says when it was published', async () => {
    const rows = [raw`"A \"x\"",x,2020-01-01`, raw`B,x,\N`];
    const text = `title,content,published_at\n${rows.join('\n')}\n`;
    expect(await read('t.csv', text)).toEqual([
      't.csv: 2 "A "x""',
      't.csv: t.csv skipped, unpublished',
    ]);
  });

  it.each([
    [raw`1,B,"C:\temp"`, raw`C:\temp`],
    [raw`1,B,"a \d+"`, raw`\d`],
  ])('may hold backslashes that are none of it, and says so once: %s', async (row, shown) => {
    const text = `id,title,content\n${quoted}\n${row}\n${row}\n`;
    await withFiles({ 't.csv': text }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      const notices = (source?.entries ?? []).filter(({ kind }) => kind === 'notice');
      expect(notices).toMatchObject([
        { place: { position: 3 }, notice: { kind: 'unclear-backslash' } },
      ]);
      expect(JSON.stringify(notices)).toContain(JSON.stringify(shown).slice(1, -1));
    });
  });

  it('is told where quotes are also doubled, so that one way is wrong', async () => {
    const text = `title,content\n${raw`"say \"x\"",y`}\n"B","a ""b"" c"\n`;
    const [notice, ...rest] = await read('t.csv', text);
    expect(notice).toBe('t.csv: t.csv unclear-backslash');
    expect(rest).toHaveLength(2);
  });

  it('is none without an escaped quote: then a backslash stands for itself', async () => {
    const content = raw`C:\temp\new \\N`;
    await withFiles({ 't.csv': `id,title,content\n1,B,"${content}"\n` }, async (folder) => {
      const [source] = await readSources([join(folder, 't.csv')]);
      expect(source?.entries).toMatchObject([{ content }]);
    });
  });
});

describe('the columns of a table that keep its rows from the public', () => {
  it.each([
    ['draft,draft', 'true,false', 'draft'],
    ['draft,draft', 'false,true', 'draft'],
    ['post_status,post_date', 'draft,2020-01-01', 'draft'],
    ['post_status,post_password', 'publish,x', 'password'],
    ['post_status,post_date', 'publish,2099-01-01 00:00:00', 'future'],
  ])('%s: %s', async (columns, values, reason) => {
    const text = `post_title,post_content,${columns}\nA,x,${values}\nB,x,,\n`;
    const map = { title: 'post_title', content: 'post_content' };
    const found = await read('t.csv', text, { map });
    expect(found.filter(isNoNotice)).toEqual([`t.csv: t.csv skipped, ${reason}`, 't.csv: 3 "B"']);
  });

  it('are named where nobody else knows their names; the others that are not read are told', async () => {
    const columns = 'ID;title;content;Termin;Phase;Schloss';
    const text = `${columns}\n1;A;x;2099-01-01;live;\n2;B;x;2020-01-01;roh;\n3;C;x;2020-01-01;live;x\n4;D;x;2020-01-01;live;`;
    const map = { title: 'title', content: 'content', date: 'Termin', status: 'Phase' };
    const password = { ...map, password: 'Schloss' };
    await withFiles({ 't.csv': text }, async (folder) => {
      const [{ entries } = { entries: [] }] = await readSources([join(folder, 't.csv')], { map });
      const [first] = entries;
      expect(first).toMatchObject({ kind: 'notice', notice: { kind: 'not-read' } });
      expect(first).toMatchObject({
        notice: { message: expect.stringContaining('Not read: "Schloss". ') },
      });
    });
    expect(await read('t.csv', text, { map: password })).toEqual([
      't.csv: t.csv skipped, future',
      't.csv: t.csv skipped, status roh',
      't.csv: t.csv skipped, password',
      't.csv: 4 "D"',
    ]);
    await expect(read('t.csv', text, { map: { ...map, date: 'Tag' } })).rejects.toMatchObject({
      message: '"t.csv" has no column "Tag".',
    });
  });
});
