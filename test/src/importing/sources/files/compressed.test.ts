import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { readChunks } from '../../../../../src/importing/sources/chunks.ts';
import { briefly, readSources, withFiles } from '../files.ts';

const records = '{"id":1,"title":"A","content":"a"}\n{"id":2,"title":"B","content":"b"}\n';
const rss = '<rss><channel><item><title>A</title><guid>1</guid></item></channel></rss>';

async function read(name: string, bytes: Buffer | string): Promise<readonly string[]> {
  return withFiles({ [name]: bytes }, async (folder) =>
    briefly(await readSources([join(folder, name)])),
  );
}

describe('a file compressed by gzip', () => {
  it.each([
    ['p.ndjson.gz', records, ['1 "A"', '2 "B"']],
    ['p.json.GZ', JSON.stringify([{ title: 'A', content: 'a', id: 3 }]), ['3 "A"']],
    ['p.csv.gz', 'title,content,id\nA,a,1\n', ['1 "A"']],
    ['p.xml.gz', rss, ['1 "A"']],
    ['p', rss, ['1 "A"']],
    ['empty.gz', '', []],
  ])('is read as what it holds: %s', async (name, text, expected) => {
    expect(await read(name, gzipSync(text))).toEqual(expected.map((line) => `${name}: ${line}`));
  });

  it('is read from stdin, and in several members', async () => {
    const [first = '', second = ''] = records.split(/(?<=\n)/);
    const packed = Buffer.concat([gzipSync(first), gzipSync(second)]);
    const chunks = [packed.subarray(0, 1), packed.subarray(1)];
    expect(briefly(await readSources(['-'], {}, chunks))).toEqual(['stdin: 1 "A"', 'stdin: 2 "B"']);
  });

  it('has the identities it has unpacked', async () => {
    await withFiles(
      { 'a/p.csv': 'title,content\nA,a\n', 'b/p.csv.gz': gzipSync('title,content\nA,a\n') },
      async (folder) => {
        const named = [join(folder, 'a/p.csv'), join(folder, 'b/p.csv.gz')];
        const [plain, packed] = await readSources(named);
        expect(packed?.entries[0]).toMatchObject({ identity: { namespace: 'p' } });
        expect(plain?.entries[0]).toMatchObject({ identity: { namespace: 'p' } });
      },
    );
  });

  const packed = gzipSync(records.repeat(1_000));
  it.each([
    ['cut off', packed.subarray(0, -20), 'gzip says "unexpected end of file"'],
    [
      'changed',
      Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]),
      'gzip says "incorrect data check"',
    ],
  ])('is refused where it is not whole: %s', async (_name, bytes, reason) => {
    await expect(read('p.ndjson.gz', bytes)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(`"p.ndjson.gz" is not whole: ${reason}`),
    });
  });

  it('is read no further than 200 times its size', async () => {
    const member = gzipSync(Buffer.alloc(1 << 24));
    const bomb = Buffer.concat(Array.from({ length: 18 }, () => member));
    await withFiles({ 'bomb.gz': bomb }, async (folder) => {
      let length = 0;
      const reading = async () => {
        for await (const chunk of readChunks(join(folder, 'bomb.gz'))) length += chunk.length;
      };
      await expect(reading()).rejects.toMatchObject({
        code: 'unusable-input',
        message: expect.stringContaining('"bomb.gz" unpacks to more than 200 times its size'),
      });
      expect(length).toBe(1 << 28);
    });
  });
});

describe('a file that is no text', () => {
  const zip = (name: string): Buffer =>
    Buffer.from(`PK\x03\x04${'\0'.repeat(26)}${name}`, 'latin1');

  it.each([
    ['a.7z', Buffer.from('7z\xBC\xAF\x27\x1C', 'latin1'), 'a 7z archive', /^Unpack/],
    ['a.tar', Buffer.from(`a.md${'\0'.repeat(253)}ustar\x0000`), 'a tar archive', /^Unpack/],
    ['a.tgz', gzipSync(`a.md${'\0'.repeat(253)}ustar\x0000`), 'a tar archive', /^Unpack/],
    ['a.rar', Buffer.from('Rar!\x1A\x07\0'), 'a rar archive', /^Unpack/],
    ['a.xz', Buffer.from('\xFD7zXZ\0', 'latin1'), 'compressed by xz', /^Unpack/],
    ['a.bz2', Buffer.from('BZh91AY&SY'), 'compressed by bzip2', /^Unpack/],
    ['a.pdf', Buffer.from('%PDF-1.7\n%\xE2'), 'a PDF document', /pandoc/],
    ['a.docx', zip('word/document.xml'), 'a Word document (.docx)', /pandoc/],
    ['a.xlsx', zip('xl/workbook.xml'), 'an Excel workbook (.xlsx)', /CSV/],
    ['a.pptx', zip('[Content_Types].xml'), 'an Office document', /pandoc/],
    [
      'a.odt',
      zip('mimetypeapplication/vnd.oasis.opendocument.text'),
      'an OpenDocument file',
      /pandoc/,
    ],
    ['a.epub', zip('mimetypeapplication/epub+zip'), 'an EPUB book', /pandoc/],
    ['a.rtf', Buffer.from('{\\rtf1\\ansi'), 'an RTF document', /pandoc/],
    ['a.db', Buffer.from('SQLite format 3\0'), 'an SQLite database', /CSV/],
    ['a.png', Buffer.from('\x89PNG\r\n', 'latin1'), 'a PNG image', /texts only/],
    ['a.jpg', Buffer.from('\xFF\xD8\xFF\xE0', 'latin1'), 'a JPEG image', /texts only/],
  ])('is named as what it is: %s', async (name, bytes, what, hint) => {
    await expect(read(name, bytes)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(`"${name}" is ${what}`),
      hint: expect.stringMatching(hint),
    });
  });
});
