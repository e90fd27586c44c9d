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
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createBlogClient } from '../../../src/client/create-blog-client.ts';
import { readFolder } from '../../../src/syncing/folder.ts';
import { openReadings, stampOf } from '../../../src/syncing/kept-readings.ts';
import { readListing } from '../../../src/syncing/listing.ts';
import { digestOf } from '../../../src/syncing/same-text.ts';
import { givenSync } from './given-sync.ts';

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
    const read = (known = {}, now = Date.now() + later) =>
      readFolder(
        'posts',
        { drafts: false, exact: false, map: { title: '', content: '' }, now },
        { cwd: root, signal: new AbortController().signal },
        known,
      );
    return { root, write, read };
  }

  it('is not read again where its files are as they were', async () => {
    const { write, read } = await givenFolder();
    write('a.md', 'one');
    write('b.md', 'two');
    const { kept } = await read();
    expect(Object.keys(kept)).toEqual(['a.md', 'b.md']);
    const doctored = Object.fromEntries(
      Object.entries(kept).map(([path, post]) => [path, { ...post, digest: `kept ${path}` }]),
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
    expect((await read({}, Date.now())).kept).toEqual({});
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
    expect(Object.keys(kept)).toEqual(['c.md']);
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
  const patience = <T>(send: () => Promise<T>) => send();
  const reading = { client, patience, signal, exact: false };
  const first = await readListing(reading);
  const second = await readListing(reading, first.pages);
  expect(second).toEqual(first);
  expect(answers.slice(-1)).toEqual(['304 ?pageIndex=1&pageSize=500']);
  await world.edit(2, 'Post 2/edited');
  const third = await readListing(reading, second.pages);
  expect(answers.slice(-1)).toEqual(['200 ?pageIndex=1&pageSize=500']);
  expect(third.articles.get(2)?.digest).toBe(
    digestOf({ title: 'Post 2', content: 'edited' }).digest,
  );
});

describe('the file of readings', () => {
  const post = { title: 'A', content: 'c', digest: 'd', stamp: 's' };

  it('comes back as it was, for the same reading only', () => {
    const path = join(givenRoot(), 'sync', 'x.readings');
    const now = { posts: { 'a.md': post }, pages: {} };
    openReadings(path, ['posts']).save(now);
    expect(openReadings(path, ['posts'])).toMatchObject(now);
    expect(openReadings(path, ['other'])).toMatchObject({ posts: {}, pages: {} });
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -3)],
    ['changed', (text: string) => text.replace('"d"', '"e"')],
    ['empty', () => ''],
  ])('is as none where it was %s', (_what, damage) => {
    const path = join(givenRoot(), 'x.readings');
    openReadings(path, 1).save({ posts: { 'a.md': post }, pages: {} });
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(openReadings(path, 1)).toMatchObject({ posts: {}, pages: {} });
  });

  it('is not written where nothing was read, nor missed where it cannot be', () => {
    const root = givenRoot();
    const path = join(root, 'x.readings');
    openReadings(path, 1).save({ posts: {}, pages: {} });
    expect(existsSync(path)).toBe(false);
    writeFileSync(join(root, 'file'), '');
    openReadings(join(root, 'file', 'x'), 1).save({ posts: { a: post }, pages: {} });
    expect(readdirSync(root)).toEqual(['file']);
  });
});
