import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

import { zipOf } from '../src/importing/sources/files/zip.ts';
import { blogctl, givenFolder } from '../support/command.ts';

const post = (title: string, text = 'Text'): string => `---\ntitle: ${title}\n---\n${text}\n`;

type Counts = Readonly<Record<string, unknown>>;

async function imported(
  folder: string,
  words: readonly string[],
  blog = join(folder, '../blog.json'),
): Promise<Counts> {
  const line = ['articles', 'import', ...words, '--blog', `file:${blog}`];
  const { stdout } = await blogctl([...line, '--json'], { folder });
  const summary: Counts = JSON.parse(stdout);
  return summary;
}

async function texts(folder: string): Promise<readonly string[]> {
  const line = ['articles', 'export', '-', '--blog', `file:${join(folder, '../blog.json')}`];
  const { stdout } = await blogctl([...line, '--format', 'ndjson'], { folder });
  return stdout
    .trim()
    .split('\n')
    .map((text) => {
      const { title, content }: { title: string; content: string } = JSON.parse(text);
      return `${title}: ${content.trim()}`;
    })
    .toSorted();
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

describe('an import again', () => {
  it('of posts in a work tree is the same by whatever name and from whatever clone', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, {
      'posts/en/a.md': post('A'),
      'posts/fr/a.md': post('A in French'),
      'posts/b/index.md': post('B'),
    });
    await execa('git', ['init', '-q', site]);
    expect(await imported(site, ['posts'])).toMatchObject({ created: 3 });
    await cp(site, join(home, 'second-clone'), { recursive: true });
    for (const [folder, words, records] of [
      [site, ['.'], 3],
      [site, ['posts/en', 'posts/fr'], 2],
      [site, ['posts/*/index.md'], 1],
      [site, ['posts/b/index.md', 'posts/fr/a.md', 'posts/en/a.md'], 3],
      [join(site, 'posts'), ['en/a.md'], 1],
      [join(home, 'second-clone'), ['posts'], 3],
    ] as const) {
      const again = await imported(folder, words, join(home, 'blog.json'));
      expect({ words, ...again }).toMatchObject({ words, records, created: 0, replayed: records });
    }
  });

  it('of the same name elsewhere overwrites nothing and creates what is new', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    const name = '_posts/2020-01-01-hello.md';
    await write(site, { [`en/${name}`]: post('Hello'), [`fr/${name}`]: post('Bonjour') });
    expect(await imported(site, ['en/_posts', '--root', '.'])).toMatchObject({ created: 1 });
    expect(await imported(site, ['fr/_posts', '--root', '.'])).toMatchObject({ created: 1 });
    expect(await texts(site)).toEqual(['Bonjour: Text', 'Hello: Text']);
  });

  it('without a root takes two folders of one name for one, and says so', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { 'en/_posts/a.md': post('Hello'), 'fr/_posts/a.md': post('Bonjour') });
    await imported(site, ['en/_posts']);
    const blog = `file:${join(home, 'blog.json')}`;
    const again = await blogctl(['articles', 'import', 'fr/_posts', '--blog', blog], {
      folder: site,
    });
    expect(again.exitCode).toBe(10);
    expect(again.stderr).toContain('a.md: Known there as "Hello" at ');
    expect(again.stderr).toContain('with another text than "Bonjour" has here.');
    expect(again.stderr).toContain('--import-id');
    expect(await texts(site)).toEqual(['Hello: Text']);
    expect(await imported(site, ['fr/_posts', '--import-id', 'fr'])).toMatchObject({ created: 1 });
    expect(await texts(site)).toEqual(['Bonjour: Text', 'Hello: Text']);
  });

  it.each([
    ['s.csv', 'title,content\nB,b\n', 'title,content\nA,a\nB,b\n'],
    ['s.ndjson', record('B'), record('A') + record('B')],
    ['s.ndjson', record('B', 2), record('A', 3) + record('B', 2)],
    ['s.json', `[${record('B', 2)}]`, `[${record('A', 3)},${record('B', 2)}]`],
  ])('of %s creates what was put on top', async (name, before, after) => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { [name]: before });
    expect(await imported(site, [name])).toMatchObject({ created: 1 });
    await write(site, { [name]: after });
    expect(await imported(site, [name])).toMatchObject({ created: 1, replayed: 1 });
    expect(await texts(site)).toEqual(['A: a', 'B: b']);
  });

  it('of tomorrow’s export creates what is new', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { 'dump.2024-01-01.ndjson': record('B', 2) });
    expect(await imported(site, ['dump.2024-01-01.ndjson'])).toMatchObject({ created: 1 });
    await rename(join(site, 'dump.2024-01-01.ndjson'), join(site, 'dump.2024-01-02.ndjson'));
    expect(await imported(site, ['dump.2024-01-02.ndjson'])).toMatchObject({ created: 0 });
  });

  const item = (names: string): string => `<item><title>A</title>${names}</item>`;
  const json = { version: 'https://jsonfeed.org/version/1.1', title: 'T' };
  it.each([
    ['rss', `<rss><channel>${item('<guid>1</guid>')}${item('<link>/2</link>')}</channel></rss>`],
    [
      'rdf',
      `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">${item('<link>/1</link>')}${item('<link>/2</link>')}</r:RDF>`,
    ],
    [
      'atom',
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>A</title></entry><entry><id>2</id><title>A</title></entry></feed>`,
    ],
    [
      'json',
      JSON.stringify({
        ...json,
        items: [1, '2'].map((id) => ({ id, title: 'A', content_text: 'a' })),
      }),
    ],
  ])('of a feed, %s, under another name and compressed, creates nothing', async (name, text) => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { [`feed.2024-01-01.${name}`]: text });
    expect(await imported(site, [`feed.2024-01-01.${name}`])).toMatchObject({ created: 2 });
    await writeFile(join(site, `feed (1).${name}.gz`), gzipSync(text));
    expect(await imported(site, [`feed (1).${name}.gz`])).toMatchObject({
      created: 0,
      replayed: 2,
    });
  });

  it('of a zip archive is that of the folder outside of a work tree, and of tomorrow’s', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    const files = { 'en/a.md': post('A'), 'b.md': post('B'), 'c.png': '' };
    await write(site, { 'posts/en/a.md': post('A'), 'posts/b.md': post('B') });
    expect(await imported(site, ['posts'])).toMatchObject({ created: 2 });
    const zip = zipOf(Object.entries(files).map(([name, data]) => ({ name, data })));
    for (const name of ['posts.zip', 'posts-2024-01-02.zip']) {
      await writeFile(join(site, name), zip);
      const again = { created: 0, replayed: 2, notices: { 'not-read': 1 } };
      expect(await imported(site, [name])).toMatchObject(again);
    }
  });

  it.each([
    ['d.csv', 'title,content\nA,"one\ntwo"\nA,"one\ntwo"\n'],
    ['d.ndjson', '{"title":"A","content":"x\\ny"}\n{"title":"A","content":"x\\ny"}\n'],
  ])('of records without a name, %s, is the same whatever its line ends', async (name, text) => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { [name]: text });
    expect(await imported(site, [name])).toMatchObject({ created: 2 });
    const other = text.replaceAll('\n"', '\r\n"').replaceAll('one\n', 'one\r\n');
    await write(site, { [name]: other.replaceAll(String.raw`\n`, String.raw`\r\n`) });
    expect(await imported(site, [name])).toMatchObject({ created: 0, replayed: 2 });
  });

  it('of a feed whose items got guids that are their links creates nothing', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    const feed = (guid: string) =>
      `<rss><channel><item><title>A</title><link>https://a.test/1</link>${guid}</item></channel></rss>`;
    await write(site, { 'feed.rss': feed('') });
    expect(await imported(site, ['feed.rss'])).toMatchObject({ created: 1 });
    await write(site, { 'feed.rss': feed('<guid>https://a.test/1</guid>') });
    expect(await imported(site, ['feed.rss'])).toMatchObject({ created: 0, replayed: 1 });
  });

  it('of one article that was saved is that article, and nothing to another blog', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { 'd.json': record('A'), 'other.json': record('B') });
    await imported(site, ['d.json']);
    await imported(site, ['other.json'], join(home, 'other-blog.json'));
    const line = ['articles', 'get', '1', '--json', '--blog', `file:${join(home, 'blog.json')}`];
    await write(site, { 'saved.json': (await blogctl(line, { folder: site })).stdout });
    expect(await imported(site, ['saved.json'])).toMatchObject({ created: 0, replayed: 1 });
    const copied = await imported(site, ['saved.json'], join(home, 'other-blog.json'));
    expect(copied).toMatchObject({ created: 1 });
  });

  it('of an export finds every article, the edited one changed', async () => {
    const home = await givenFolder();
    const site = join(home, 'site');
    await write(site, { 'new/a.md': post('A'), 'new/b.md': post('B') });
    await imported(site, ['new']);
    const blog = ['--blog', `file:${join(home, 'blog.json')}`];
    for (const name of ['old', 'old.ndjson', 'old.json', 'old.csv']) {
      await blogctl(['articles', 'export', name, ...blog], { folder: site });
      const again = await imported(site, [name]);
      expect({ name, ...again }).toMatchObject({ name, created: 0, replayed: 2 });
    }
    const [first = ''] = await readdir(join(site, 'old'));
    const edited = `${await readFile(join(site, 'old', first), 'utf8')}more\n`;
    await writeFile(join(site, 'old', first), edited);
    expect(await imported(site, ['old'])).toMatchObject({ created: 0, replayed: 1, rejected: 1 });
    expect(await texts(site)).toEqual(['A: Text', 'B: Text']);
    const other = ['articles', 'import', 'old', '--blog', 'file:other.json', '--json'];
    const copied = await blogctl(other, { folder: site });
    expect(JSON.parse(copied.stdout)).toMatchObject({ created: 2 });
  });
});

