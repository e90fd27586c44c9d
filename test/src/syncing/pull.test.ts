import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { replaceFileSync } from '../../../src/files.ts';
import { readPost } from '../../../src/importing/sources/formats/post.ts';

import { draftsOf, rewritePost } from '../../../src/syncing/pull.ts';
import { run } from '../../support/run.ts';
import { givenSync } from './given-sync.ts';

const to = { title: 'New: "it"', content: 'new text\nof two' };

describe('a post with another title and content', () => {
  it.each([
    [
      'yaml',
      '---\ndate: 2024-01-01 # day\ntitle: Old # note\ntags: [a]\n---\n\nold\n',
      '---\ndate: 2024-01-01 # day\ntitle: "New: \\"it\\"" # note\ntags: [a]\n---\n\nnew text\nof two\n',
    ],
    [
      'yaml in quotes',
      "---\ntitle: 'It''s old'\nx: title\n---\nold",
      '---\ntitle: "New: \\"it\\""\nx: title\n---\nnew text\nof two',
    ],
    [
      'toml',
      '+++\ntitle = "Old"\ndraft = false\n+++\nold\n',
      '+++\ntitle = "New: \\"it\\""\ndraft = false\n+++\nnew text\nof two\n',
    ],
    [
      'json',
      '{"tags": [], "title": "Old"}\nold\n',
      '{"tags": [], "title": "New: \\"it\\""}\nnew text\nof two\n',
    ],
    [
      'line ends of Windows',
      '---\r\ntitle: Old\r\n---\r\nold\r\n',
      '---\r\ntitle: "New: \\"it\\""\r\n---\r\nnew text\r\nof two\r\n',
    ],
  ])('%s', (_what, before, after) => {
    expect(rewritePost(before, 'a.md', { to, titleFrom: undefined })).toBe(after);
  });

  it.each([
    ['title', { title: 'New', content: 'a\nb\nc\nd' }, 'a\nb\r\nc\rd\n\n'],
    ['a line', { title: 'Old', content: 'a\nB\nc\nd' }, 'a\nB\r\nc\rd\n\n'],
    ['the end', { title: 'Old', content: 'a\nb\nc\nd\ne' }, 'a\nb\r\nc\rd\r\ne\n\n'],
    ['the beginning', { title: 'Old', content: 'x\na\nb\nc' }, 'x\r\na\nb\r\nc\n\n'],
  ])('keeps line ends of several kinds where %s changed', (_what, text, body) => {
    const before = '---\ntitle: Old\n---\r\na\nb\r\nc\rd\n\n';
    const head = text.title === 'Old' ? 'Old' : '"New"';
    expect(rewritePost(before, 'a.md', { to: text, titleFrom: undefined })).toBe(
      `---\ntitle: ${head}\n---\r\n${body}`,
    );
  });

  it.each([
    ['a title of several lines', '---\ntitle: >\n  Old\n  one\n---\nold\n', undefined],
    ['a title that is the name of the file', 'old\n', 'filename'],
    [
      'a title that goes on in the next line',
      '---\ntitle: A title that\n  goes on\ndate: 2024-01-01\n---\nold\n',
      undefined,
    ],
    [
      'a title that goes on behind a blank line',
      '---\ntitle: Plain\n\n  para two\n---\nold\n',
      undefined,
    ],
    [
      'a member behind the title in its line',
      '---\n{\ntitle: Old, draft: no\n}\n---\nold\n',
      undefined,
    ],
    ['YAML that was broken before', '---\ntitle: Old\nx: "\n---\nold\n', undefined],
  ] as const)('is refused: %s', (_what, before, titleFrom) => {
    expect(rewritePost(before, 'a.md', { to, titleFrom })).toBeUndefined();
  });

  it.each([
    ['toml', '+++\n[seo]\ntitle = "Kept"\n+++\n'],
    ['json', '{"seo": {"title": "Kept"}}\n'],
  ])('keeps front matter in %s where the title stands in the text', (_what, head) => {
    const heading = { title: 'New', content: '# New\n\nnew' };
    expect(rewritePost(`${head}# Old\n\nold\n`, 'a.md', { to: heading, titleFrom: 'h1' })).toBe(
      `${head}# New\n\nnew\n`,
    );
  });

  it('keeps the frame of an HTML page', () => {
    const page = '---\ntitle: Old\n---\n<html><head></head><body>old</body></html>\n';
    expect(rewritePost(page, 'a.html', { to, titleFrom: undefined })).toBeUndefined();
  });

  it.each(['title: Old\n  goes on', 'title: Old\n\n  goes on', 'title: &t Old', 'x: "'])(
    'leaves front matter as it is where only the text changed: %s',
    (lines) => {
      const head = `---\ntitle: Old\n${lines}\n---\n`;
      const { title } = readPost(`${head}old\n`, 'a.md', undefined);
      const text = { title, content: 'new' };
      expect(rewritePost(`${head}old\n`, 'a.md', { to: text, titleFrom: undefined })).toBe(
        `${head}new\n`,
      );
    },
  );
});

