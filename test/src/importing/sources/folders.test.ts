import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { openSources } from '../../../../src/importing/sources/open-sources.ts';
import type { ReadingOptions } from '../../../../src/importing/sources/source.ts';
import { briefly, readSources, withFiles, type Files } from './files.ts';

const post = (title: string, head = ''): string => `---\ntitle: ${title}\n${head}---\nText\n`;
const line = (title: string, others = ''): string =>
  `{"title": "${title}", "content": "c"${others}}\n`;
const wxr = (title: string): string =>
  `<?xml version="1.0"?><rss><channel><item><title>${title}</title><guid>${title}</guid></item></channel></rss>`;

/** What an import of the folder `s` reads, and what it says of the files it does not read. */
async function read(files: Files, options: Partial<ReadingOptions> = {}, pattern = '') {
  const inFolder = Object.entries(files).map(([name, text]) => [`s/${name}`, text]);
  return withFiles(Object.fromEntries(inFolder), async (folder) => {
    const reads = await readSources([`${folder}/s${pattern}`], options);
    const notices = reads
      .flatMap(({ entries }) => entries)
      .flatMap((entry) => (entry.kind === 'notice' ? [entry.notice.message] : []));
    const lines = briefly(reads).map((each) => each.replace(/^s: /, ''));
    return {
      lines: lines.filter((each) => !/ (?:not-read|unclear-file|no-pages)$/.test(each)),
      notices,
    };
  });
}

describe('a folder', () => {
  it('is read in the order of its paths, files of records among posts', async () => {
    const files = {
      'a.csv': 'title,content,id\nA,a,a\n',
      'b.md': post('B'),
      'c.ndjson': line('C', ',"id":"c"') + line('D', ',"id":"d"'),
      'e.json': `[${line('E', ',"id":"e"')}]`,
      'sub/f.xml': wxr('F'),
      'z.md': post('Z'),
    };
    const { lines, notices } = await read(files);
    const titles = lines.map((each) => each.replace(/^\S+ /, ''));
    expect(titles).toEqual(['"A"', '"B"', '"C"', '"D"', '"E"', '"F"', '"Z"']);
    expect(notices).toEqual([]);
  });

  it('holds the records that its files hold when they are named themselves', async () => {
    const files = { 'sub/dump-1.ndjson': line('A', ',"id":1'), 'sub/dump-2.ndjson': line('B') };
    await withFiles(files, async (folder) => {
      const names = [`${folder}/sub/dump-1.ndjson`, `${folder}/sub/dump-2.ndjson`];
      const identities = async (named: readonly string[]) =>
        (await readSources(named)).flatMap(({ entries }) =>
          entries.map((entry) => entry.kind === 'record' && entry.identity),
        );
      expect(await identities([folder])).toEqual(await identities(names));
    });
  });

  it('rejects what is wrong in a file of records as if it were named itself', async () => {
    const { lines } = await read({ 'a.ndjson': `${line('A', ',"id":"a"')}{"title": "B"\n` });
    expect(lines).toEqual(['a "A"', expect.stringMatching(/^a\.ndjson:2 rejected, syntax: /)]);
  });

  it.each([
    ['data of other things', { 'data.ndjson': '{"x":1}\n', 'data.json': '[{"x":1},{"x":2}]' }],
    ['settings', { 'package.json': '{"name":"x","version":"1"}' }],
    ['pages that a generator fills', { 'feed.xml': '---\n---\n<?xml?>', 'a.json': '---\n---\n[]' }],
    ['an XML of no posts', { 'sitemap.xml': '<?xml version="1.0"?><urlset></urlset>' }],
    [
      'a store file',
      { 'blog.json': '{"format":"blogctl/1",\n"blogs":[\n{"id":1,"title":"T"}\n]}' },
    ],
  ])('may hold %s: they are counted, not read', async (_name, files: Files) => {
    const { lines, notices } = await read({ 'p.md': post('P'), ...files });
    expect(lines).toEqual(['p.md "P"']);
    expect(notices).toEqual([expect.stringMatching(/^Not read: \d \.\w+(?:, \d \.\w+)?\.$/)]);
  });

  it('may hold the rejects of an earlier import, which are no records of it, whatever they say', async () => {
    const begins = '{"source":"a.ndjson","position":1,"stage":';
    const files = {
      's.rejects.ndjson': `${begins}"read","importId":"","record":"---"}\n`,
      't.rejects.ndjson': `${begins}"send","class":"refused","status":422,"importId":"t","record":{"title":"A","content":""}}\n`,
    };
    const like = '{"source":"shelf","position":1,"stage":"read","title":"Read","content":"x"}\n';
    const { lines, notices } = await read({ 'p.md': post('P'), 'read.ndjson': like, ...files });
    expect(lines).toEqual(['p.md "P"', '1 "Read"']);
    expect(notices).toEqual([
      'Not read: 2 rejects files. Name a rejects file itself to import it.',
    ]);
  });

  it.each([
    [
      'd.json',
      '{"posts":[{"title":"A","content":"a"}],"pages":[{"title":"B","content":"b"}]}',
      /^"d\.json" holds 2 lists of records\. It is passed over\. Choose one: --list posts, --list pages\.$/,
    ],
    [
      'd.csv',
      'x,y\n1,2\n',
      /^"d\.csv" has no column "title"\. It is passed over\. Columns: x, y\./,
    ],
    ['d.zip', 'PK\x03\x04', /^"d\.zip" is a zip archive, which is not read\. It is passed over\./],
  ])('says of a file what only the user can do with it: %s', async (name, text, message) => {
    const { lines, notices } = await read({ [name]: text, 'p.md': post('P') });
    expect(lines).toEqual(['p.md "P"']);
    expect(notices).toEqual([expect.stringMatching(message)]);
  });

  it('does not go on where a file of records is broken', async () => {
    await expect(read({ 'd.json': `[${line('A')},{` })).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringMatching(/^"d\.json" is not whole JSON: /),
    });
  });

  it('says what it passes over by kind, the most frequent first', async () => {
    const files = {
      'a.png': '',
      'b.jpeg': '',
      'c.SVG': '',
      'd.rst': '',
      'sub/e.rst': '',
      'f.textile': '',
      Makefile: '',
      'p.md': post('P'),
    };
    const { notices } = await read(files);
    expect(notices).toEqual([
      'Not read: 3 images, 2 .rst, 1 .textile, 1 other. Convert .rst and .textile to Markdown first.',
    ]);
  });

  it('counts kinds without end together', async () => {
    const many = Array.from({ length: 40 }, (_, number) => [`a.x${number}`, '']);
    const { notices } = await read({ 'p.md': post('P'), ...Object.fromEntries(many) });
    expect(notices).toEqual([expect.stringMatching(/^Not read: 28 other, 1 \.x0, /)]);
  });

  it.each([
    [undefined, ['b.txt "B"'], ['Not read: 1 .txt. --title-from line imports .txt too.']],
    ['line', ['a.txt "First line"', 'b.txt "B"'], []],
    ['filename', ['a.txt "a"', 'b.txt "B"'], []],
  ] as const)(
    'takes plain text with a title; --title-from %s',
    async (titleFrom, lines, notices) => {
      const files = { 'a.txt': '\nFirst line\nText\n', 'b.txt': post('B') };
      expect(await read(files, { titleFrom })).toEqual({ lines, notices });
    },
  );

  it('takes a file of any name by a pattern, where it holds records', async () => {
    const files = { 'a.dump': line('A', ',"id":"a"'), 'b.dump': '\u0000', 'c.css': '---\n---\n' };
    const { lines, notices } = await read(files, {}, '/*');
    expect(lines).toEqual(['a "A"']);
    expect(notices).toEqual(['Not read: 1 .css, 1 .dump.']);
  });
});