function record(title: string, id?: number): string {
  return `${JSON.stringify({ ...(id && { id }), title, content: title.toLowerCase() })}\n`;
}

describe('an import that sends nothing', () => {
  it.each([
    ['d.csv --map title=zz', 'title,content\nA,a\n'],
    ['d.csv', 'title,content\n,a\n'],
    ['d.csv', ''],
  ])('makes no store: %s of %j', async (words, text) => {
    const folder = await givenFolder();
    await writeFile(join(folder, 'd.csv'), text);
    const line = ['articles', 'import', ...words.split(' '), '--blog', 'file:blog.json'];
    expect((await blogctl(line, { folder })).exitCode).toBe(7);
    expect(await readdir(folder)).toEqual(['d.csv']);
  });
});

describe('a pipe or device that a command writes into', () => {
  it.each([
    ['articles list -o pipe --overwrite --json'],
    ['articles list -o pipe --json'],
    ['articles export pipe --format ndjson --overwrite'],
    ['articles export pipe --format ndjson'],
  ])('stays what it is: %s', async (words) => {
    const folder = await givenFolder();
    const blog = ['--blog', 'file:blog.json'];
    await blogctl(['articles', 'create', '--title', 'T', '--content', 'C', ...blog], { folder });
    await execa('mkfifo', [join(folder, 'pipe')]);
    const reader = execa('cat', [join(folder, 'pipe')]);
    const { exitCode } = await blogctl([...words.split(' '), ...blog], { folder });
    expect(exitCode).toBe(0);
    expect((await reader).stdout).toContain('"title"');
    expect((await stat(join(folder, 'pipe'))).isFIFO()).toBe(true);
  });
});

describe('a file that a command writes', () => {
  it.each([
    ['articles import d.ndjson --continue-on-error --rejects blog.json'],
    ['articles import d.ndjson --results blog.json --overwrite'],
    ['articles export blog.json --format ndjson --overwrite'],
    ['articles list -o blog.json --overwrite'],
    ['articles get 1 -o ./blog.json --overwrite --json'],
  ])('is never the store of the blog: %s', async (words) => {
    const folder = await givenFolder();
    await writeFile(join(folder, 'd.ndjson'), `${record('A')}{"title":""}\n`);
    const blog = ['--blog', 'file:blog.json'];
    await blogctl(['articles', 'create', '--title', 'T', '--content', 'C', ...blog], { folder });
    const before = await readFile(join(folder, 'blog.json'), 'utf8');
    const { exitCode, stderr } = await blogctl([...words.split(' '), ...blog], { folder });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is the store of this blog\.|is a store of blogs:/),
    });
    expect(await readFile(join(folder, 'blog.json'), 'utf8')).toBe(before);
  });
});
