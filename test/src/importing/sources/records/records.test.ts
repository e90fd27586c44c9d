import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { briefly, readSources, withFiles } from '../files.ts';

const record = (title: string, more: object = {}): object => ({ title, content: 'x', ...more });
const json = JSON.stringify;

async function read(
  name: string,
  text: string | Buffer,
  options: Parameters<typeof readSources>[1] = {},
): Promise<readonly string[]> {
  return withFiles({ [name]: text }, async (folder) =>
    briefly(await readSources([join(folder, name)], options)),
  );
}

describe('a JSON document that is one record', () => {
  it.each([
    ['on a line', json(record('A'))],
    ['on several', JSON.stringify(record('A', { tags: ['x'] }), undefined, 2)],
    ['with a byte order mark', `\uFEFF${json(record('A'))}`],
  ])('is read: %s', async (_name, text) => {
    expect(await read('d.json', text)).toEqual(['d.json: 1 "A"']);
  });

  it('has the identity of one record of many, so that it may grow to several', async () => {
    await withFiles(
      { 'd.json': json(record('A')), 'd.ndjson': `${json(record('A'))}\n` },
      async (folder) => {
        const [one, many] = await readSources([join(folder, 'd.json'), join(folder, 'd.ndjson')]);
        const [first, second] = [one?.entries[0], many?.entries[0]];
        expect(first).toMatchObject({ kind: 'record', identity: { namespace: 'd' } });
        expect(second).toMatchObject({ kind: 'record', identity: { namespace: 'd' } });
      },
    );
  });

  it.each([
    ['lists of objects', { tags: [{ name: 'x' }], authors: [{ name: 'y' }] }],
    ['the links of HAL', { id: 7, _links: { self: { href: '/a/7' }, curies: [{ name: 'b' }] } }],
    ['articles in it', { _embedded: { articles: [record('B'), record('C')] } }],
    ['content as lists too', { parts: [{ title: 'B', content: 'y' }] }],
  ])('may hold %s, before its text and behind', async (_name, more) => {
    for (const value of [
      { ...record('A'), ...more },
      { ...more, ...record('A') },
    ]) {
      const [found, ...others] = await read('d.json', json(value));
      expect([found?.replace(' 7 ', ' 1 '), ...others]).toEqual(['d.json: 1 "A"']);
    }
  });

  it.each([
    { url: 'https://b.example/a/7' },
    { _links: { self: { href: 'https://b.example/a/7' } } },
    { url: 'https://b.example/a/7', _links: { self: { href: '/a/8' } } },
  ])('names the article that it is, as it was saved: %j', async (more) => {
    await withFiles({ 'd.json': json(record('A', more)) }, async (folder) => {
      const [source] = await readSources([join(folder, 'd.json')]);
      expect(source?.entries).toMatchObject([{ article: 'https://b.example/a/7' }]);
    });
  });

  it('is one where --map leads to its texts', async () => {
    const value = { head: { line: 'A' }, body: { raw: 'x' }, tags: [{ name: 'x' }] };
    const map = { title: 'head.line', content: 'body.raw' };
    expect(await read('d.json', json(value), { map })).toEqual(['d.json: 1 "A"']);
  });

  it.each([
    ['the list is asked for', { ...record('A'), posts: [record('B')] }, 'posts'],
    ['its content is the list', { title: 'A', content: [record('B')] }, undefined],
    ['it has a title alone', { title: 'A', posts: [record('B')] }, undefined],
    [
      'it is a page of HAL',
      { _links: { curies: [{ name: 'b' }] }, _embedded: { articles: [record('B')] } },
      undefined,
    ],
  ])('is none where %s', async (_name, value, list) => {
    expect(await read('d.json', json(value), { list })).toEqual(['d.json: 1 "B"']);
  });

  it.each([
    ['{"title":A,"content":"x"}', 'syntax: Not JSON: '],
    ['{"title":null,"content":"x"}', 'title: The member "title" is not a text but null.'],
    ['{"title":"A","content":null}', 'content: The member "content" is not a text but null.'],
    ['{"a\\q":1,"title":"A","content":"x"}', '"d.json" is not whole JSON: Not JSON: '],
  ])('is rejected with the reason: %s', async (text, message) => {
    const said = await read('d.json', text).catch((error: Error) => [error.message]);
    expect(said).toEqual([expect.stringContaining(message)]);
  });

  it('is told what it lacks, by the members it has', async () => {
    const said = 'content: No member "content". Members here: title. Choose with --map content=…';
    expect(await read('d.json', '{"title":"A"}')).toEqual([`d.json: d.json:1 rejected, ${said}`]);
    const [usual] = await read('d.json', '{"title":"A","body":"x"}');
    expect(usual).toContain('Members here: title, body. Choose with --map content=body');
  });

  it.each([['{"posts":[]}'], ['{}'], ['[]']])('is not seen in %s', async (text) => {
    expect(await read('d.json', text)).toEqual([]);
  });

  it('is told where it breaks off', async () => {
    await expect(read('d.json', '{"title":"A","content":')).rejects.toMatchObject({
      message: '"d.json" is not whole JSON: The document ends in the middle at offset 23.',
    });
  });
});

