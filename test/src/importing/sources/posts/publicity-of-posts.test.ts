import { describe, expect, it } from 'vitest';

import { briefly, readSources, withFiles } from '../files.ts';

/** What is read of posts that differ in one line of their front matter or in their path. */
async function read(text: string, path = 'posts/a.md', options = {}): Promise<readonly string[]> {
  return withFiles({ [path]: text }, async (folder) =>
    briefly(await readSources([`${folder}/posts`], options)).map((line) =>
      line.replace(/^posts: (?:\S+ skipped|\S+:1) ?/, '').replace(/^, /, ''),
    ),
  );
}

const yaml = (line: string): string => `---\ntitle: T\n${line}\n---\nText`;
const toml = (line: string): string => `+++\ntitle = "T"\n${line}\n+++\nText`;
const json = (line: string): string => `{\n"title": "T",\n${line}\n}\nText`;

describe('a post that is not public', () => {
  it.each([
    ['draft: true', 'draft'],
    ['draft: yes', 'draft'],
    ['Draft: ON', 'draft'],
    ['draft: "1"', 'draft'],
    ['draft: &x true\nother: *x', 'draft'],
    ['other: &x true\ndraft: *x', 'draft'],
    ['draft: true\ndraft: false', 'draft'],
    ['draft: false\nDRAFT: true', 'draft'],
    ['draft: [true]', 'draft'],
    ['draft: !!bool true', 'draft'],
    ['!!str draft: !!str yes', 'draft'],
    ['draft: !!int 1', 'draft'],
    ['draft: !mine true', 'draft'],
    ['name: &d draft\n*d : true', 'draft'],
    ['date: !!timestamp 2999-01-01', 'future'],
    ['date: !!str "2999-01-01"', 'future'],
    ['<<: {draft: true}', 'draft'],
    ['"<<": {draft: true}', 'draft'],
    ['!!merge <<: {draft: true}', 'draft'],
    ['base: &b {status: private}\n<<: *b', 'status private'],
    ['base: &b\n  password: x\n<<: [{x: y}, *b]', 'password'],
    ['base: &b {<<: {date: 2999-01-01}}\n<<: *b', 'future'],
    ['<<: {x: y}\n<<: {published: false}', 'unpublished'],
    ['<<: [{draft: true}, {draft: false}]', 'draft'],
    ['a: &a {draft: true}\n<<: *a\nb: &a {draft: false}', 'draft'],
    ['base: &b {draft: true, <<: *b}\n<<: *b', 'draft'],
    ['published: no', 'unpublished'],
    ['published: "off"', 'unpublished'],
    ['status: private', 'status private'],
    ['date: 2999-01-01', 'future'],
    ['publishDate: 2999-01-01 10:00:00 +0200\ndate: 2020-01-01', 'future'],
    ['expiryDate: 2001-01-01', 'status expired'],
    ['expires_at: 2001-01-01', 'status expired'],
    ['expiry:\n  $date: 2001-01-01', 'status expired'],
    ['date:\n  $date: 2999-01-01', 'future'],
    ['publishedAt: {"$date": "2999-01-01"}', 'future'],
    ['date: [2001-01-01, 2999-01-01]', 'future'],
    ['date: &d {seconds: 4070908800}\nother: *d', 'future'],
    ['date: tomorrow', 'date tomorrow'],
    ['publish_on: TBD', 'date TBD'],
    ['embargo_until: 2999-01-01', 'future'],
    ['releaseDate: 2999-01-01', 'future'],
    ['headless: true', 'visibility headless'],
    ['password: x', 'password'],
    ['visibility: members', 'visibility members'],
    ['is_draft: yes', 'draft'],
    ['publish: false', 'unpublished'],
    ['published: draft', 'draft'],
    ['draft?: true', 'draft'],
    ['"Published?": No', 'unpublished'],
    ['published:', 'unpublished'],
    ['published: ~', 'unpublished'],
    ['published: null # yet', 'unpublished'],
    ['published_at:', 'unpublished'],
    ['publishedAt: Null', 'unpublished'],
    ['published: !!null ""', 'unpublished'],
    ['status: published\npublished_at: null', 'unpublished'],
    ['x: &n\npublished: *n', 'unpublished'],
    ['state: draft', 'draft'],
    ['private: true', 'visibility private'],
    ['publish-date: 2999-01-01', 'future'],
  ])('is skipped for what its YAML says: %s', async (line, reason) => {
    const [found] = await read(yaml(line));
    expect(found).toBe(reason);
    expect(await read(yaml(line), 'posts/a.md', { drafts: true })).toEqual(['posts: a.md "T"']);
  });

  it.each([
    'draft: false',
    'draft: ~',
    'published: true',
    'status: Published',
    'status: null',
    'date: 2020-01-01',
    'password: ""',
    'visibility: public',
    'publish_date: ~',
    'publish_date:',
    'date: null # none',
    'password: false',
    'private: no',
    'published: 2020-01-01',
    'seo:\n  draft: true',
    'description: "draft: true"',
    'draft: !!bool false',
    'draft: !!null ~',
    'date: !!timestamp 2020-01-01',
    'base: &b {draft: true}',
    'base: &b {draft: true}\n<<: *b\ndraft: false',
    '<<: [{draft: false}, {draft: true}]',
    '<<: {seo: {draft: true}}',
  ])('is not one that says %s', async (line) => {
    expect(await read(yaml(line))).toEqual(['posts: a.md "T"']);
  });

  it.each([
    [toml('draft = true'), 'draft'],
    [toml('published = false'), 'unpublished'],
    [toml('date = 2999-01-01T10:00:00Z'), 'future'],
    [toml('date = 2999-01-01'), 'future'],
    [toml('status = ["draft"]'), 'status not a word'],
    [json('"draft": true'), 'draft'],
    [json('"published": 0'), 'unpublished'],
    [json('"password": "x"'), 'password'],
    [json('"draft": true,\n"draft": false'), 'draft'],
    [json('"draft": false, "a": [{"b": "},{"}], "draft" : true'), 'draft'],
    [json('"dr\\u0061ft": true, "draft": false'), 'draft'],
    [json('"date": "2999-01-01", "date": "2020-01-01"'), 'future'],
  ])('is skipped for what its TOML or JSON says: %j', async (text, reason) => {
    expect(await read(text)).toEqual([reason]);
  });

  it.each([
    ['a sign below the break', '---\ntitle: "A\nB"\nc: d: e\ndraft: true\n---\n', 'draft'],
    ['a sign above it', '---\ndraft: true\ntitle: T\ntags: [a, b\n---\n', 'draft'],
    [
      'a sign in quotes',
      '---\ntitle: T\ntags: [a\n"published": \'no\' # yet\n---\n',
      'unpublished',
    ],
    ['a sign further in', '---\ntitle: T\na: b: c\n  status: private\n---\n', 'status private'],
    ['a sign in braces', '---\ntitle: T\na: b: c\nx: {isDraft: yes}\n---\n', 'draft'],
    ['the first of two signs', '---\ndraft: true\ntitle: T: U\ndraft: false\n---\n', 'draft'],
    ['a sign, and no title', '---\na: b: c\npassword: x\n---\n', 'password'],
    ['a sign and CR LF', '---\r\ntitle: T\r\ntags: [a\r\ndraft: yes\r\n---\r\n', 'draft'],
    ['a sign with a tag', '---\ntitle: T\na: b: c\ndate: !!timestamp 2999-01-01\n---\n', 'future'],
    ['a sign with an anchor', '---\ntitle: T\na: b: c\ndate: &d "2999-01-01"\n---\n', 'future'],
    ['a sign that is merged', '---\ntitle: T\na: b: c\n<<: {draft: true}\n---\n', 'draft'],
    ['a tag that does not fit', '---\ntitle: T\ndraft: !!bool perhaps\n---\n', 'draft'],
    ['a colon of full width', '---\ntitle: T\ndraft： true\n---\n', 'draft'],
    ['one without a blank', '---\ntitle: T\npublished：false\n---\n', 'unpublished'],
    ['a name with a question mark', '---\ntitle: T\na: b: c\ndraft?: yes\n---\n', 'draft'],
    ['a list of signs', '---\ntitle: T\n- draft: true\n---\n', 'draft'],
    ['only a list', '---\n- title: T\n- draft: true\n---\n', 'draft'],
    [
      'a sign of another language',
      '---\ntitle: T\na: b: c\nveröffentlicht: nein\n---\n',
      'unpublished',
    ],
    ['a sign in TOML', '+++\ntitle = T\ndraft = true\n+++\n', 'draft'],
    ['a sign in JSON', '{"title": "T", "draft": true,}\n', 'draft'],
  ])('is one that cannot be read as a whole and has %s', async (_name, text, reason) => {
    expect(await read(text)).toEqual([reason]);
  });

  it('is none where a text that goes on in the first column says so', async () => {
    const text = '---\ntitle: T\nexcerpt: "It is not\npublished: false inside"\n---\n';
    expect(await read(text)).toEqual(['posts: a.md "T"']);
  });

  it.each([
    ['no sign', '---\ntitle: "T\nB"\na: b: c\n---\n', 'posts: a.md "T B"'],
    ['a date with a comma', '---\ntitle: T\na: b: c\ndate: May 5, 2020\n---\n', 'posts: a.md "T"'],
    [
      'signs between commas',
      '---\ntitle: T\na: b: c\nx: {draft: false, y: z, published: yes}\ndraft: no,\n---\n',
      'posts: a.md "T"',
    ],
    [
      'signs that it is public',
      '---\ntitle: T\na: b: c\ndraft: false # no\n---\n',
      'posts: a.md "T"',
    ],
    [
      'a word in its title',
      '---\ntitle: "The status: unknown"\na: b: c\n---\n',
      'posts: a.md "The status: unknown"',
    ],
  ])('is none where the front matter is broken and has %s', async (_name, text, expected) => {
    expect(await read(text)).toEqual([expected]);
  });

  it.each([
    [
      'in what MDX exports',
      'import A from "a"\n\nexport const meta = {\n  title: "T",\n  draft: true,\n}\n\n# T\n',
      'draft',
    ],
    [
      'behind a blank line of it',
      'export const meta = {\n  title: "T",\n\n  draft: true,\n}\n\n# T\n',
      'draft',
    ],
    [
      'behind something nested',
      'export const frontMatter: Meta = { a: { b: "}" },\n  // isn\'t {\n  draft: true }\n',
      'draft',
    ],
    [
      'behind other code',
      'import A from "a"\n\n\n{/* a */}\n\nexport const A = () => {\n  a();\n\n  return b;\n};\n\nexport const metadata = {\n  date: new Date("2999-01-01"),\n};\n',
      'future',
    ],
    [
      'as a constant of MDX with a type',
      'export const date: Date = new Date("2999-01-01");\n',
      'future',
    ],
    ['as a constant of MDX', 'export const published = false;\n\n# T\n', 'unpublished'],
    ['behind a blank line', '\n---\ntitle: T\ndraft: true\n---\nText', 'draft'],
    ['between fences of another kind', ';;;\n"draft": true\n;;;\nText', 'draft'],
    ['behind a fence with a word', '---yaml\r\nstatus: private\r\n---\r\nText', 'status private'],
    [
      'in the head of a page',
      '<html><head><title>T</title><meta name="status" content="draft" /></head>',
      'draft',
    ],
    [
      'there by its day',
      "<!doctype html><meta content='2999-01-01' name=date><title>T</title>",
      'future',
    ],
    ['with the line ends of old Macs', '---\rtitle: T\rdraft: true\r---\rText', 'draft'],
    ['behind a blank', ' ---\n title: T\n draft: true\n ---\nText', 'draft'],
    ['in a comment', '<!--\n.. title: T\n.. status: draft\n-->\n\nText', 'draft'],
    ['in the second comment', '<!-- x --><!-- date: 2999-01-01 -->\nText', 'future'],
    ['behind two dots', '.. title: T\r\n.. status: private\r\n\r\nText', 'status private'],
    ['behind a comment', '<!-- a\n-->\n<!-- b -->\n---\ndraft: true\n---\nText', 'draft'],
    ['in lines with colons of full width', 'Title： T\nDraft： true\n\nText', 'draft'],
    ['below its heading', '# T\n\nStatus: Draft\nTags: a, b\n\nText', 'draft'],
    ['there, of a name of two words', '# T\n\nPublish Date: January 5, 2999\n\nText', 'future'],
    ['there, with a question mark', '# T\r\n\r\nPublished?: No\r\n', 'unpublished'],
    ['in lines on top', 'Title: T\nDate: 2020-01-01\nStatus: draft\n\nText', 'draft'],
  ])('is one without front matter that has a sign %s', async (_name, text, reason) => {
    expect(await read(text, 'posts/a.md', { titleFrom: 'filename' })).toEqual([reason]);
  });

  it.each([
    'Text\n\ndraft: true\n',
    '# Title\nstatus: none\n',
    '# Title\n\nCreated: May 5, 2020\nPublished: May 5, 2020\n\nText',
    '# Title\n\nText\n\nstatus: none\n',
    '# Title\n\nstatus: none\nis what it said.\n',
    '# Title\n\nOur status: none of us knows.\n',
    '\n---\n\nText\n---\n',
    '\n- a: b\n- status: c\n',
    'Note: the draft is done.\nText with status: none\n',
    '<!-- The draft of\nstatus: none -->\nText',
    'export const draft = false;\nexport const meta = { date: "2020-01-01", published: true };\n\n# T\n\ndraft: true',
    'export const data = [\n  { date: "Q1", v: 1 },\n];\n\n# T',
    'export const data = {\n  date: "Q1",\n};\n\n# T',
    'export const Demo = ({ state = "open" }) => (\n  <A\n    state={open}\n    status="x"\n  />\n);\n\n# T',
    'export const metadata = {\n  robots: { visibility: "all" },\n  /* draft: true */\n};\n\n# T',
    'export const meta = { draft: false, date: new Date("2020-01-01") };\n\nexport const b = {\n  draft: true,\n};\n',
    'import A from "a"\n\nText\n\n```\nexport const draft = true;\n```\n',
    'Import what you like.\ndraft: true\n',
    'Text\n<!-- draft: true -->\n',
  ])('is not one that only speaks of it: %j', async (text) => {
    const [found] = await read(text, 'posts/a.md', { titleFrom: 'filename' });
    expect(found).toMatch(/^posts: a\.md "a"$/);
  });

  it.each([
    ['posts/_drafts/a.md', 'draft'],
    ['posts/2999-01-01-a.md', 'future'],
    ['posts/2999-01-01-a/index.md', 'future'],
    ['posts/29990101-a.md', 'future'],
    ['posts/2999.01.01-a.md', 'future'],
    ['posts/2999/01/01/a.md', 'future'],
    ['posts/_Drafts/a.md', 'draft'],
    ['posts/drafts/a.md', 'draft'],
    ['posts/unpublished/a.md', 'draft'],
    ['posts/draft_a.md', 'draft'],
    ['posts/DRAFT-a.md', 'draft'],
    ['posts/a.draft.md', 'draft'],
    ['posts/drafts-old/a.md', 'draft'],
    ['posts/_private/a.md', 'draft'],
    ['posts/trash/a.md', 'draft'],
    ['posts/_trash/a.md', 'draft'],
    ['posts/_a.md', 'draft'],
    ['posts/_a.mkdown', 'draft'],
    ['posts/_a.HTM', 'draft'],
    ['posts/2999-01-01/index.md', 'future'],
    // In other languages, composed and as macOS once had them.
    ['posts/Entwürfe/a.md', 'draft'],
    ['posts/Entwu\u0308rfe/a.md', 'draft'],
    ['posts/entwuerfe/a.md', 'draft'],
    ['posts/_brouillons/a.md', 'draft'],
    ['posts/borradores/a.md', 'draft'],
    ['posts/下書き/a.md', 'draft'],
    ['posts/unveröffentlicht/a.md', 'draft'],
    ['posts/Nicht_veröffentlicht/a.md', 'draft'],
    ['posts/non-publié/a.md', 'draft'],
    ['posts/_privat/a.md', 'draft'],
    ['posts/entwurf_a.md', 'draft'],
    ['posts/ENTWURF-a.md', 'draft'],
    ['posts/a.entwurf.md', 'draft'],
  ])('is skipped for its path: %s', async (path, reason) => {
    expect(await read(yaml('x: y'), path)).toEqual([reason]);
  });

  it.each([
    'draft-horses.md',
    'The first draft.md',
    'draft-2020/picks.md',
    'private/trash.md',
    '30014599-a.md',
    'entwurf-eines-hauses.md',
    'Der Entwurf.md',
    'privat/a.md',
    'concept/a.md',
    '草稿-の書き方.md',
    '초안 쓰기.md',
  ])('is none because of what may be of its title: %s', async (path) => {
    expect(await read(yaml('x: y'), `posts/${path}`)).toEqual([`posts: ${path} "T"`]);
  });

  it('is known by its path when its folder of drafts is named itself', async () => {
    await withFiles({ 'posts/_drafts/a.md': yaml('x: y') }, async (folder) => {
      for (const named of ['posts/_drafts', 'posts/_drafts/a.md', 'posts/_drafts/*.md']) {
        const found = briefly(await readSources([`${folder}/${named}`]));
        expect(found).toEqual(['_drafts: a.md skipped, draft']);
      }
    });
  });

  it('is not public in a rejects file either', async () => {
    const reject = (record: string, identity: string): string =>
      JSON.stringify({
        source: 'a.md',
        position: 1,
        stage: 'read',
        importId: '',
        identity,
        record,
      });
    const lines = [
      reject(yaml('draft: true'), 'path:p/a.md'),
      reject(yaml('x: y'), 'path:p/_drafts/b.md'),
      reject(yaml('x: y'), 'path:p/c.md'),
    ];
    await withFiles({ 'r.ndjson': lines.join('\n') }, async (folder) => {
      expect(briefly(await readSources([`${folder}/r.ndjson`]))).toEqual([
        'r.ndjson: r.ndjson skipped, draft',
        'r.ndjson: r.ndjson skipped, draft',
        'r.ndjson: r.ndjson "T"',
      ]);
    });
  });

  it('is found in little time among aliases of aliases', async () => {
    const bases = Array.from(
      { length: 1000 },
      (_, n) => `b${n + 1}: &b${n + 1} {<<: [*b${n}, *b${n}]}`,
    );
    const text = yaml(`b0: &b0 {draft: true}\n${bases.join('\n')}\n<<: *b1000`);
    const before = performance.now();
    expect(await read(text)).toEqual(['draft']);
    expect(performance.now() - before).toBeLessThan(3000);
  });

  it('is skipped before its title is missed', async () => {
    expect(await read('---\ndraft: true\n---\n')).toEqual(['draft']);
  });

  it('is taken by --status', async () => {
    const options = { statuses: ['private'] };
    expect(await read(yaml('status: private'), 'posts/a.md', options)).toEqual(['posts: a.md "T"']);
    expect(await read(yaml('x: y'), 'posts/a.md', options)).toEqual(['status published']);
  });
});