describe('an export of Medium', () => {
  const page = '<html><body><h1>T</h1></body></html>';
  const names = ['README', 'ips/ips-1', 'posts/2020-01-01_T', 'posts/draft_T', 'profile/profile'];
  const files = Object.fromEntries(names.map((name) => [`${name}.html`, page]));

  it('is read for its posts alone, with drafts too', async () => {
    const options = { titleFrom: 'h1', drafts: true } as const;
    const { lines, notices } = await read(files, options);
    expect(lines).toEqual(['posts/2020-01-01_T.html "T"', 'posts/draft_T.html "T"']);
    expect(notices).toEqual(['Not read: 3 .html.']);
    expect((await read(files, options, '/ips')).lines).toEqual([]);
  });
});

describe('a plain text that is named itself', () => {
  it.each([
    ['First line\nText', 'line', 'a.txt: 1 "First line"'],
    [post('T'), undefined, 'a.txt: 1 "T"'],
    [line('T', ',"id":"t"'), 'line', 'a.txt: t "T"'],
    [
      'First line\nText',
      undefined,
      'a.txt: a.txt:1 rejected, title: No front matter, so no title. Add one, or choose --title-from h1, line or filename.',
    ],
  ] as const)('is %j, with --title-from %s', async (text, titleFrom, expected) => {
    await withFiles({ 'a.txt': text }, async (folder) => {
      const found = briefly(await readSources([`${folder}/a.txt`], { titleFrom }));
      expect(found.map((each) => each.replace(': a.txt "', ': 1 "'))).toEqual([expected]);
    });
  });
});

describe('the title of a file name', () => {
  it('is the same however the file is reached', async () => {
    const files = { 'blog/.git/HEAD': '', 'blog/my-post/index.md': 'a', 'blog/index.md': 'b' };
    await withFiles(files, async (folder) => {
      for (const named of [
        ['blog'],
        ['blog/index.md', 'blog/my-post'],
        ['blog/index.md', 'blog/my-post/index.md'],
      ]) {
        const paths = named.map((name) => `${folder}/${name}`);
        const reads = await readSources(paths, { titleFrom: 'filename' });
        const entries = reads.flatMap(({ entries: each }) => each);
        const titles = entries.map((entry) => entry.kind === 'record' && entry.title);
        expect(titles).toEqual(['index', 'my post']);
      }
    });
  });
});

describe('a markup that is not read', () => {
  it.each(['a.rst', 'a.textile', 'a.adoc', 'a.org'])(
    'is named with what to do: %s',
    async (name) => {
      await withFiles({ [name]: post('T') }, async (folder) => {
        await expect(readSources([`${folder}/${name}`])).rejects.toMatchObject({
          code: 'unusable-input',
          message: `"${name}" is neither Markdown nor HTML.`,
          hint: 'Convert it to one of them first, e.g. with pandoc.',
        });
      });
    },
  );
});