describe('a file of JSON lines', () => {
  it.each([
    ['one a line', `${json(record('A'))}\n${json(record('B'))}\n`, ['1 "A"', '2 "B"']],
    ['no newline at the end', json(record('A')), ['1 "A"']],
    [
      'blank lines, which count as lines',
      `\n${json(record('A'))}\n\n${json(record('B'))}`,
      ['2 "A"', '4 "B"'],
    ],
    ['CR LF', `${json(record('A'))}\r\n${json(record('B'))}\r\n`, ['1 "A"', '2 "B"']],
    ['a byte order mark', `\uFEFF${json(record('A'))}`, ['1 "A"']],
    ['nothing', '', []],
  ])('is read: %s', async (_name, text, expected) => {
    expect(await read('d.ndjson', text)).toEqual(expected.map((line) => `d.ndjson: ${line}`));
  });

  it('keeps titles and texts as they stand', async () => {
    const text = { title: ' 1.10 \t', content: '\n\r\n  \uFEFF\u0000\u2028' };
    await withFiles({ 'd.ndjson': json(text) }, async (folder) => {
      const [source] = await readSources([join(folder, 'd.ndjson')]);
      expect(source?.entries[0]).toMatchObject(text);
    });
  });

  it.each([
    ['{"title":"A","content":', 'syntax: Not JSON: '],
    ['["A"]', 'syntax: Not an object but ["A"].'],
    ['7', 'syntax: Not an object but 7.'],
    [
      '{"content":"x"}',
      'title: No member "title". Members here: content. Choose with --map title=…',
    ],
    [
      '{"title":"A"}',
      'content: No member "content". Members here: title. Choose with --map content=…',
    ],
    ['{"title":7,"content":"x"}', 'title: The member "title" is not a text but 7.'],
    ['{"title":"A","content":null}', 'content: The member "content" is not a text but null.'],
    ['{"title":" ","content":"x"}', 'title: The title is empty.'],
    [
      '{"title":"\\ud83d","content":"x"}',
      'title: The title holds half a character (U+D83D) at position 1.',
    ],
    [
      '{"title":"A","content":"x\\udc00"}',
      'content: The content holds half a character (U+DC00) at position 2.',
    ],
  ])('rejects the line %s', async (line, expected) => {
    const [, second] = await read('d.ndjson', `${json(record('A'))}\n${line}\n`);
    expect(second).toContain(`d.ndjson: d.ndjson:2 rejected, ${expected}`);
  });

  it('names the offset of a wrong byte in the file', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${json(record('A'))}\n{"title":"`),
      Buffer.from([0xff]),
    ]);
    expect(await read('d.ndjson', bytes)).toEqual([
      'd.ndjson: 1 "A"',
      'd.ndjson: d.ndjson:2 rejected, encoding: Not UTF-8: byte 0xFF at offset 38. Choose with --encoding, e.g. latin1.',
    ]);
  });

  it('reads a line of 8 MB', async () => {
    const content = 'x'.repeat(8 << 20);
    const [first, second] = await read(
      'd.ndjson',
      `${json({ title: 'A', content })}\n${json(record('B'))}`,
    );
    expect([first, second]).toEqual(['d.ndjson: 1 "A"', 'd.ndjson: 2 "B"']);
  });
});