describe('the article that a post says it is', () => {
  const articleOf = async (address: string): Promise<string | undefined> =>
    withFiles({ 'posts/en/a.md': yaml(`article: ${address}`) }, async (folder) => {
      const [source] = await readSources([`${folder}/posts`]);
      const [entry] = source?.entries ?? [];
      if (entry?.kind !== 'record') throw new Error('No record was read.');
      return entry.article?.replace(folder, '<folder>');
    });

  it.each([
    ['https://example.org/blogs/1/articles/7', 'https://example.org/blogs/1/articles/7'],
    ['file:blog.json#7', 'file:<folder>/posts/en/blog.json#7'],
    ['file:../../b#1.json#blog=2&id=7', 'file:<folder>/b#1.json#blog=2&id=7'],
    ['file:/abs/blog.json#7', 'file:/abs/blog.json#7'],
    ['file:#7', undefined],
    ['file:blog.json', undefined],
    ['seven', undefined],
    ['[a]', undefined],
  ])('is given on with a whole path: %s', async (address, expected) => {
    expect(await articleOf(address)).toBe(expected);
  });
});

describe('a sign of another language, named by --map', () => {
  const map = (names: object) => ({ map: { title: 'title', content: 'content', ...names } });
  it.each([
    [yaml('Phase: roh'), { status: 'phase' }, 'status roh'],
    [yaml('Phase: "a: b"\nx: [{}]'), { status: 'phase' }, 'status a: b'],
    [yaml('phase: [a, b]'), { status: 'phase' }, 'status not a word'],
    [yaml('x: &s roh\nphase: *s'), { status: 'phase' }, 'status roh'],
    [yaml('phase: roh\nb: "'), { status: 'phase' }, 'status roh'],
    [yaml('x: 1'), { status: 'Phase' }, 'status no "Phase"'],
    [yaml('phase:'), { status: 'phase' }, 'status no "phase"'],
    [yaml('tag: ~ # x'), { date: 'tag' }, 'date no "tag"'],
    [yaml('x: 1'), { draft: 'skizze' }, 'posts: a.md "T"'],
    [yaml('skizze: ja'), { draft: 'skizze' }, 'draft'],
    [toml('skizze = true'), { draft: 'skizze' }, 'draft'],
    [toml('skizze = true\nb = '), { draft: 'skizze' }, 'draft'],
    [json('"tag": "2999-01-01"'), { date: 'tag' }, 'future'],
    ['; title: T\nPhase: roh\n', { status: 'phase' }, 'status no "phase"'],
    ['title: T\nPhase: roh\n\nx', { status: 'phase' }, 'status roh'],
  ])('counts in a post too: %j %j', async (text, names, expected) => {
    expect(await read(text, 'posts/a.md', map(names))).toEqual([expected]);
  });
});