it('pull brings here what was changed there, for git to show', async () => {
  const world = await givenSync();
  world.write({
    'a.md': '---\ntitle: A\ntags: [x]\n---\none\n',
    'b.md': 'B/two',
    'c.md': 'C/three',
  });
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'A/mended');
  await world.edit(2, 'B/mended too');
  await world.add('By hand', 'by hand');
  world.write({ 'b.md': 'B/TWO' });
  const dry = await world.sync('pull posts -n --format json');
  expect(JSON.parse(dry.out)).toEqual([
    { path: 'a.md', id: 1, result: 'would be pulled' },
    { path: 'b.md', id: 2, result: 'refused', reason: 'changed here and on the blog' },
  ]);
  const named = await world.sync('pull posts b.md --format json');
  expect(named.status).toBe(10);
  expect(JSON.parse(named.out)).toEqual([
    {
      path: 'b.md',
      id: 2,
      result: 'refused',
      reason: 'has changes that are not committed, or git was told not to look at it',
    },
  ]);
  world.commit();
  const pulled = await world.sync('pull posts posts/a.md b.md --new --format json');
  expect(pulled.status).toBe(0);
  const text = (path: string) => readFileSync(join(world.root, 'posts', path), 'utf8');
  expect(text('a.md')).toBe('---\ntitle: A\ntags: [x]\n---\nmended\n');
  expect(text('b.md')).toContain('mended too');
  expect(text('0004-by-hand.md')).toBe(
    `---\ntitle: "By hand"\narticle: "${world.blogUrl}/articles/4"\n---\nby hand`,
  );
  expect(world.git('status', '--porcelain', 'posts')).toBe(
    ' M posts/a.md\n M posts/b.md\n?? posts/0004-by-hand.md\n',
  );
  const { json } = await world.sync('apply posts');
  expect(json).toMatchObject({ written: 0, unchanged: 4, refused: 0 });
});

it('what a pull that was killed has left lies in the folder of git, and the next one removes it', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'A/there');
  const sync = join(world.root, 'data', 'sync');
  const state = readdirSync(sync).find((name) => name.endsWith('.ndjson')) ?? '';
  const draft = await draftsOf(join(sync, state), join(world.root, 'posts'));
  expect(draft).toMatch(/\/\.git\/blogctl-pull-[\da-f]{10}$/);
  const file = join(world.root, 'posts', 'a.md');
  // Whatever keeps it from its place, nothing is made beside the post.
  const drafted = () => replaceFileSync(file, 'x', { draft: join(world.root, 'none', 'x') });
  expect(drafted).toThrow(join('none', 'x'));
  writeFileSync(`${draft}.8c9c1d0a0e221580.tmp`, '');
  expect((await world.sync('pull posts -n')).status).toBe(0);
  const left = () => readdirSync(join(world.root, '.git')).filter((name) => name.includes('pull'));
  expect(left()).toHaveLength(1);
  expect((await world.sync('pull posts')).status).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('there');
  expect(left()).toEqual([]);
  expect(world.git('status', '--short', 'posts')).toBe(' M posts/a.md\n');
});

it('a path that is pulled already keeps no other from being pulled', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/a', 'b.md': 'B/b' });
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'A/a, there');
  await world.sync('pull posts a.md');
  world.commit();
  await world.edit(2, 'B/b, there');
  const { status, out } = await world.sync('pull posts a.md b.md --format json');
  expect([status, JSON.parse(out)]).toEqual([0, [{ path: 'b.md', id: 2, result: 'pulled' }]]);
  expect((await world.sync('pull posts c.md')).status).toBe(2);
});