describe('a record that is not public', () => {
  it.each([
    [{ draft: true }, 'draft'],
    [{ Draft: 'yes' }, 'draft'],
    [{ published: false }, 'unpublished'],
    [{ PUBLISHED: 'off' }, 'unpublished'],
    [{ status: 'private' }, 'status private'],
    [{ publishedAt: '2999-01-01T00:00:00Z' }, 'future'],
    [{ PubDate: 'Tue, 01 Jan 2999 00:00:00 GMT' }, 'future'],
    [{ password: 'secret' }, 'password'],
    [{ visibility: 'members' }, 'visibility members'],
    [{ draft: false, Draft: true }, 'draft'],
  ])('is passed over: %j', async (sign, reason) => {
    // Not even a title is asked of it.
    const value = { content: 'x', ...sign };
    for (const [name, text] of [
      ['d.ndjson', json(value)],
      ['list.json', json([value])],
      ['one.json', json(value)],
    ] as const) {
      expect(await read(name, text)).toEqual([`${name}: ${name} skipped, ${reason}`]);
    }
    const named = json(record('A', sign));
    expect(await read('d.ndjson', named, { drafts: true })).toEqual(['d.ndjson: 1 "A"']);
    expect(await read('d.ndjson', named, { statuses: ['any'] })).toEqual(['d.ndjson: 1 "A"']);
  });

  it.each([
    { draft: false, published: true, status: 'Published', visibility: 'public', password: '' },
    { draft: null, published: '2020-01-01', date: '2020-01-01', status: null },
    { drafts: true, publisher: 'no', statuses: 'x' },
  ])('is not %j', async (signs) => {
    expect(await read('d.ndjson', json(record('A', signs)))).toEqual(['d.ndjson: 1 "A"']);
  });

  it('is published where it says nothing, which --status takes by that name alone', async () => {
    const plain = json(record('A', {}));
    const skipped = ['d.ndjson: d.ndjson skipped, status published'];
    expect(await read('d.ndjson', plain, { statuses: ['draft', 'nonsense'] })).toEqual(skipped);
    expect(await read('d.ndjson', plain, { statuses: ['publish'] })).toEqual(['d.ndjson: 1 "A"']);
  });
});

describe('a content that begins with front matter', () => {
  const map = { title: 'title', content: 'body_markdown' };
  const devTo = (head: string) => json({ id: 1, title: 'A', body_markdown: `${head}Text\n` });

  it.each([
    ['---\ntitle: A\npublished: false\n---\n', 'unpublished'],
    ['\uFEFF---\r\ntitle: A\r\npublished: no\r\n---\r\n', 'unpublished'],
    ['---\ntitle: A\ndate: 2999-01-01\n---\n', 'future'],
    ['---\ntitle: [\ndraft: true\n---\n', 'draft'],
    ['+++\ndraft = true\n+++\n', 'draft'],
    ['{"draft": true}\n', 'draft'],
  ])('is judged by it as a file is: %j', async (head, reason) => {
    const text = devTo(head);
    expect(await read('d.json', text, { map })).toEqual([`d.json: d.json skipped, ${reason}`]);
    for (const more of [{ drafts: true }, { statuses: ['draft', 'future'] }])
      expect(await read('d.json', text, { map, ...more })).toEqual(['d.json: 1 "A"']);
  });

  it.each([
    [{ url: 'http://127.0.0.1:8080/api/v1.2/blogs/1/articles/7' }, true],
    [{ id: 7, url: 'file:../blog.json#blog=2/7' }, true],
    [{ url: 'http://a.test/blogs/1/articles/7', slug: 'a' }, false],
    [{ url: 'https://a.test/articles/7' }, false],
    [{ id: 7 }, false],
  ])(
    'is that of an article where `articles export` wrote it and no other: %j',
    async (more, isPublic) => {
      const text = json({ title: 'A', content: '---\ndraft: true\n---\n', ...more });
      const [line = ''] = await read('d.json', text);
      expect(line.endsWith('"A"')).toBe(isPublic);
    },
  );

  it.each([
    '---\ntitle: A\npublished: true\n---\n',
    '---\nA line on top, and nothing that closes it. draft: true\n',
    '{% draft: true %}\n',
    'draft: true\n\n',
  ])('is public where that says nothing else: %j', async (head) => {
    expect(await read('d.json', devTo(head), { map })).toEqual(['d.json: 1 "A"']);
  });
});