describe('an order', () => {
  const files = {
    '2020-03-01-c.md': post('C'),
    'a/z.md': post('Z', 'date: 2020-01-01\n'),
    'b/2020-02-01-x/index.md': post('X'),
    'b/d.ndjson': line('D', ',"id":"d"'),
    'b/e.md': '+++\ntitle = "E"\ndate = 2020-01-15T10:00:00Z\n+++\n',
    'b/m.md': post('M'),
    'b/y.md': post('Y', 'date: today\n'),
    'c/n.md': post('N', 'date: 2020-01-01 00:00:01 +0100\n'),
  };

  it.each([
    ['date', 'N Z E X C D M Y'],
    ['name', 'C D E X M N Y Z'],
    [undefined, 'C Z X D E M Y N'],
  ] as const)('of posts by %s', async (sort, expected) => {
    const { lines } = await read(files, { sort });
    const records = lines.filter((each) => each.endsWith('"'));
    expect(records.map((each) => each.slice(-2, -1)).join(' ')).toBe(expected);
  });

  it('holds for posts of several folders and files', async () => {
    await withFiles(files, async (folder) => {
      const named = [`${folder}/c/n.md`, `${folder}/b`, `${folder}/a/*.md`];
      const [source, ...others] = await readSources(named, { sort: 'date' });
      expect(others).toEqual([]);
      const titles = source?.entries.flatMap((entry) =>
        entry.kind === 'record' ? [entry.title] : [],
      );
      expect(titles?.join(' ')).toBe('N Z E X D M Y');
    });
  });

  const table = 'title,content,date\nB,x,2021-01-01\nA,y,2020-01-01\n';
  it.each([
    ['d.csv', table, 'date'],
    ['d.csv', table, 'name'],
    ['d.ndjson', '{"title":"B","content":"x"}\n{"title":"A","content":"y"}\n', 'date'],
    ['d.json', '[{"title":"B","content":"x"},{"title":"A","content":"y"}]', 'name'],
  ] as const)('is not that of the records of %s, which is said', async (name, text, sort) => {
    const kinds = ['not-sorted', '"B"', '"A"'].map((end) => expect.stringMatching(`${end}$`));
    await withFiles({ [name]: text }, async (folder) => {
      const [source, ...others] = await readSources([`${folder}/${name}`], { sort });
      expect(others).toEqual([]);
      expect(source?.entries[0]).toMatchObject({
        notice: {
          message: `--sort ${sort} has no effect on a file of records: they stay in its order.`,
        },
      });
      expect(briefly(source === undefined ? [] : [source])).toEqual(kinds);
      const unsorted = briefly(await readSources([`${folder}/${name}`]));
      expect(unsorted).toEqual(kinds.slice(1));
    });
  });

  it('is not that of records in a folder, which is said where it goes by dates', async () => {
    const folder = { 'd.csv': table, 'e.csv': 'name,size\na,b\n' };
    const said = (lines: readonly string[]) => lines.filter((each) => each.includes('not-sorted'));
    expect(said((await read(folder, { sort: 'date' })).lines)).toEqual(['d.csv not-sorted']);
    expect(said((await read(folder, { sort: 'name' })).lines)).toEqual([]);
  });
});

describe('posts by the hundred', () => {
  it('are read in batches of some dozens, of fewer where they are long', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 75 }, (_, at) => [`${at}.md`, post(`P${at}`)]),
    );
    const long = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`${at}.md`, post('L') + 'x'.repeat(40_000)]),
    );
    expect(await batchesOf(files)).toEqual([32, 32, 11]);
    expect(await batchesOf(long)).toEqual([2, 2, 2]);
  });
});

async function batchesOf(files: Files): Promise<readonly number[]> {
  return withFiles(files, async (folder) => {
    const reading = { drafts: false, now: 0, map: { title: 'title', content: 'content' } };
    const { sources } = await openSources([folder], reading, Readable.from([]));
    const sizes: number[] = [];
    for (const source of sources) {
      for await (const batch of source.batches()) sizes.push([...batch].length);
    }
    return sizes;
  });
}