it('pull leaves what was changed here too, and names it', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'A/there');
  world.write({ 'a.md': 'A/here' });
  world.commit();
  const alone = await world.sync('pull posts --format json');
  const left = { path: 'a.md', id: 1, result: 'refused', reason: 'changed here and on the blog' };
  expect({ status: alone.status, said: JSON.parse(alone.out) }).toEqual({
    status: 10,
    said: [left],
  });
  expect(alone.err).not.toContain('nothing');
  expect(alone.err).toContain(
    `blogctl sync pull posts a.md --blog ${world.blogUrl} takes the text of the blog`,
  );
  await world.edit(2, 'B/mended');
  const both = await world.sync('pull posts --format json');
  expect({ status: both.status, said: JSON.parse(both.out) }).toEqual({
    status: 10,
    said: [{ path: 'b.md', id: 2, result: 'pulled' }, left],
  });
  expect((await world.sync('pull posts a.md --format json')).status).toBe(0);
});

const full = { code: 'ENOSPC', syscall: 'write' };

it('pull tells of what the disk has no room for, and of the rest', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'full.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  await world.sync('apply posts');
  for (const id of [1, 2]) await world.edit(id, 'Mended/mended');
  await world.edit(3, 'Mended/too long for it');
  const write = fs.writeFileSync;
  const disk = vi.spyOn(fs, 'writeFileSync').mockImplementation((path, text, ...rest) => {
    if (typeof text === 'string' && text.includes('too long for it'))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), full);
    write(path, text, ...rest);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    disk.mockRestore();
    syncBuiltinESMExports();
  });
  const { status, out, err } = await world.sync('pull posts --format json');
  const reason = 'cannot be written: ENOSPC: no space left on device, write';
  expect({ status, said: JSON.parse(out) }).toEqual({
    status: 10,
    said: [
      { path: 'a.md', id: 1, result: 'pulled' },
      { path: 'c.md', id: 2, result: 'pulled' },
      { path: 'full.md', id: 3, result: 'refused', reason },
    ],
  });
  expect(err).toContain('see to the room on the disk');
  expect(err).not.toContain('Commit');
});

it('pull leaves front matter that it would break, and says so', async () => {
  const world = await givenSync();
  const long = '---\ntitle: A long title that\n  goes on here\ndate: 2024-01-01\n---\none\n';
  world.write({ 'a.md': long });
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'Mended/one');
  const { status, out } = await world.sync('pull posts --format json');
  expect(status).toBe(10);
  expect(out).toContain('its title or text cannot be put back by itself');
  const { err } = await world.sync('pull posts a.md');
  expect(err).toContain(
    `Put in by hand what cannot be put back by itself: blogctl articles get 1 --blog ${world.blogUrl} shows it.`,
  );
  expect(err).not.toContain('Commit');
  expect(readFileSync(join(world.root, 'posts', 'a.md'), 'utf8')).toBe(long);
});

it('pull with --encoding refuses only a file that is not UTF-8, and keeps a byte order mark', async () => {
  const world = await givenSync();
  const file = (path: string) => join(world.root, 'posts', path);
  writeFileSync(file('a.md'), '---\ntitle: Ascii\n---\none\n');
  writeFileSync(file('l.md'), Buffer.from('---\ntitle: Caf\u00E9\n---\none\n', 'latin1'));
  writeFileSync(file('m.md'), '\uFEFF---\ntitle: Caf\u00E9\n---\nmark\n');
  writeFileSync(file('u.md'), Buffer.from('\uFEFF---\ntitle: Wide\n---\none\n', 'utf16le'));
  writeFileSync(file('z.md.gz'), gzipSync('---\ntitle: Packed\n---\none\n'));
  world.commit();
  await world.sync('apply posts --encoding latin1');
  for (const id of [1, 2, 3, 4, 5]) await world.edit(id, `M${id}/mended`);
  const { status, out } = await world.sync('pull posts --encoding latin1 --format json');
  const reason = 'is not UTF-8, and no file is written in anything else';
  expect({ status, said: JSON.parse(out) }).toEqual({
    status: 10,
    said: [
      { path: 'a.md', id: 1, result: 'pulled' },
      { path: 'l.md', id: 2, result: 'refused', reason },
      { path: 'm.md', id: 3, result: 'pulled' },
      { path: 'u.md', id: 4, result: 'refused', reason },
      { path: 'z.md', id: 5, result: 'refused', reason },
    ],
  });
  expect(readFileSync(file('a.md'), 'utf8')).toBe('---\ntitle: "M1"\n---\nmended\n');
  expect(readFileSync(file('m.md'), 'utf8')).toBe('\uFEFF---\ntitle: "M3"\n---\nmended\n');
  expect(world.git('status', '--porcelain', 'posts')).toBe(' M posts/a.md\n M posts/m.md\n');
});