describe('members named otherwise', () => {
  it.each([
    [
      { headline: 'A', body: 'x' },
      { title: 'headline', content: 'body' },
    ],
    [
      { head: { line: 'A' }, body: { raw: 'x' } },
      { title: 'head.line', content: 'body.raw' },
    ],
    [
      { 'head.line': 'A', content: 'x' },
      { title: 'head.line', content: 'content' },
    ],
  ])('are mapped: %j', async (value, map) => {
    expect(await read('d.ndjson', json(value), { map })).toEqual(['d.ndjson: 1 "A"']);
  });

  it('with the ids of Sanity are drafts where those say so', async () => {
    const ids = ['p1', 'drafts.p1', 'versions.r1.p1', 'draft'];
    const text = ids.map((_id) => json(record('A', { _id }))).join('\n');
    const skipped = 'd.ndjson: d.ndjson skipped, draft';
    const found = ['d.ndjson: p1 "A"', skipped, skipped, 'd.ndjson: draft "A"'];
    expect(await read('d.ndjson', text)).toEqual(found);
    expect(await read('d.ndjson', text, { drafts: true })).toHaveLength(4);
  });

  it.each<[Record<string, unknown>, outcome: string]>([
    [{ sys: { type: 'Entry', version: 3, publishedVersion: 2 } }, '1 "A"'],
    [{ sys: { type: 'Entry', revision: 1 } }, '1 "A"'],
    [{ sys: { version: 3 } }, '1 "A"'],
    [{ sys: { type: 'Entry', version: 3 } }, 'd.ndjson skipped, draft'],
    [
      { sys: { type: 'Entry', version: 3, publishedVersion: 2, archivedAt: '2020-01-01' } },
      'd.ndjson skipped, status archived',
    ],
    [{ 'draft.of': 'A' }, 'd.ndjson skipped, draft'],
    [{ 'draft.of': 'No' }, 'd.ndjson skipped, draft'],
    [{ 'draft.of': '' }, '1 "A"'],
    [{ 'draft.of': null }, '1 "A"'],
  ])('say in Contentful and TiddlyWiki what is a draft: %j', async (said, outcome) => {
    const found = await read('d.ndjson', json(record('A', said)));
    expect(found).toEqual([`d.ndjson: ${outcome}`]);
  });

  it.each(['drafts.ndjson', 'Drafts.tab', '_drafts/a.ndjson', 'Entwürfe.json'])(
    'of %s are drafts',
    async (name) => {
      await withFiles({ [`in/${name}`]: json(record('A')) }, async (folder) => {
        const found = async (drafts: boolean) =>
          briefly(await readSources([join(folder, 'in')], { drafts }));
        expect(await found(false)).toEqual([`in: ${name} skipped, draft`]);
        expect(await found(true)).toEqual(['in: 1 "A"']);
      });
    },
  );

  it.each(['drafts', 'Entwürfe', 'x.brouillons'])('of a list %s are drafts', async (list) => {
    const value = list
      .split('.')
      .reduceRight<unknown>((inner, name) => ({ [name]: inner }), [record('A')]);
    expect(await read('d.json', json(value), { list })).toEqual(['d.json: d.json skipped, draft']);
  });

  it('say what is not public where they are named', async () => {
    const value = record('A', { meta: { phase: 'roh' } });
    const map = { title: 'title', content: 'content', status: 'meta.phase' };
    expect(await read('d.ndjson', json(value), { map })).toEqual([
      'd.ndjson: d.ndjson skipped, status roh',
    ]);
    const misspelt = { ...map, status: 'Phsae' };
    const named = json(record('A', { phase: 'roh' }));
    expect(await read('d.ndjson', named, { map: misspelt })).toEqual([
      'd.ndjson: d.ndjson skipped, status no "Phsae"',
    ]);
    expect(await read('d.ndjson', named, { map: { ...map, status: 'Phase' } })).toEqual([
      'd.ndjson: d.ndjson skipped, status roh',
    ]);
    const date = { title: 'title', content: 'content', date: 'Terminn' };
    expect(
      await read('d.ndjson', json(record('A', { Termin: '2999-01-01' })), { map: date }),
    ).toEqual(['d.ndjson: d.ndjson skipped, date no "Terminn"']);
    const empty = json(record('A', { Terminn: '' }));
    const lacking = ['d.ndjson: d.ndjson skipped, date no "Terminn"'];
    expect(await read('d.ndjson', empty, { map: date })).toEqual(lacking);
    const omitted = { title: 'title', content: 'content', draft: 'skizze' };
    expect(await read('d.ndjson', named, { map: omitted })).toEqual(['d.ndjson: 1 "A"']);
  });

  it.each([
    [{ slug: 'a-b' }, 'd.ndjson: a-b "A"'],
    [{ slug: 7 }, 'd.ndjson: 7 "A"'],
    [
      {},
      'd.ndjson: d.ndjson:1 rejected, identity: The key "slug" is missing, not a text or number.',
    ],
    [
      { slug: '' },
      'd.ndjson: d.ndjson:1 rejected, identity: The key "slug" is "", not a text or number.',
    ],
  ])('identify a record: %j', async (more, expected) => {
    expect(await read('d.ndjson', json(record('A', more)), { keyField: 'slug' })).toEqual([
      expected,
    ]);
  });
});

