import { hash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { createBlogClient } from '../../../src/client/create-blog-client.ts';
import { stampOf } from '../../../src/files.ts';
import { findPosts, readFolder } from '../../../src/syncing/folder.ts';
import { openReadings, stampOfState, type Readings } from '../../../src/syncing/kept-readings.ts';
import { readListing } from '../../../src/syncing/listing.ts';

import { digestOf } from '../../../src/syncing/same-text.ts';
import { givenSync, type SyncWorld } from './given-sync.ts';

function givenRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'blogctl-kept-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const later = 10_000;

describe('a folder that was read before', () => {
  async function givenFolder() {
    const root = givenRoot();
    mkdirSync(join(root, 'posts'));
    const write = (name: string, text: string) =>
      writeFileSync(join(root, 'posts', name), `---\ntitle: ${name}\n---\n${text}\n`);
    const read = (known: Readings['posts'] = new Map(), now = Date.now() + later) =>
      readFolder(
        findPosts('posts', root, now),
        { drafts: false, exact: false, map: { title: '', content: '' }, now },
        new AbortController().signal,
        known,
      );
    return { root, write, read };
  }

  it('is not read again where its files are as they were', async () => {
    const { write, read } = await givenFolder();
    write('a.md', 'one');
    write('b.md', 'two');
    const { kept } = await read();
    expect([...kept.keys()]).toEqual(['a.md', 'b.md']);
    const doctored = new Map(
      [...kept].map(([path, post]) => [path, { ...post, digest: `kept ${path}` }]),
    );
    write('b.md', 'TWO');
    const { posts } = await read(doctored);
    expect(posts.map(({ digest }) => digest)).toEqual([
      'kept a.md',
      digestOf({ title: 'b.md', content: 'TWO' }).digest,
    ]);
    // What is sent is read from the file, and only if it is what was compared.
    expect(posts.map((post) => post.text()?.content)).toEqual([undefined, 'TWO\n']);
  });

  it('is not kept where a file could be written again within one tick of the clock', async () => {
    const { root, write, read } = await givenFolder();
    write('a.md', 'one');
    expect((await read(undefined, Date.now())).kept).toEqual(new Map());
    const stats = lstatSync(join(root, 'posts', 'a.md'));
    const changed = Math.max(stats.mtimeMs, stats.ctimeMs);
    expect(stampOf(stats, changed + 1_999)).toBe(undefined);
    expect(stampOf(stats, changed + 2_000)).toContain(`${stats.size} `);
  });

  it('is read again where two files have one name, or something is to be said of one', async () => {
    const { root, write, read } = await givenFolder();
    write('a\u0301.md', 'one');
    write('\u00E1.md', 'one');
    write('c.md', 'three');
    writeFileSync(join(root, 'posts', 'd.md'), '---\ntitle: D\ndraft: true\n---\n');
    const { kept, posts, skipped } = await read();
    expect([...kept.keys()]).toEqual(['c.md']);
    expect({ posts: posts.length, skipped: [...skipped.values()] }).toEqual({
      posts: 2,
      skipped: ['draft'],
    });
    expect((await read(kept)).skipped.size).toBe(1);
  });
});

it('pages that are as they were known are not sent again, and the listing is the same', async () => {
  const world = await givenSync({ git: false });
  for (let at = 1; at <= 3; at += 1) await world.add(`Post ${at}`, `text ${at}`);
  const answers: string[] = [];
  const client = createBlogClient({
    blogUrl: world.blogUrl,
    async transport(request) {
      const { method, url, headers } = request;
      const answer = await fetch(url, { method, headers });
      answers.push(`${answer.status} ${new URL(url).search}`);
      const body = new Uint8Array(await answer.arrayBuffer());
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
    },
  });
  const { signal } = new AbortController();
  const retry = <T>(send: () => Promise<T>) => send();
  const reading = { client, retry, signal, exact: false };
  const first = await readListing(reading);
  const second = await readListing(reading, first.pages);
  expect([first.isAsKnown, second.isAsKnown]).toEqual([false, true]);
  expect([second.articles(), second.pages]).toEqual([first.articles(), first.pages]);
  expect(answers.slice(-1)).toEqual(['304 ?pageSize=500']);
  await world.edit(2, 'Post 2/edited');
  const third = await readListing(reading, second.pages);
  expect(answers.slice(-1)).toEqual(['200 ?pageSize=500']);
  expect(third.articles().get(2)?.digest).toBe(
    digestOf({ title: 'Post 2', content: 'edited' }).digest,
  );
});

describe('the file of readings', () => {
  const post = { title: 'A', content: 'c', digest: 'd', stamp: 's' };

  it('comes back as it was, for the same reading only', () => {
    const path = join(givenRoot(), 'sync', 'x.readings');
    const now = { posts: new Map([['a.md', post]]), pages: {} };
    openReadings(path, ['posts']).save(now);
    expect(openReadings(path, ['posts']).before).toMatchObject(now);
    expect(openReadings(path, ['other']).before).toMatchObject({ posts: new Map(), pages: {} });
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -3)],
    ['changed', (text: string) => text.replace('"d"', '"e"')],
    ['empty', () => ''],
  ])('is as none where it was %s', (_what, damage) => {
    const path = join(givenRoot(), 'x.readings');
    openReadings(path, 1).save({ posts: new Map([['a.md', post]]), pages: {} });
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(openReadings(path, 1).before).toMatchObject({ posts: new Map(), pages: {} });
  });

  it('is not written where nothing was read, nor missed where it cannot be', () => {
    const root = givenRoot();
    const path = join(root, 'x.readings');
    openReadings(path, 1).save({ posts: new Map(), pages: {} });
    expect(existsSync(path)).toBe(false);
    writeFileSync(join(root, 'file'), '');
    openReadings(join(root, 'file', 'x'), 1).save({ posts: new Map([['a', post]]), pages: {} });
    expect(readdirSync(root)).toEqual(['file']);
  });
});