describe('what another file says of the posts of a folder', () => {
  it.each([
    ['---\ntitle: S\ncascade:\n  draft: true\n---\n', 'draft'],
    ['---\ncascade:\n  - build: {render: never}\n---\n', 'visibility unlisted'],
    ['---\ncascade: {draft: true\n---\n', 'draft'],
    ['+++\n[cascade]\npublishDate = "2027-01-01"\n+++\n', 'future'],
    ['{"cascade": [{"draft": true}]}\n', 'draft'],
  ])('is taken from the cascade of Hugo: %j', async (index, reason) => {
    const files = { 'a/_index.md': index, 'a/b/c.md': post('C'), 'd.md': post('D') };
    const skipped = ['a/_index.md skipped, section-page', `a/b/c.md skipped, ${reason}`];
    expect((await read(files)).lines).toEqual([...skipped, 'd.md "D"']);
    expect((await read(files, { drafts: true })).lines).toContain('a/b/c.md "C"');
    const inFrench = { 'a/_index.fr.md': index, 'a/b/c.md': post('C') };
    expect((await read(inFrench)).lines).toContain(`a/b/c.md skipped, ${reason}`);
  });

  it.each([
    '---\ndraft: true\n---\n',
    '---\ncascade:\n  layout: x\n  draft: false\n---\n',
    'No cascade: draft: true\n',
  ])('is nothing where Hugo would apply nothing: %j', async (index) => {
    const { lines } = await read({ 'a/_index.md': index, 'a/b.md': post('B') });
    expect(lines).toEqual(['a/_index.md skipped, section-page', 'a/b.md "B"']);
  });

  it.each(['w/w.json', 'w/w.11tydata.json', 's.json'])(
    'is taken from the data of Eleventy in %s',
    async (name) => {
      const files = { [name]: '{"draft": true, "tags": ["x"]}', 'w/b/c.md': post('C') };
      const { lines, notices } = await read(files);
      expect(lines).toEqual(['w/b/c.md skipped, draft']);
      expect(notices).toEqual(['Not read: 1 .json.']);
    },
  );

  it.each([`{"status": "ok", "items": [${line('I', ',"id":"i"')}]}`, '{"layout": "x"}', '{"a'])(
    'is not taken from other JSON of that name: %j',
    async (text) => {
      const files = { 'w/c.md': post('C'), 'w/w.json': text };
      const found = read(files).then(({ lines }) => lines, String);
      expect(await found).toContain(text.startsWith('{"a') ? 'not whole JSON' : 'w/c.md "C"');
    },
  );

  it('of a page of a folder is of that page alone', async () => {
    const files = { 'b/index.md': post('B', 'draft: true\n'), 'b/extra.md': post('E') };
    expect((await read(files)).lines).toEqual([
      'b/extra.md "E"',
      expect.stringMatching(/^b\/index\.md skipped/),
    ]);
  });

  it('is nothing in a store beside posts, also in one that is cut short', async () => {
    const store = '{"format":"blogctl/1","draft":true,"articles":[\n{"id"';
    expect((await read({ 'b/b.json': store, 'b/c.md': post('C') })).lines).toContain('b/c.md "C"');
  });

  it('is any of the states of an item of WordPress', async () => {
    const states = '<wp:status>publish</wp:status><wp:status>draft</wp:status>';
    const item = wxr('W').replace('</item>', `${states}</item>`);
    const ns = item.replace('<rss>', '<rss xmlns:wp="http://wordpress.org/export/1.2/">');
    expect((await read({ 'a.xml': ns })).lines).toEqual(['a.xml skipped, draft']);
  });

  const notRead = /^It cannot be read, and may say that posts beside or below it are not public: /;

  it.each([
    ['w/_index.md', '---\ncascade:\n  draft: true\nx: [\n---\n'],
    ['w/_index.md', '---\ncascade:\n\tdraft: true\n'],
    ['w/_index.md', '+++\n[cascade]\ndraft = true\nx\n+++\n'],
    ['w/w.11tydata.json', '{"draft": true,}'],
    ['w/a.11tydata.json', '{"draft": true,}'],
  ])('holds posts back where it cannot be read, and is named: %s %j', async (name, text) => {
    const files = { [name]: text, 'w/a.md': post('A') };
    await withFiles(files, async (folder) => {
      const [source] = await readSources([`${folder}/w/a.md`]);
      const [notice, skip] = source?.entries ?? [];
      expect(notice).toMatchObject({ notice: { message: expect.stringMatching(notRead) } });
      expect(notice?.place.source).toMatch(new RegExp(`(?:^|/)${basename(name)}$`));
      expect(skip).toMatchObject({ kind: 'skip', reason: 'draft' });
    });
  });

  it.each(['b.json', 'b.11tydata.json'])(
    'is taken from the data of one post in %s',
    async (name) => {
      const files = {
        [`w/${name}`]: '{"draft": true, "title": "B"}',
        'w/b.md': post('B'),
        'w/c.md': post('C'),
      };
      const { lines, notices } = await read(files);
      expect(lines).toEqual(['w/b.md skipped, draft', 'w/c.md "C"']);
      expect(notices).toEqual(['Not read: 1 .json.']);
    },
  );

  const table = `"post_id",post_date,is_published,email_sent_at,audience,title
1.hello,2020-01-01T10:00:00.000Z,true,,everyone,"Hello, ""you"""
2.wip,,false,,everyone,WIP
3.paid,2020-01-01T10:00:00.000Z,true,,only_paid,"Two
lines"
4.soon,2027-01-01T10:00:00.000Z,true,,everyone,Soon
`;
  it('is taken from the table of Substack, beside the folder of its posts', async () => {
    const posts = ['1.hello', '2.wip', '3.paid', '4.soon', '5.other'];
    const files = {
      'posts.csv': table,
      ...Object.fromEntries(posts.map((name) => [`posts/${name}.html`, '<p>x</p>'])),
    };
    const expected = [
      'posts/1.hello.html "1.hello"',
      'posts/2.wip.html skipped, unpublished',
      'posts/3.paid.html skipped, visibility only_paid',
      'posts/4.soon.html skipped, future',
      'posts/5.other.html skipped, draft',
    ];
    expect((await read(files, { titleFrom: 'filename' })).lines).toEqual(expected);
    const { lines } = await read(files, { titleFrom: 'filename' }, '/posts');
    expect(lines).toEqual(expected.map((each) => each.replace('posts/', 'posts: ')));
    const other = await read({ 'w.csv': 'post_id,is_published\n1,true\n', 'w/a.md': post('A') });
    expect(other.lines).toContain('w/a.md "A"');
  });
});