describe('a JSON document', () => {
  const records = [record('A'), record('B')];

  it.each([
    ['an array', records],
    ['a list in a member', { total: 2, posts: records }],
    ['a list two levels down', { result: { items: records } }],
    [
      'a list with brackets in its texts',
      [record('A', { x: ']},"{[' }), record('B', { y: [[1], {}] })],
    ],
  ])('is read: %s', async (_name, value) => {
    const expected = ['d.json: 1 "A"', 'd.json: 2 "B"'];
    expect(await read('d.json', json(value))).toEqual(expected);
    expect(await read('d.json', json(value, null, 2))).toEqual(expected);
    expect(await read('d.json', `\uFEFF ${json(value)}\n`)).toEqual(expected);
  });

  it('is read across the chunks of a long file', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      title: `T${n}`,
      content: 'é"\\'.repeat(30),
    }));
    await withFiles({ 'd.json': json({ posts: many }) }, async (folder) => {
      const [source] = await readSources([join(folder, 'd.json')]);
      expect(source?.entries.map((entry) => (entry.kind === 'record' ? entry.title : ''))).toEqual(
        many.map(({ title }) => title),
      );
    });
  });

  it('of objects one a line is not one document', async () => {
    expect(await read('d.json', `${json(record('A'))}\n${json(record('B'))}\n`)).toEqual([
      'd.json: 1 "A"',
      'd.json: 2 "B"',
    ]);
  });

  it('with several lists asks which one is meant', async () => {
    const value = { posts: records, pages: [record('P')] };
    await expect(read('d.json', json(value))).rejects.toMatchObject({
      code: 'unusable-input',
      message: '"d.json" holds 2 lists of records.',
      hint: 'Choose one: --list posts, --list pages.',
    });
    expect(await read('d.json', json(value), { list: 'pages' })).toEqual(['d.json: 1 "P"']);
  });

  it.each([
    [{ a: { items: records } }, 'There is: --list a.items.'],
    [records, 'It is read without --list.'],
    [record('A'), 'It is read without --list.'],
  ])('without the list that is asked for says which there is: %j', async (value, hint) => {
    await expect(read('d.json', json(value), { list: 'posts' })).rejects.toMatchObject({
      code: 'unusable-input',
      message: '"d.json" has no list "posts".',
      hint,
    });
  });

  it.each([{ posts: [], items: records }, { a: { posts: 1 } }])(
    'holds nothing where the list is empty, or no other is there: %j',
    async (value) => expect(await read('d.json', json(value), { list: 'posts' })).toEqual([]),
  );

  it.each([
    ['{"posts":[{"title":"A","content":"x"}', 'The document ends in the middle'],
    ['[{"title":"A","content":"x"}]]', 'Text after the end of the document'],
    ['{"posts":[{"title":"A","content":"x"}}', 'Unexpected "}"'],
  ])('that is broken is read no further: %s', async (text, message) => {
    await expect(read('d.json', text)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(message),
    });
  });

  it('rejects the one item that is wrong', async () => {
    expect(await read('d.json', '[{"title":"A","content":"x"}, {"title":A}, 7,]')).toEqual([
      'd.json: 1 "A"',
      expect.stringMatching(/^d\.json: d\.json:2 rejected, syntax: Not JSON: /),
      'd.json: d.json:3 rejected, syntax: Not an object but 7.',
      expect.stringMatching(/^d\.json: d\.json:4 rejected, syntax: Not JSON: /),
    ]);
  });
});

describe('stdin', () => {
  it('is kept and read like a file', async () => {
    const lines = [`${json(record('A'))}\n`, Buffer.from(json(record('B')))];
    expect(briefly(await readSources(['-'], {}, lines))).toEqual(['stdin: 1 "A"', 'stdin: 2 "B"']);
  });
});