it('pull --new writes addresses that move with a store file', async () => {
  const world = await givenSync();
  const env = { BLOGCTL_DATA_DIR: join(world.root, 'data'), BLOGCTL_BLOG: 'file:blog.json' };
  const at = (folder: string) => (line: string) =>
    run(line.split(' '), { env, folder: join(world.root, folder) });
  const posts = (folder: string) => join(world.root, folder, 'posts');
  mkdirSync(posts('one'), { recursive: true });
  writeFileSync(join(posts('one'), 'm.md'), '---\ntitle: Mine\n---\nmine\n');
  const before = at('one');
  await before('sync apply posts -y');
  await before('articles create --title Hers --content hers');
  expect(await before('sync pull posts --new')).toMatchObject({ status: 0 });
  const text = '---\ntitle: "Hers"\narticle: "file:../blog.json#2"\n---\nhers';
  expect(readFileSync(join(posts('one'), '0002-hers.md'), 'utf8')).toBe(text);
  renameSync(join(world.root, 'one'), join(world.root, 'two'));
  const after = at('two');
  await after('articles update 2 --title Mended');
  writeFileSync(join(posts('two'), '0002-hers.md'), `${text} and more`);
  const { status, err } = await after('sync apply posts -y');
  expect(status).toBe(10);
  expect(err).toContain('0002-hers.md (article 2)');
  expect((await after('articles list --format ids')).out).toBe('1\n2\n');
});

it('pull writes over nothing outside of git', async () => {
  const world = await givenSync({ git: false });
  world.write({ 'a.md': 'A/one' });
  await world.sync('apply posts');
  await world.edit(1, 'A/mended');
  const { status, out } = await world.sync('pull posts --format json');
  expect(status).toBe(10);
  expect(out).toContain('not in a git work tree');
  expect(readFileSync(join(world.root, 'posts', 'a.md'), 'utf8')).toContain('one');
});

it.each([
  ['a folded title', '---\ntitle: >-\n  A long\n  one\n---\none\n'],
  ['an anchored title', '---\ntitle: &t A\nother: *t\n---\none\n'],
  ['a title of TOML in three quotes', '+++\ntitle = """A"""\n+++\none\n'],
])('a plan promises no pull of %s, which pull refuses', async (_what, text) => {
  const world = await givenSync();
  world.write({ 'a.md': 'X/x' });
  writeFileSync(join(world.root, 'posts', 'a.md'), text);
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'Another/mended');
  const plan = await world.sync('plan posts --exit-code');
  expect(plan.said).toEqual(['drift a.md 1']);
  expect(plan.err).toContain('changed on the blog, to be put in here by hand"');
  expect(plan.err).toContain(`blogctl articles get 1 --blog ${world.blogUrl} shows it`);
  expect(plan.err).not.toContain('sync pull');
  expect((await world.sync('pull posts')).status).toBe(10);
});

it('pull puts a text behind front matter that ends without a line end', async () => {
  const world = await givenSync();
  const file = join(world.root, 'posts', 'a.md');
  writeFileSync(file, '---\ntitle: "No end"\n---');
  world.commit();
  await world.sync('apply posts');
  await world.edit(1, 'No end/a text');
  expect((await world.sync('plan posts')).err).toContain('(sync pull brings it)');
  expect((await world.sync('pull posts')).status).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('---\ntitle: "No end"\n---\na text');
});

it('runs no program that a repository within the folder names, which comes with a clone', async () => {
  const world = await givenSync();
  const ran = join(world.root, 'ran');
  world.write({ 'a.md': 'A/one' });
  const posts = join(world.root, 'posts');
  writeFileSync(join(posts, '.gitattributes'), '*.md filter=f\n');
  world.git('-C', 'posts', 'init', '-q');
  world.git('-C', 'posts', 'add', '-A');
  world.git('-C', 'posts', 'commit', '-q', '-m', 'x');
  for (const name of ['HEAD', 'objects', 'refs', 'index'])
    renameSync(join(posts, '.git', name), join(posts, name));
  rmSync(join(posts, '.git'), { recursive: true });
  writeFileSync(
    join(posts, 'config'),
    `[core]\n repositoryformatversion=0\n bare=false\n worktree=.\n[filter "f"]\n clean=touch ${ran}; cat\n`,
  );
  await world.sync('apply posts');
  await world.edit(1, 'A/two');
  await world.sync('pull posts');
  expect(existsSync(ran)).toBe(false);
});