describe('what stands beside posts and is no JSON', () => {
  it.each([
    ['w/a.meta', '.. title: A\n.. status: draft\n', 'draft', true],
    ['w/a.meta', 'guid: 1\ndate: 2999-01-01\n', 'future', true],
    ['w/b.meta', 'draft: true\n', '', true],
    ['w/w.11tydata.js', 'export default {\n  tags: ["x"],\n  "draft": true,\n};\n', 'draft', false],
    ['w/a.11tydata.cjs', "module.exports = { permalink: false, x: '}' };\n", 'unpublished', true],
    ['w/w.11tydata.js', 'module.exports = { eleventyComputed: { draft: true } };\n', '', false],
    ['w/w.js', 'module.exports = { draft: true };\n', '', false],
    ['w/_index.md', "+++\ntitle = 'S'\ndraft = true\n+++\n", 'draft', false],
    ['w/_index.md', '---\ntitle: S\ndraft: true\n---\n', '', false],
  ])('may say that they are not public: %s %j', async (name, text, reason, isOfOne) => {
    const { lines } = await read({ [name]: text, 'w/a.md': post('A'), 'w/c.md': post('C') });
    const found = lines.filter((each) => !each.includes('section-page'));
    expect(found[0]).toBe(reason === '' ? 'w/a.md "A"' : `w/a.md skipped, ${reason}`);
    expect(found[1] === 'w/c.md "C"').toBe(isOfOne || reason === '');
  });
});

it('a list that is called drafts is one of drafts', async () => {
  const files = { 'a.json': `{"drafts": [${line('A')}]}`, 'b.json': `{"posts": [${line('B')}]}` };
  expect((await read(files)).lines).toEqual(['a.json skipped, draft', '1 "B"']);
  const deeper = { 'a.json': `{"data": ${files['a.json']}}` };
  expect((await read(deeper)).lines).toEqual(['a.json skipped, draft']);
});

describe('a folder of drafts', () => {
  const rss = wxr('F');
  const feed = `{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "title": "J", "content_text": "x"}]}`;
  const files = {
    'a.ndjson': line('A', ',"id":"a"'),
    'b.csv': 'title,content\nB,x\n',
    'c.json': `[${line('C')}]`,
    'd.xml': rss,
    'e.json': feed,
    'f.md': post('F'),
  };

  it.each(['', '/_drafts', '/_drafts/*', ...Object.keys(files).map((name) => `/_drafts/${name}`)])(
    'has drafts only, whatever their format: site%s',
    async (named) => {
      const inside = Object.entries(files).map(([name, text]) => [`_drafts/${name}`, text]);
      const { lines } = await read(Object.fromEntries(inside), {}, named);
      expect(lines.filter((each) => !each.endsWith('skipped, draft'))).toEqual([]);
      const { lines: all } = await read(Object.fromEntries(inside), { drafts: true }, named);
      expect(all.filter((each) => !each.endsWith('"'))).toEqual([]);
      expect(all).toHaveLength(lines.length);
      const states = { statuses: ['draft'] };
      expect((await read(Object.fromEntries(inside), states, named)).lines).toEqual(all);
    },
  );
});

describe('what stands above what is named', () => {
  /** With the records that are read of what is named, seen from `cwd`. */
  async function readFrom(files: Files, named: readonly string[], cwd = '') {
    return withFiles(files, async (folder) => {
      const before = process.cwd();
      try {
        process.chdir(join(folder, cwd));
        return briefly(await readSources(named));
      } finally {
        process.chdir(before);
      }
    });
  }
  const cascade = { 'c/_index.md': '---\ncascade: {draft: true}\n---\n', 'c/blog/a.md': post('A') };
  const data = { 'e/wip/wip.json': '{"draft": true}', 'e/wip/sub/a.md': post('A') };
  const drafts = { 'site/_drafts/2024/a.md': post('A'), 'site/_drafts/2024/b.ndjson': line('B') };
  const git = { '.git/HEAD': 'ref: refs/heads/main' };

  it.each([
    [cascade, ['c/_index.md', 'c/blog'], ''],
    [cascade, ['c/blog/a.md'], ''],
    [cascade, ['_index.md', 'blog'], 'c'],
    [cascade, ['../_index.md', '../blog'], 'c/blog'],
    [data, ['e/wip/sub'], ''],
    [data, ['e/wip/sub/*.md'], ''],
    [drafts, ['site/_drafts/2024'], ''],
    [drafts, ['_drafts/2024/a.md', '_drafts/2024/b.ndjson'], 'site'],
    [drafts, ['2024'], 'site/_drafts', 'git'],
  ])('holds back what is not public: %j, %j from "%s" %s', async (files, named, cwd, tree = '') => {
    const found = await readFrom(tree === 'git' ? { ...files, ...git } : files, named, cwd);
    const skipped = found.filter((each) => !each.endsWith('skipped, section-page'));
    expect(skipped.filter((each) => !each.endsWith('skipped, draft'))).toEqual([]);
    expect(skipped).not.toEqual([]);
  });

  it('is not judged by the names above the folder that the command is run in', async () => {
    const files = { 'drafts/site/posts/a.md': post('A'), 'drafts/site/b.ndjson': line('B') };
    const found = await readFrom(files, ['posts', 'b.ndjson'], 'drafts/site');
    expect(found).toEqual(['posts: a.md "A"', 'b.ndjson: 1 "B"']);
    expect(await readFrom(files, ['.'], 'drafts/site')).toEqual([
      'site: 1 "B"',
      'site: posts/a.md "A"',
    ]);
  });
});

