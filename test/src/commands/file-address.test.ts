import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTarget } from '../../../src/settings/target.ts';
import { run as runLine, type Ended } from '../../support/run.ts';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-address-'));
  await run('store init --store b.json');
  await run('store add-blog --store b.json --title Second');
  await run('articles create --title One --content= --blog file:b.json');
  await run('articles create --title Two --content= --blog file:b.json#blog=2');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(line: string, stdin?: string, more = {}): Promise<Ended> {
  const env = {
    ...more,
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: folder,
    BLOGCTL_BLOG: 'http://127.0.0.1:1',
  };
  return runLine(line.split(' '), { env, folder, ...(stdin !== undefined && { stdin }) });
}

it('an article of a file has no url, and is not shown as if it had an empty one', async () => {
  for (const line of [
    'articles get file:b.json#1 --field url',
    'articles list --blog file:b.json --field url',
    'articles list --search One --blog file:b.json --field url',
    'articles create --title A --content= --blog file:b.json --field url',
  ]) {
    const ended = await run(line);
    expect(ended).toMatchObject({ status: 2, out: '' });
    expect(ended.err).toContain('It is called address.');
  }
  const { out } = await run('articles list --blog file:b.json --format ids');
  expect(out).toBe('1\n');
});

it('who looks for its pages is offered lines that end well', async () => {
  for (const line of ['articles list -w --blog file:b.json', 'browse --blog file:b.json']) {
    const { err } = await run(line);
    const offered = [...err.matchAll(/`blogctl ([^`<]+)`/g)].map(([, words = '']) => words);
    expect(offered).toHaveLength(1);
    for (const words of offered) expect(await run(words)).toMatchObject({ status: 0 });
  }
});

describe('an article of a file is shown by an address that is taken back', () => {
  it.each([
    ['articles create --title Three --content= --blog file:b.json', '3\tThree\tfile:b.json#3\n'],
    ['articles update file:b.json#1 --title Uno', '1\tUno\tfile:b.json#1\n'],
    ['articles get file:b.json#1 --field title', 'One'],
    ['articles get file:b.json#blog=2/2 --field title', 'Two'],
    ['articles get file:./b.json#1 --blog file:b.json --field title', 'One'],
    ['articles delete file:b.json#1 -y', '1\tdeleted\tfile:b.json#1\n'],
    ['articles list --blog file:b.json#blog=2 --fields id,address', '2\tfile:b.json#blog=2/2\n'],
    ['blog --blog file:b.json#blog=2 --field address', 'file:b.json#blog=2'],
  ])('%s', async (line, out) => {
    expect(await run(line)).toMatchObject({ status: 0, out });
  });

  it('in the lines of stdin too', async () => {
    const ended = await run('articles get - --blog file:b.json --format ids', 'file:b.json#1\n');
    expect(ended).toMatchObject({ status: 0, out: '1\n' });
  });

  it('in the results of an import, by its path from there', async () => {
    const path = join(folder, 'r.ndjson');
    const line = `articles import - --blog file:b.json#blog=2 --results ${path}`;
    await run(line, '{"title":"X","content":""}');
    const { out } = await run('articles list --blog file:b.json#blog=2 --format ids');
    const id = Number(out.trim().split('\n').at(-1));
    const url = `file:b.json#blog=2/${id}`;
    const results = readFileSync(path, 'utf8');
    expect(JSON.parse(results)).toEqual({
      source: 'stdin',
      position: 1,
      outcome: 'created',
      id,
      url,
    });
  });

  it('JSON has no url, which nothing could open, and the words of failures name the file', async () => {
    const { out } = await run('articles get file:b.json#1 --json');
    expect(JSON.parse(out)).toEqual({ id: 1, title: 'One', content: '', address: 'file:b.json#1' });
    const { status, err } = await run('articles get file:b.json#9');
    expect([status, err]).toEqual([
      5,
      'error: Reading file:b.json#9: There is no article 9 in this blog (HTTP 404)\nhint: See blogctl articles list for what is there.\n',
    ]);
    const page = await run('articles list --page-size 5000 --blog file:b.json');
    expect(page.err).toContain('error: Reading file:b.json: the request was refused: pageSize');
  });
});

