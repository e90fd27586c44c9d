import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { decodeHTMLStrict } from 'entities/decode';

import { createXmlRepair } from '../../../../../src/importing/sources/formats/xml-markup.ts';
import { briefly, readSources, withFiles } from '../files.ts';

type Options = Parameters<typeof readSources>[1];

async function read(text: string | Buffer, options: Options = {}): Promise<readonly string[]> {
  return withFiles({ export: text }, async (folder) =>
    briefly(await readSources([join(folder, 'export')], options)),
  );
}

const item = (id: number, title: string, more = ''): string => `<item><title>${title}</title>
<wp:comment><wp:post_id>999</wp:post_id><title>no</title></wp:comment>
<content:encoded><![CDATA[Text & <b>more</b> of ${id}]]></content:encoded>
<wp:post_id>${id}</wp:post_id>${more.includes('<wp:status>') ? '' : '<wp:status>publish</wp:status>'}${more}</item>`;
const state = (type: string, status: string): string =>
  `<wp:post_type><![CDATA[${type}]]></wp:post_type><wp:status>${status}</wp:status>`;
const wxr = (...items: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8" ?>\n<!-- made by hand -->\n<rss version="2.0"><channel>
<title>A blog</title><wp:wxr_version>1.2</wp:wxr_version>${items.join('\n')}</channel></rss>`;

describe('46: an export of WordPress', () => {
  const items = wxr(
    item(7, 'First', state('post', 'publish')),
    item(8, '<![CDATA[ Tom & Jerry &amp; co ]]>', state('post', 'draft')),
    item(9, 'Tom &amp; Jerry &#8212; co', state('page', 'publish')),
    item(10, 'Picture', state('attachment', 'inherit')),
    item(11, '', state('post', 'trash')),
  );

  it.each([
    ['published posts', {}, ['7 "First"', 'export skipped, draft']],
    ['drafts too', { drafts: true }, ['7 "First"', '8 "Tom & Jerry &amp; co"']],
    [
      'what has a state',
      { statuses: ['draft'] },
      ['export skipped, status published', '8 "Tom & Jerry &amp; co"'],
    ],
  ])('gives %s', async (_name, options: Options, expected) => {
    expect(await read(items, options)).toEqual([
      ...expected.map((line) => `export: ${line}`),
      'export: export skipped, type page',
      'export: export skipped, type attachment',
      'export: export skipped, status trash',
    ]);
  });

  it('gives other kinds of items when they are named', async () => {
    const read9 = (await read(items, { types: ['post', 'page'], statuses: ['any'] })).slice(2);
    expect(read9).toEqual([
      'export: 9 "Tom & Jerry — co"',
      'export: export skipped, type attachment',
      'export: export:5 rejected, title: The item has no title. --title-from line takes the first line of its text.',
    ]);
  });

  it('keeps a text as it stands, however it was cut into sections', async () => {
    const content = '<![CDATA[a ]]]]><![CDATA[> b\u2028 & &amp; \n]]>&lt;c&gt;';
    const text = wxr(
      `<item><title>T</title><wp:post_id>1</wp:post_id><wp:status>publish</wp:status><content:encoded>${content}</content:encoded></item>`,
    );
    await withFiles({ 'e.xml': text }, async (folder) => {
      const [source] = await readSources([join(folder, 'e.xml')]);
      expect(source?.entries[0]).toMatchObject({ content: 'a ]]> b\u2028 & &amp; \n<c>' });
    });
  });

  it.each([
    ['ISO-8859-1', (text: string) => Buffer.from(text, 'latin1')],
    ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['utf-8', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ])('is read in the encoding it declares: %s', async (label, encode) => {
    const text = wxr(item(1, 'Caf\u00E9')).replace('UTF-8', label);
    expect(await read(encode(text))).toEqual(['export: 1 "Caf\u00E9"']);
  });

  it.each([
    [
      'is left as it is where it is UTF-8',
      'latin1',
      Buffer.from(wxr(item(1, 'Caf\u00E9'))),
      'Caf\u00E9',
    ],
    [
      'decodes what is not',
      'latin1',
      Buffer.from(wxr(item(1, 'Caf\u00E9')), 'latin1'),
      'Caf\u00E9',
    ],
    [
      'does not outrank a byte order mark',
      'latin1',
      Buffer.from(`\uFEFF${wxr(item(1, '\u65E5'))}`, 'utf16le'),
      '\u65E5',
    ],
    [
      'decodes UTF-16 without a mark',
      'utf-16le',
      Buffer.from(wxr(item(1, 'A')).replace(/^.*\n/, ''), 'utf16le'),
      'A',
    ],
  ])('and the encoding that was named %s: %s', async (_what, encoding, bytes, title) => {
    expect(await read(bytes, { encoding })).toEqual([`export: 1 "${title}"`]);
  });

  it.each([
    ['cut off', wxr(item(1, 'A')).slice(0, -20), 'unclosed tag: '],
    ['with a control character', wxr(item(1, 'A\u001F')), 'disallowed character'],
    ['with a stray ampersand', wxr(item(1, 'A & B')), 'line 4, column 73: an "&" begins no entity'],
    [
      'with an entity of HTML',
      wxr(item(1, 'A\n &mdash; B')),
      'line 5, column 2: "&mdash;" is no entity',
    ],
    [
      'behind a blank line',
      `\n${wxr(item(1, 'A'))}`,
      'line 2, column 6: an XML declaration must be at',
    ],
    [
      'with entities of its own',
      wxr(item(1, '&a;')).replace('<!--', '<!DOCTYPE rss [<!ENTITY a "b">]><!--'),
      'it has a document type (DOCTYPE), which could define entities',
    ],
    [
      'in other bytes than it says',
      Buffer.from(wxr(item(1, 'Caf\u00E9')), 'latin1'),
      'is not UTF-8: wrong bytes',
    ],
  ])('that is not whole is read no further: %s', async (_name, text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(message),
    });
  });

  it('is mended when asked for', async () => {
    const text = `\uFEFF\n\n ${wxr(item(1, 'A\u001F & B &mdash; &LT;&bogus; &amp; &#x1F;C'))}`;
    expect(await read(text, { repairXml: true })).toEqual([
      'export: 1 "A & B \u2014 <&bogus; & C"',
    ]);
  });

  it('is mended the same wherever its chunks end', () => {
    const text =
      ' \n<?x a&b?>a & b &amp; <![CDATA[x & \u0001y ]] ]]> & <!-- -&-> --><c>&#1;&#65;&nbsp;&CounterClockwiseContourIntegral;</c>\u000B&';
    const whole = createXmlRepair(decodeHTMLStrict);
    const expected = whole.write(text) + whole.end();
    expect(expected).toBe(
      '<?x a&b?>a &amp; b &amp; <![CDATA[x & y ]] ]]> &amp; <!-- -&-> --><c>&#65;\u00A0\u2233</c>&amp;',
    );
    for (let cut = 0; cut <= text.length; cut += 1) {
      const repair = createXmlRepair(decodeHTMLStrict);
      expect(repair.write(text.slice(0, cut)) + repair.write(text.slice(cut)) + repair.end()).toBe(
        expected,
      );
    }
  });
});

describe('an export of Ghost', () => {
  const post = (uuid: string, more: object = {}): object => ({
    uuid,
    title: `Post ${uuid}`,
    html: `<p>${uuid}</p>`,
    status: 'published',
    type: 'post',
    ...more,
  });
  const posts = [
    post('a'),
    post('b', { status: 'draft' }),
    post('c', { type: 'page' }),
    { id: 4, title: 'Old', html: null, mobiledoc: null, status: 'published', page: 0 },
    post('e', { html: null, lexical: '{}' }),
    post('f', { uuid: undefined }),
    7,
  ];
  const tags = [{ id: 1, name: 'news' }];

  it.each([
    ['of its own', { db: [{ meta: { version: '5' }, data: { tags, posts } }] }],
    ['made by a tool', { meta: {}, data: { posts, tags } }],
  ])('%s gives published posts', async (_name, value) => {
    expect(await read(JSON.stringify(value))).toEqual([
      'export: a "Post a"',
      'export: export skipped, draft',
      'export: export skipped, type page',
      'export: 4 "Old"',
      'export: export:5 rejected, content: The post has no "html", only what the editor of Ghost understands.',
      'export: 6 "Post f"',
      'export: export:7 rejected, syntax: Not an object but 7.',
    ]);
  });
});

describe('a post of Ghost', () => {
  it.each([
    ['before', 1],
    ['behind', true],
    ['behind', 0],
  ])('is sent by email alone where that stands %s the posts: %j', async (where, value) => {
    const posts = JSON.stringify([{ id: 'a', title: 'T', html: 'x', status: 'published' }]);
    const meta = JSON.stringify([{ id: 'm', post_id: 'a', email_only: value }]);
    const parts = [`"posts_meta": ${meta}`, `"posts": ${posts}`];
    const data = (where === 'before' ? parts : parts.toReversed()).join();
    const [line] = await read(`{"db": [{"data": {${data}}}]}`);
    expect(line).toBe(`export: ${value === 0 ? 'a "T"' : 'export skipped, visibility emailonly'}`);
  });

  const ghost = (post: object, settings: readonly object[] = []): string =>
    JSON.stringify({ db: [{ data: { posts: [{ title: 'T', html: 'h', ...post }], settings } }] });

  it.each([
    [
      { visibility: 'public', status: 'Published', published_at: '2020-01-01T00:00:00.000Z' },
      '"T"',
    ],
    [{}, 'skipped, status unknown'],
    [{ visibility: 'members', status: 'published' }, 'skipped, visibility members'],
    [{ visibility: 'paid', status: 'published' }, 'skipped, visibility paid'],
    [{ visibility: 'tiers', status: 'published' }, 'skipped, visibility tiers'],
    [{ status: 'scheduled' }, 'skipped, future'],
    [{ status: 'published', published_at: '2035-01-01T00:00:00.000Z' }, 'skipped, future'],
    [{ status: 'sent' }, 'skipped, status sent'],
  ])('%j is %s', async (post, expected) => {
    const [line] = await read(ghost({ id: 'x', ...post }));
    expect(line?.replace(/^export: (?:export|x) /, '')).toBe(expected);
  });

  it('is known by its uuid, else by its id and the site of the settings', async () => {
    const settings = [
      { key: 'title', value: 'A' },
      { key: 'url', value: 'https://a.test/' },
    ];
    const identity = async (post: object) =>
      withFiles(
        { 'a.ghost.2020-01-01.json': ghost({ status: 'published', ...post }, settings) },
        async (folder) => {
          const [source] = await readSources([join(folder, 'a.ghost.2020-01-01.json')]);
          return source?.entries[0];
        },
      );
    expect(await identity({ uuid: 'u', id: 1 })).toMatchObject({
      identity: { namespace: '', name: 'uuid:u' },
    });
    expect(await identity({ id: '5f' })).toMatchObject({
      identity: { namespace: 'https://a.test', name: 'id:5f' },
    });
  });
});

describe('other encodings', () => {
  it.each([
    [
      'shift_jis',
      Buffer.from([
        0x2d, 0x2d, 0x2d, 0x0a, 0x74, 0x69, 0x74, 0x6c, 0x65, 0x3a, 0x20, 0x93, 0xfa, 0x96, 0x7b,
        0x0a, 0x2d, 0x2d, 0x2d, 0x0a,
      ]),
      '日本',
    ],
    ['latin1', Buffer.from('---\ntitle: Caf\u00E9\n---\n', 'latin1'), 'Café'],
    ['utf-16le', Buffer.from('\uFEFF---\ntitle: Caf\u00E9\n---\n', 'utf16le'), 'Café'],
  ])('are read when they are named: %s', async (encoding, bytes, title) => {
    expect(await read(bytes, { encoding })).toEqual([`export: export "${title}"`]);
  });

  it('must be the right ones', async () => {
    expect(
      await read(Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0x81, 0x0a]), { encoding: 'shift_jis' }),
    ).toEqual([
      'export: export:1 rejected, encoding: Neither UTF-8 nor shift_jis: its bytes mean no character.',
    ]);
    await expect(read('---\n', { encoding: 'klingon' })).rejects.toMatchObject({
      code: 'usage',
      message: 'There is no encoding "klingon".',
    });
  });
});