describe('what the settings of a site say of its posts', () => {
  const jekyll = (scope: string, values = 'published: false') =>
    `title: S\ndefaults:\n  - scope:\n      path: ""\n    values:\n      layout: post\n  - scope: {${scope}}\n    values:\n      ${values}\n`;
  const site = {
    '_posts/old/2020-01-01-a.md': post('A'),
    '_posts/b.md': post('B'),
    'c.md': post('C'),
  };

  it.each([
    ['', ['A', 'B', 'C']],
    ['path: ""', ['A', 'B', 'C']],
    ['path: "", type: posts', ['A', 'B', 'C']],
    ['path: _posts, type: posts', ['A', 'B']],
    ['path: _posts/old', ['A']],
    ['path: "_posts/*/2020-*.md"', ['A', 'B']],
    ['path: "", type: pages', ['C']],
    ['path: "", type: recipes', []],
    ['path: other', []],
  ])('is honoured of those that Jekyll names: %s', async (scope, left) => {
    const { lines } = await read({ '_config.yml': jekyll(scope), ...site });
    const titles = ['A', 'B', 'C'].filter(
      (title) => !lines.some((each) => each.endsWith(`"${title}"`)),
    );
    expect(titles).toEqual(left);
    expect(lines.filter((each) => each.includes('skipped, unpublished'))).toHaveLength(left.length);
  });

  it.each([
    ['hugo.toml', '[[cascade]]\ndraft = true\n', 'draft'],
    ['config.toml', '[cascade]\ndraft = true\n', 'draft'],
    ['hugo.yaml', 'cascade:\n  - build: {render: never}\n', 'visibility unlisted'],
    ['hugo.yml', 'cascade:\n  _build:\n    render: never\n', 'visibility unlisted'],
    ['config.json', '{"cascade": {"publishDate": "2027-01-01"}}', 'future'],
    ['config/_default/hugo.toml', '[cascade]\ndraft = true\n', 'draft'],
    ['config/production/cascade.toml', 'draft = true\n', 'draft'],
    ['hugo.toml', '[languages.en.cascade]\ndraft = true\n', 'draft'],
    [
      'hugo.toml',
      '[[cascade]]\ndraft = true\n[cascade.target]\npath = "/Blog Posts/**"\n',
      'draft',
    ],
    [
      'hugo.toml',
      '[[cascade]]\ndraft = true\n[cascade._target]\nkind = "{page,section}"\n',
      'draft',
    ],
    ['hugo.toml', '[[cascade]]\ndraft = true\nx\n', 'draft'],
    ['_config.toml', '[[defaults]]\n[defaults.values]\npublished = false\n', 'unpublished'],
    ['_config.yml', 'defaults: [\n', 'draft'],
  ])('is taken from %s: %j', async (name, text, reason) => {
    const files = { [name]: text, 'content/blog posts/a.md': post('A') };
    const { lines } = await read(files);
    expect(lines).toEqual([`content/blog posts/a.md skipped, ${reason}`]);
    expect((await read(files, { drafts: true })).lines).toEqual(['content/blog posts/a.md "A"']);
    expect((await read(files, {}, '/content/blog posts')).lines.join()).toContain(
      `skipped, ${reason}`,
    );
  });

  it.each([
    ['hugo.toml', '[cascade]\ntype = "docs"\n'],
    ['hugo.toml', '[[cascade]]\ndraft = true\n[cascade.target]\npath = "/old/**"\n'],
    ['hugo.toml', '[[cascade]]\ndraft = true\n[cascade.target]\nkind = "section"\n'],
    ['config.yaml', 'draft: true\nx: [\n'],
    ['config/development/hugo.toml', '[cascade]\ndraft = true\n'],
    ['_config.yml', 'published: false\ndraft: true\nx: [\n'],
    ['_config.yml', jekyll('path: ""', 'permalink: /:title/')],
  ])('is nothing where it says nothing of them: %s %j', async (name, text) => {
    const { lines } = await read({ [name]: text, 'content/blog/a.md': post('A') });
    expect(lines).toEqual(['content/blog/a.md "A"']);
  });

  it.each([
    ['_config.yml', 'defaults:\n  - values: {published: false}\n', 'published: true', true],
    ['_config.yml', 'defaults:\n  - values: {published: false}\n', 'published: false', false],
    ['_config.yml', 'defaults:\n  - values: {published: false}\n', 'published:', false],
    ['_config.yml', 'defaults:\n  - values: {published: false}\n', 'draft: false', false],
    ['_config.yml', 'defaults: [\n', 'published: true\ndraft: false', false],
    ['hugo.toml', '[cascade]\ndraft = true\n', 'draft: false', true],
    ['hugo.toml', '[cascade]\ndraft = true\n', 'draft: false\ndate: 2999-01-01', false],
    ['hugo.toml', '[cascade]\npublishDate = "2999-01-01"\n', 'date: 2020-01-01', false],
  ])(
    'stands behind what a post says itself of being a draft: %s %j, %j',
    async (name, text, head, isPublic) => {
      const { lines } = await read({ [name]: text, 'a.md': post('A', `${head}\n`) });
      expect(lines[0] === 'a.md "A"').toBe(isPublic);
    },
  );

  it('is named where it cannot be read, and says which file', async () => {
    const { lines, notices } = await read({ '_config.yml': 'defaults: [\n', 'a.md': post('A') });
    expect(lines).toEqual(['a.md skipped, draft']);
    expect(notices[0]).toContain('It cannot be read, and may say that posts');
  });

  it('counts above what is named, and not in another site', async () => {
    const draft = { 'one/hugo.toml': '[cascade]\ndraft = true\n' };
    const files = { ...draft, 'one/content/a.md': post('A'), 'two/content/b.md': post('B') };
    const seen = async (named: string) => (await read(files, {}, named)).lines;
    expect(await seen('/one/content')).toEqual(
      ['content: content/a.md skipped, draft'].map((each) =>
        each.replace('content: content/', 'content: '),
      ),
    );
    expect(await seen('')).toEqual(['one/content/a.md skipped, draft', 'two/content/b.md "B"']);
    const index = {
      'one/_index.md': '---\ncascade:\n  draft: true\n---\n',
      'one/x/y/a.md': post('A'),
    };
    expect((await read(index, {}, '/one/x/y')).lines).toEqual(['y: a.md skipped, draft']);
  });
});