describe('a source without a single sign', () => {
  it.each(['d.ndjson', 'd.json', 'd.csv', 'd.xml', 'd.txt'])(
    'holds nothing, whatever its format: %s',
    async (name) => {
      for (const text of ['', ' \r\n\n', '\uFEFF']) expect(await read(name, text)).toEqual([]);
    },
  );

  it('may be stdin', async () => {
    expect(briefly(await readSources(['-'], {}, []))).toEqual([]);
  });
});

describe('a file of no known format', () => {
  it('is refused with the formats there are', async () => {
    await expect(read('d.dat', 'Hello')).rejects.toMatchObject({
      code: 'unusable-input',
      message: '"d.dat" is in no format that can be imported.',
      hint: 'Formats: a folder of Markdown (.md .mdx .markdown .html), WordPress (WXR), RSS, RDF, Atom, Ghost, JSON Feed, a rejects file, NDJSON, JSON, a Markdown file, CSV or TSV, plain text (.txt).',
    });
  });
});

describe('whole numbers beyond 2^53', () => {
  const [one, other] = ['1098765432109876543', '1098765432109876544'];
  const item = (id: string): string => `{"id":${id},"title":"T","content":"\\"${one}: ${one}"}`;

  it.each([
    ['d.ndjson', `${item(one)}\n${item(other)}\n`],
    ['d.json', `[${item(one)},${item(other)}]`],
    ['d.json', `{"posts":[${item(one)},${item(other)}]}`],
  ])('are told apart, digit by digit: %s', async (name, text) => {
    await withFiles({ [name]: text }, async (folder) => {
      const [source] = await readSources([join(folder, name)]);
      expect(source?.entries).toMatchObject(
        [one, other].map((id) => ({
          identity: { name: `id:${id}` },
          content: `"${one}: ${one}`,
        })),
      );
    });
  });

  it.each([
    ['-1098765432109876543', 'id:-1098765432109876543'],
    ['9007199254740991', 'id:9007199254740991'],
    ['1098765432109876543.5', 'id:1098765432109876500'],
  ])('or as JavaScript has them where it can: %s', async (number, name) => {
    await withFiles({ 'd.ndjson': item(number) }, async (folder) => {
      const [source] = await readSources([join(folder, 'd.ndjson')]);
      expect(source?.entries).toMatchObject([{ identity: { name } }]);
    });
  });

  it('are still JSON that must be well-formed', async () => {
    for (const wrong of ['01098765432109876543', '1098765432109876543x', '--1098765432109876543']) {
      expect((await read('d.ndjson', item(wrong)))[0]).toContain('syntax: Not JSON');
    }
    expect((await read('d.ndjson', '{1098765432109876543:1}'))[0]).toContain('syntax: Not JSON');
  });
});

describe('a sign that stands twice in a record', () => {
  it.each([
    ['{"draft":true,"draft":false,"title":"T","content":"x"}', 'draft'],
    ['{"title":"T","status":"draft","content":"\\"},{","status":"published"}', 'draft'],
    ['{"title":"T","content":"\\"draft\\": \\"draft\\"","draft":false}', undefined],
    ['{"title":"T","content":"x","meta":{"draft":true},"draft":false}', undefined],
  ])('counts wherever it says so: %s', async (text, reason) => {
    expect(await read('d.ndjson', `${text}\n`)).toEqual([
      reason === undefined ? 'd.ndjson: 1 "T"' : `d.ndjson: d.ndjson skipped, ${reason}`,
    ]);
    expect(await read('d.json', `[${text}]`)).toEqual([
      reason === undefined ? 'd.json: 1 "T"' : `d.json: d.json skipped, ${reason}`,
    ]);
  });
});

describe('a sign beside a title further in', () => {
  it('counts as those of the record do', async () => {
    const map = { title: 'attributes.title', content: 'attributes.body.raw' };
    const line = (more: object): string =>
      json({ attributes: { title: 'T', body: { raw: 'x' }, ...more }, meta: { draft: true } });
    const text = [{ publishedAt: null }, { is_draft: true }, { publishedAt: '2020-01-01' }].map(
      line,
    );
    expect(await read('d.ndjson', text.join('\n'), { map })).toEqual([
      'd.ndjson: d.ndjson skipped, unpublished',
      'd.ndjson: d.ndjson skipped, draft',
      'd.ndjson: 3 "T"',
    ]);
  });
});