describe('a folder and its blog at rest', () => {
  /** Where all was unchanged a while ago, so that no clock stands between. */
  async function givenRest() {
    const world = await givenSync({ git: false });
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
    onTestFinished(() => void vi.restoreAllMocks());
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': '---\ntitle: C\ndraft: true\n---\n' });
    await world.sync('apply posts');
    await world.sync('plan posts');
    const data = join(world.root, 'data', 'sync');
    const readings = readdirSync(data).find((name) => name.endsWith('.readings')) ?? '';
    const [, head = ''] = readFileSync(join(data, readings), 'utf8').split('\n');
    const keep = (text: string) =>
      writeFileSync(join(data, readings), `${hash('sha256', text).slice(0, 32)}\n${text}`);
    return Object.assign(world, { data, head, keep });
  }

  it('need not be read, nor what was read of them', async () => {
    const world = await givenRest();
    const { head, keep } = world;
    const { json, asked } = await world.sync('plan posts');
    // Two posts more than there are: what was kept is what is said.
    keep(`${head.replace('"posts":[', '"posts":[["c.md",3],["d.md",4],')}\nno JSON`);
    const again = await world.sync('plan posts');
    expect(again.json.summary).toEqual({ ...json.summary, unchanged: 4 });
    expect(again.asked).toEqual(asked);
    keep(`${head}\nno JSON`);
    const { json: summary } = await world.sync('apply posts --prune');
    expect(summary).toMatchObject({ planned: 2, unchanged: 2, written: 0 });
  });

  it('needs no state that is as it was, which is not read', async () => {
    const { data, head, keep, ...world } = await givenRest();
    const state = join(data, readdirSync(data).find((name) => name.endsWith('.ndjson')) ?? '');
    const before = stampOfState(state, Date.now());
    writeFileSync(state, JSON.stringify({ sync: { blog: 'file:another', importId: '' } }));
    expect((await world.sync('plan posts')).err).toContain('is that of file:another');
    const now = stampOfState(state, Date.now());
    keep(`${head.replace(before, now)}\nno JSON`);
    expect((await world.sync('plan posts')).json.summary).toMatchObject({ unchanged: 2 });
  });

  it.each<[string, string, (world: SyncWorld & { data: string }) => unknown, string[]]>([
    ['a file is edited', '', (world) => world.write({ 'a.md': 'A/three' }), ['update a.md 1']],
    ['a file is added', '', (world) => world.write({ 'd.md': 'D/three' }), ['create d.md']],
    ['a file is removed', '', (world) => world.remove('b.md'), ['orphan b.md 2']],
    ['a file is renamed', '', (world) => world.move('b.md', 'd.md'), ['rename d.md 2 was b.md']],
    ['an article is edited', '', (world) => world.edit(1, 'A/there'), ['drift a.md 1']],
    ['an article is deleted', '', (world) => world.destroy(2), ['deleted-there b.md 2']],
    ['drafts are taken too', '--drafts', () => undefined, ['create c.md']],
    ['a draft is published', '', (world) => world.write({ 'c.md': 'C/text' }), ['create c.md']],
    [
      'an article is edited and the state lost',
      '',
      async ({ data, ...world }) => {
        await world.edit(1, 'A/there');
        for (const name of readdirSync(data).filter((each) => each.endsWith('ndjson')))
          rmSync(join(data, name));
      },
      ['unverified a.md 1'],
    ],
  ])('are read again where %s', async (_what, flags, change, said) => {
    const world = await givenRest();
    await change(world);
    expect((await world.sync(`plan posts ${flags}`)).said).toEqual(said);
  });

  it.each([
    ['posts.json', '{"draft": true}'],
    ['_index.md', '---\ncascade:\n  draft: true\n---\n'],
    ['../_index.md', '---\ncascade:\n  draft: true\n---\n'],
    ['hugo.toml', '[cascade]\ndraft = true\n'],
    ['../_config.yml', 'defaults:\n  - values: {published: false}\n'],
    ['../config/_default/hugo.yaml', 'cascade: {draft: true}\n'],
    ['hugo.toml', "ignoreFiles = ['.*\\.md$']\n"],
    ['.eleventyignore', '*.md\n'],
    ['posts.11tydata.js', 'export default { draft: true };\n'],
    ['../.eleventyignore', 'posts/*.md\n'],
  ])('are read again where %s says of them that they are not public', async (name, text) => {
    const world = await givenRest();
    mkdirSync(dirname(join(world.root, 'posts', name)), { recursive: true });
    writeFileSync(join(world.root, 'posts', name), text);
    const { status, err } = await world.sync('plan posts');
    expect([status, err]).toEqual([7, expect.stringContaining('(3 are not public)')]);
  });

  it('are never of a post that will be public, nor of a state that was not written', async () => {
    const world = await givenRest();
    const { data } = world;
    const restIn = () => {
      const name = readdirSync(data).find((each) => each.endsWith('.readings')) ?? '';
      return readFileSync(join(data, name), 'utf8').includes('"rest"');
    };
    expect(restIn()).toBe(true);
    world.write({ 'c.md': `---\ntitle: C\ndate: 2999-01-01\n---\n` });
    await world.sync('plan posts');
    expect(restIn()).toBe(false);
    world.write({ 'c.md': `---\ntitle: C\ndraft: true\n---\n` });
    await world.sync('plan posts');
    expect(restIn()).toBe(true);
    for (const name of readdirSync(data).filter((each) => each.endsWith('ndjson')))
      rmSync(join(data, name));
    expect((await world.sync('plan posts')).json.summary).toMatchObject({ unchanged: 2 });
    expect(restIn()).toBe(false);
  });
});

it('a listing that was ended before it began leaves no failure that nobody waits for', async () => {
  const signal = AbortSignal.abort(new Error('ended'));
  const retry = () => Promise.reject(signal.reason);
  const client = createBlogClient({ transport: retry, blogUrl: 'http://blog.test/blogs/1' });
  const reading = { client, retry, signal, exact: false };
  // Vitest fails the run for what nobody waits for.
  await expect(readListing(reading)).rejects.toThrow('ended');
});