describe('a folder whose name begins with _', () => {
  const folders = {
    '_posts/a.md': post('A'),
    '_archive/b.md': post('B'),
    '_archive/_posts/c.md': post('C'),
    '_posts/_wip/d.md': post('D'),
    '_recipes/e.md': post('E'),
    '_includes/f.html': '<p>no title</p>',
    '_data/g.ndjson': line('G'),
    '_data/nav.json': '{"a": 1}',
    '_data/list.json': '[{"name": "x"}]',
  };
  const titlesOf = (lines: readonly string[]) =>
    lines.flatMap((each) => /"(\w)"$/.exec(each)?.slice(1) ?? []).join('');

  it.each([
    ['no settings', undefined, 'A'],
    ['none of that name', 'collections: {talks: {output: true}}', 'A'],
    ['a collection without pages', 'collections: {recipes: {output: false}}', 'A'],
    ['a collection of that name alone', 'collections: [recipes]', 'A'],
    ['a collection with pages', 'collections:\n  recipes:\n    output: true\n', 'AE'],
  ])('is left out unless Jekyll makes pages of it, with %s', async (_, settings, expected) => {
    const files = settings === undefined ? folders : { ...folders, '_config.yml': settings };
    const { lines, notices } = await read(files);
    expect(titlesOf(lines)).toBe(expected);
    expect(lines.filter((each) => !each.endsWith('"') && !each.endsWith('skipped, draft'))).toEqual(
      [],
    );
    const said = notices.filter((each) => each.includes('Name the folder alone'));
    expect(lines.join()).not.toMatch(/nav|list/);
    // Of those that have posts: _archive, _posts/_wip and _recipes.
    expect(said).toHaveLength(expected === 'AE' ? 2 : 3);
    expect(titlesOf((await read({ '_archive/b.md': post('B') }, { drafts: true })).lines)).toBe(
      'B',
    );
  });

  it.each([
    ['/_archive', 'CB'],
    ['/_archive/b.md', 'B'],
    ['/_archive/*.md', 'B'],
    ['/_recipes', 'E'],
    ['/*/*.md', 'A'],
    ['/_drafts', ''],
  ])('is read where it is named itself: %s', async (named, expected) => {
    const { lines } = await read({ ...folders, '_drafts/x.md': post('X') }, {}, named);
    expect(titlesOf(lines)).toBe(expected);
  });

  it('is left out of several arguments, which a shell may have named, where no site makes pages of it', async () => {
    await withFiles(folders, async (folder) => {
      const titles = async (...named: readonly string[]) =>
        titlesOf(briefly(await readSources(named.map((each) => join(folder, each)))));
      expect(await titles('_posts/a.md', '_archive/b.md')).toBe('A');
      expect(await titles('_posts', '_recipes')).toBe('A');
      expect(await titles('_archive')).toBe('CB');
      await writeFile(join(folder, '_config.yml'), 'collections: {recipes: {output: true}}\n');
      expect(await titles('_posts', '_recipes', '_data')).toBe('AE');
      expect(await titles('_recipes/e.md', '_recipes/e.md')).toBe('EE');
    });
  });
});