describe('what nobody but this process could open is not shown', () => {
  it.each([
    'links',
    'links --json',
    'articles links 1',
    'api',
    'api articles/1 -i',
    'api doc:articles',
    'api doc:articles --paginate',
    'articles get 1 -vvv',
    'articles list -v --json',
  ])('%s', async (line) => {
    const { status, out, err } = await run(`${line} --blog file:b.json`);
    expect([status, out + err]).toEqual([0, expect.not.stringContaining('localhost')]);
  });

  it('but paths, which links and api take', async () => {
    const { out } = await run('links --blog file:b.json --field href');
    const paths = out.trimEnd().split('\n');
    expect(paths).toEqual(['/api/v1.2/blogs/1', '/api/v1.2/blogs/1/articles{?pageIndex,pageSize}']);
    expect((await run(`links ${paths[0]} --blog file:b.json --field href`)).out).toBe(out);
  });

  it.each([{}, { GITHUB_ACTIONS: 'true' }])(
    'nor where an import tells of records, on stderr and in their file: %j',
    async (env) => {
      const rejects = join(folder, 'rejects.ndjson');
      const line = `articles import - --blog file:b.json --rejects ${rejects} --continue-on-error`;
      const records = (content: string) =>
        [
          { id: 1, title: 'Known', content },
          { id: 2, title: 'x'.repeat(1001), content },
        ]
          .map((record) => `${JSON.stringify(record)}\n`)
          .join('');
      await run(line.replace(rejects, `${rejects}.first`), records('x'));
      const { status, out, err } = await run(line, records('y'), env);
      const texts = out + err + readFileSync(rejects, 'utf8');
      expect([status, texts]).toEqual([10, expect.not.stringContaining('localhost')]);
      expect(texts.match(/at file:b\.json#\d+, with|at file:b\.json: understood/g)).toHaveLength(4);
      const [first = ''] = readFileSync(rejects, 'utf8').split('\n');
      expect(JSON.parse(first)).not.toHaveProperty('kind');
    },
  );

  it('and by runs the articles themselves', async () => {
    await run('articles delete 1 -y --blog file:b.json');
    const { out: id } = await run('runs list --blog file:b.json --field id');
    const { out } = await run(`runs show ${id.trim()} --json --jq .lines[].deleted`);
    expect(out).toBe('file:b.json#1\n');
  });
});

describe('an address of another blog', () => {
  it.each([
    [
      'articles get file:b.json#1 --blog file:c.json',
      2,
      'file:b.json is not the blog of this command.',
    ],
    ['articles get file:b.json#1 file:b.json#blog=2/2', 2, 'file:b.json#blog=2 is not the blog'],
    ['articles list --blog file:b.json#1', 2, '"file:b.json#1" names an article, not a blog.'],
    ['blog --blog file:b.json#blog=3', 5, 'There is no blog at file:b.json#blog=3'],
  ])('%s', async (line, status, message) => {
    const ended = await run(line);
    expect([ended.status, ended.err]).toEqual([status, expect.stringContaining(message)]);
  });
});

describe('what stands behind a store that is there makes no other', () => {
  it.each([
    'b.json#blog=Second',
    'b.json#blog=0',
    'b.json#Second',
    'b.json?blog=2',
    'b.json#BLOG=2',
  ])('%s', async (name) => {
    const before = readdirSync(folder).sort();
    for (const line of [
      `articles create --title New --content= --blog file:${name}`,
      `articles list --blog file:${name}`,
      `profile add second file:${name}`,
      `store init ${name}`,
      `serve ${name} --port 0`,
    ]) {
      const { status, err } = await run(line);
      expect([line, status, err]).toEqual([
        line,
        2,
        expect.stringContaining(`"${name.slice(6)}" is nothing in ${join(folder, 'b.json')}.`),
      ]);
    }
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it('but may be part of a name', async () => {
    writeFileSync(join(folder, 'b.json#old'), readFileSync(join(folder, 'b.json')));
    expect((await run('articles list --blog file:b.json#old --format ids')).out).toBe('1\n');
    expect((await run('store init c#1.json')).status).toBe(0);
  });
});

it('what is exported from the second blog is known there again, and not taken for one of the first', async () => {
  const exported = await run('articles export out --blog file:b.json#blog=2');
  expect(exported).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, 'out', '0001-two.md'), 'utf8')).toContain(
    'file:../b.json#blog=2/2',
  );
  const summaries = await Promise.all(
    ['file:b.json#blog=2', 'file:b.json'].map((blog) =>
      run(`articles import ${join(folder, 'out')} --blog ${blog}`),
    ),
  );
  expect(summaries.map(({ err }) => err)).toEqual([
    '1 record: 1 already there.\n',
    expect.stringContaining('1 record: 1 created.\n'),
  ]);
});

it.each([
  ['file:b.json#blog=2', { kind: 'file', path: join('/f', 'b.json'), blogId: 2 }],
  ['file:a#b.json', { kind: 'file', path: join('/f', 'a#b.json') }],
  ['file:b.json#blog=x', { kind: 'file', path: join('/f', 'b.json#blog=x') }],
])('%s names a blog', (text, target) => {
  expect(readTarget(text, '/f')).toEqual(target);
});
