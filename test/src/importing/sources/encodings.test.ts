import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readSources, withFiles } from './files.ts';

/** Title and content of what is read, or the error and its message. */
async function read(name: string, bytes: Buffer, encoding?: string): Promise<readonly unknown[]> {
  return withFiles({ [name]: bytes }, async (folder) => {
    const reads = await readSources([join(folder, name)], { encoding });
    return reads.flatMap(({ entries }) =>
      entries.map((entry) => {
        if (entry.kind === 'record') return [entry.title, entry.content];
        return entry.kind === 'reject'
          ? `${entry.error.class}: ${entry.error.message}`
          : entry.kind;
      }),
    );
  });
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytesOf = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** "ソ表" in Shift_JIS: both characters end in the byte of a backslash. */
const kana = Buffer.from([0x83, 0x5c, 0x95, 0x5c]);
/** "联通" in GBK, whose bytes are well-formed UTF-8 too, and "中文", whose bytes are not. */
const gbk = Buffer.from([0xc1, 0xaa, 0xcd, 0xa8]);
const chinese = Buffer.from([0xd6, 0xd0, 0xce, 0xc4]);

describe('an encoding is named for what is not UTF-8', () => {
  it.each([
    ['d.ndjson', '{"title":"é","content":"x"}\n', '{"title":"ü","content":"y"}\n'],
    ['d.json', '[{"title":"é","content":"x"},', '{"title":"ü","content":"y"}]'],
    ['d.csv', 'title,content\né,x\n', 'ü,y\n'],
  ])('so UTF-8 stays what it is, record by record: %s', async (name, first, second) => {
    const mixed = bytesOf(first, latin1(second));
    const expected = [
      ['é', 'x'],
      ['ü', 'y'],
    ];
    expect(await read(name, mixed, 'latin1')).toEqual(expected);
    expect(await read(name, bytesOf(first, second), 'latin1')).toEqual(expected);
    expect((await read(name, mixed))[1]).toContain('Not UTF-8: byte 0xFC');
  });

  const rss = '<rss version="2.0"><channel><item><title>é</title><guid>1</guid>';
  it.each([
    ['a.md', '---\ntitle: é\n---\nx', ['é', 'x']],
    ['f.xml', `${rss}<description>x</description></item></channel></rss>`, ['é', 'x']],
    [
      'f.xml',
      `<?xml version="1.0" encoding="latin1"?>${rss}<description>x</description></item></channel></rss>`,
      ['é', 'x'],
    ],
    ['d.json', '{"title":"é","content":"x"}', ['é', 'x']],
  ])('so a whole file of UTF-8 stays what it is: %s', async (name, text, expected) => {
    expect(await read(name, Buffer.from(text), 'latin1')).toEqual([expected]);
    expect(await read(name, latin1(text), 'latin1')).toEqual([expected]);
  });

  it('decides for a record as a whole: a short title may look like UTF-8 by chance', async () => {
    const pairs = [['联通', '中文']];
    const line = bytesOf('{"title":"', gbk, '","content":"', chinese, '"}');
    expect(await read('d.ndjson', line, 'gbk')).toEqual(pairs);
    expect(await read('d.json', bytesOf('[', line, ']'), 'gbk')).toEqual(pairs);
    expect(await read('d.csv', bytesOf('title,content\n', gbk, ',', chinese), 'gbk')).toEqual(
      pairs,
    );
  });

  it.each([
    ['d.ndjson', '{"title":"', '","content":"', '"}\n', '{"title":"ソ","content":"\\"é\\\\"}'],
    ['d.json', '[{"title":"', '","content":"', '"},', '{"title":"ソ","content":"\\"é\\\\"}]'],
    ['d.csv', 'title|content\n"', '"|', '\n', '"ソ"|"""é\\"'],
  ])('sees no sign in half a character: %s', async (name, ...[before, between, after, utf8]) => {
    const bytes = bytesOf(before, kana, between, kana, after, utf8);
    expect(await read(name, bytes, 'sjis')).toEqual([
      ['ソ表', 'ソ表'],
      ['ソ', '"é\\'],
    ]);
  });

  it.each([
    ['d.ndjson', '{"title":"A","content":"', '"}'],
    ['d.json', '{"title":"A","content":"', '"}'],
    ['list.json', '[{"title":"A","content":"', '"}]'],
    ['d.csv', 'title,content\nA,"', '"'],
    ['a.md', '---\ntitle: A\n---\n', ''],
  ])('and what is neither is wrong, each record alone: %s', async (name, before, after) => {
    const bytes = bytesOf(before, Buffer.from([0x81, 0x20]), after);
    const [error] = await read(name, bytes, 'shift_jis');
    expect(error).toMatch(
      /^encoding: .*Neither UTF-8 nor shift_jis: its bytes mean no character\.$/,
    );
  });

  it.each(['d.ndjson', 'd.json', 'd.csv', 'd.xml'])(
    'must be one that there is, for %s of UTF-8 too',
    async (name) => {
      await expect(read(name, Buffer.from('{"title":"A"}'), 'klingon')).rejects.toMatchObject({
        code: 'usage',
        message: 'There is no encoding "klingon".',
      });
    },
  );
});

describe('UTF-16', () => {
  const texts = {
    'd.ndjson': '{"title":"é 😀","content":"x"}\n',
    'd.json': '[{"title":"é 😀","content":"x"}]',
    'one.json': '{"title":"é 😀","content":"x"}',
    'd.csv': 'title,content\r\né 😀,x\r\n',
    'd.tsv': 'title\tcontent\r\né 😀\tx\r\n',
    'a.md': '---\ntitle: é 😀\n---\nx',
    'f.xml':
      '<rss><channel><item><title>é 😀</title><description>x</description><guid>1</guid></item></channel></rss>',
  } as const;

  it.each(Object.entries(texts))('is known by its mark: %s', async (name, text) => {
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    const named = Buffer.from(text, 'utf16le');
    const expected = [['é 😀', 'x']];
    expect(await read(name, little)).toEqual(expected);
    expect(await read(name, little, 'latin1')).toEqual(expected);
    expect(await read(name, big)).toEqual(expected);
    expect(await read(name, named, 'utf-16le')).toEqual(expected);
    expect(await read(name, Buffer.from(text), 'utf-16le')).toEqual(expected);
  });

  it.each(['utf16le', 'big'])('of a post without its mark is told: %s', async (order) => {
    const little = Buffer.from('---\ntitle: T\ndraft: true\n---\nx', 'utf16le');
    const bytes = order === 'big' ? little.swap16() : little;
    expect(await read('a.md', bytes)).toEqual([
      'content: It holds NUL bytes, as UTF-16 does: an import takes --encoding utf-16le.',
    ]);
    expect(await read('a.md', bytes, order === 'big' ? 'utf-16be' : 'utf-16le')).toEqual(['skip']);
  });

  it('that is broken spoils one record', async () => {
    const half = Buffer.from([0x00, 0xd8]);
    const lines = [
      Buffer.from('\uFEFF{"title":"A","content":"\uFFFD"}\n{"title":"', 'utf16le'),
      half,
      Buffer.from('","content":"x"}\n{"title":"B","content":"x"}\n', 'utf16le'),
    ];
    const long = Buffer.from(`{"title":"C","content":"${'x'.repeat(200_000)}"}\n`, 'utf16le');
    const [, second, third, fourth] = await read('d.ndjson', bytesOf(...lines, long));
    expect(second).toBe('encoding: Its bytes mean no character in the encoding of the file.');
    expect(third).toEqual(['B', 'x']);
    expect(fourth).toMatchObject(['C', expect.stringMatching(/^x{200000}$/)]);
  });

  it('may be a stream, and long', async () => {
    const text = 'é'.repeat(300_000);
    const bytes = Buffer.from(`\uFEFF{"title":"A","content":"${text}"}`, 'utf16le');
    const [source] = await readSources(['-'], {}, [bytes]);
    expect(source?.entries).toMatchObject([{ title: 'A', content: text }]);
  });
});

it('reads the seven bits of ISO-2022-JP', async () => {
  // 表 is 0x49 0x3D, ※ is 0x22 0x28: between the escapes every byte is a sign of ASCII.
  const word = Buffer.from([0x1b, 0x24, 0x42, 0x49, 0x3d, 0x22, 0x28, 0x1b, 0x28, 0x42]);
  const line = bytesOf('{"title":"', word, '","content":"x"}\n');
  expect(await read('d.ndjson', line, 'iso-2022-jp')).toEqual([['表※', 'x']]);
  expect(await read('d.ndjson', Buffer.from('{"title":"é","content":"x"}'), 'iso-2022-jp')).toEqual(
    [['é', 'x']],
  );
});

describe('windows-1252, which the web calls latin1 and ASCII too', () => {
  /** The bytes 0x80 to 0xFF, by https://encoding.spec.whatwg.org/index-windows-1252.txt. */
  const bytes = Buffer.from(Array.from({ length: 128 }, (_, index) => 0x80 + index));
  const text =
    '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ' +
    Array.from({ length: 96 }, (_, index) => String.fromCharCode(0xa0 + index)).join('');
  const xml = '<rss version="2.0"><channel><item><title>a</title><description>';
  const xmlEnd = '</description></item></channel></rss>';

  it.each(['latin1', 'windows-1252', 'cp1252', 'iso-8859-1', 'ascii', 'L1'])(
    'is read by its table under the name %s',
    async (label) => {
      for (const [name, before, after] of [
        ['a.md', '---\ntitle: a\n---\n', ''],
        ['d.ndjson', '{"title":"a","content":"', '"}\n'],
        ['d.json', '[{"title":"a","content":"', '"}]'],
        ['d.csv', 'title,content\na,', '\n'],
        ['f.xml', xml, xmlEnd],
      ] as const) {
        expect(await read(name, bytesOf(before, bytes, after), label)).toEqual([['a', text]]);
      }
    },
  );

  it.each(['ISO-8859-1', 'windows-1252', 'us-ascii'])(
    'is read by it where XML declares %s',
    async (label) => {
      const file = bytesOf(`<?xml version="1.0" encoding="${label}"?>${xml}`, bytes, xmlEnd);
      expect(await read('f.xml', file)).toEqual([['a', text]]);
    },
  );
});