describe('what the settings of a site leave out', () => {
  const files = {
    'a.md': post('A'),
    'old/b.md': post('B'),
    'older/c.md': post('C'),
    'x/old/d.md': post('D'),
    'vendor/bundle/gem/e.md': post('E'),
    'source/old/f.md': post('F'),
    'x/g.draft-1.md': post('G'),
  };

  it.each([
    ['_config.yml', 'title: T\n', 'ABCDFG'],
    ['_config.yml', 'exclude: [old/]\n', 'ACDG'],
    ['_config.yml', 'exclude:\n  - ./old\n  - a.md\n', 'DG'],
    ['_config.yml', 'exclude: "*/old"\n', 'ABCG'],
    ['_config.yml', 'exclude: ["**/*.draft-?.md"]\n', 'ABCDF'],
    ['_config.yml', 'exclude: [{}, "", "*"]\nignore: nothing\n', 'ABCDFG'],
    ['_config.yml', 'ignore: ["**/o{l,r}d/**"]\n', 'ACG'],
    ['hugo.toml', "ignoreFiles = ['\\.draft-\\d\\.md$']\n", 'ABCDEF'],
    ['hugo.yaml', "ignorefiles: ['/old/', 'older|nothing']\n", 'ABEG'],
    ['config.json', '{"ignoreFiles": ["a+/x$", "(?i)OLD/b", "^a\\\\.md$"]}', 'CDEFG'],
    ['zola.toml', 'ignored_content = ["old/*.md"]\n', 'ACDEG'],
    ['.eleventyignore', '# a.md\r\nold\r\n', 'ACDEG'],
    ['.eleventyignore', 'x/g\nol\n**/*.{njk,mdx}\n', 'ABCDEFG'],
    ['zola.toml', 'ignored_content = ["*.{graphml,xlsx}", "temp.*", "**/ld/**"]\n', 'ABCDEFG'],
    ['zola.toml', 'ignored_content = ["{,x/}old/**/*.md"]\n', 'ACEG'],
    ['_config.yml', 'exclude: ["*.{js,css}", "**/*.[ch]", "**/.*", "**/*", "*~"]\n', 'ABCDFG'],
    ['hugo.toml', "ignoreFiles = ['\\.(html|css)$', '\\.[Rr]md$', '(^|/)_', '~$']\n", 'ABCDEFG'],
    ['hugo.toml', "ignoreFiles = ['(?:^|/)(a|x/(?:old|none))(/|\\.md$)', '(b/)?bundle']\n", 'BCFG'],
    ['hugo.toml', "ignoreFiles = ['^old/[a-c]\\.md$', 'x/g\\..{3,}']\n", 'ACDE'],
    ['hugo.toml', 'theme = "x"\n', 'ABCDEFG'],
    ['_config.yml', 'exclude: [\n', ''],
  ])('is left out, in doubt too: %s %j', async (name, text, expected) => {
    const { lines, notices } = await read({ ...files, [name]: text });
    const titles = lines.flatMap((each) => /"(\w)"$/.exec(each)?.slice(1) ?? []);
    expect(titles.toSorted().join('')).toBe(expected);
    const said = notices.filter((each) => each.startsWith('The site makes no page of '));
    expect(said.length > 0).toBe(expected.length > 0 && expected.length < 7);
    const all = await read({ ...files, [name]: text }, { drafts: true });
    expect(all.lines.filter((each) => each.endsWith('"'))).toHaveLength(7);
  });

  it('is what Hugo and Hexo fill in or have built, beside what they make pages of', async () => {
    const site = {
      'archetypes/a.md': post('A'),
      'themes/t/exampleSite/content/b.md': post('B'),
      'public/c.html': post('C'),
      'scaffolds/d.md': post('D'),
      'content/themes/e.md': post('E'),
    };
    const titles = async (name: string, text = 'title: T\n', named = '') => {
      const { lines } = await read({ ...site, [name]: text }, {}, named);
      return lines.flatMap((each) => /"(\w)"$/.exec(each)?.slice(1) ?? []).join('');
    };
    expect(await titles('hugo.yaml')).toBe('ED');
    expect(await titles('_config.yml')).toBe('AECB');
    expect(await titles('x.yml')).toBe('AECDB');
    expect(await titles('config.json')).toBe('AECDB');
    expect(await titles('config.yml', 'title: T\nbaseURL: https://b.example\n')).toBe('ED');
    expect(await titles('config.json', '{\n  "base_url": "https://b.example"\n}')).toBe('ED');
    expect(await titles('hugo.yaml', 'title: T\n', '/public')).toBe('C');
  });

  it('is read where it is named alone, and told once of each setting that leaves out posts', async () => {
    const site = { ...files, '_config.yml': 'exclude: [old, x/none, x]\n' };
    const { notices } = await read(site);
    expect(
      notices.map((each) => each.replace(/^The site makes no page of |, and .*$/g, '')),
    ).toEqual([
      'exclude "old"',
      'folder "/vendor/bundle/"',
      'exclude "x"',
      expect.stringContaining('Not read'),
    ]);
    expect((await read(site, {}, '/old')).lines).toEqual(['old: b.md "B"']);
    expect((await read(site, {}, '/old/*.md')).lines).toEqual(['old: b.md "B"']);
    expect((await read(site, {}, '/a.md')).lines.join()).toContain('"A"');
    const below = { ...files, '_config.yml': 'exclude: ["old/*", "x/"]\n' };
    expect((await read(below, {}, '/old')).lines).toEqual(['old: b.md "B"']);
    expect((await read(below, {}, '/x')).lines).toHaveLength(2);
  });

  it('takes no longer for a pattern that an expression would never end with', async () => {
    const name = `${'a'.repeat(120)}.md`;
    const settings = `ignoreFiles = ['^(a+)+$', '(?:a*)*b', 'a*a*a*a*a*a*a*a*a*a*a*zz$', 'a.?a.?a.?a.?a.?a.?a.?a.?a.?zz$', '((((a|b)|c)+|d)*|e)zz', '${'(a|b)'.repeat(50)}zz$']\n`;
    const { lines } = await read({ [name]: post('A'), 'hugo.toml': settings });
    expect(lines).toHaveLength(1);
  });
});
