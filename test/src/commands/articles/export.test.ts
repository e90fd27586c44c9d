import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { ArticlePage, BlogClient } from '../../../../src/client/blog-client.ts';
import { createFakeBlog } from '../../importing/fake-blog.ts';
import { run as runLine } from '../../../support/run.ts';
import { withFiles } from '../../importing/sources/files.ts';
import { givenCommand } from './given-command.ts';

const articles = ['A', 'B', 'C'].map((title) => ({ title, content: 'x' }));

/** A blog that loses articles while it is read. */
function shrinking(): BlogClient {
  const blog = createFakeBlog({ articles });
  return {
    ...blog,
    async *pages() {
      for await (const page of blog.pages()) {
        yield { ...page, articles: page.articles.slice(0, 2) } satisfies ArticlePage;
      }
    },
  };
}

describe('blogctl articles export', () => {
  it.each(['a.ndjson', 'a.json', 'a.csv'])('never overwrites %s unasked', async (name) => {
    await withFiles({ [name]: 'before' }, async (folder) => {
      const line = ['articles', 'export', join(folder, name)];
      const blog = createFakeBlog({ articles });
      const refused = await givenCommand(line, {
        ...blog,
        pages: () => {
          throw new Error('nothing is read in vain');
        },
      });
      expect(refused).toMatchObject({
        status: 6,
        error: {
          message: `${join(folder, name)} is there already.`,
          hint: 'Name another file, or give --overwrite.',
        },
      });
      expect(await readFile(join(folder, name), 'utf8')).toBe('before');
      expect(await givenCommand([...line, '--overwrite'], blog)).toMatchObject({ status: 0 });
      expect(await readFile(join(folder, name), 'utf8')).toContain('B');
      expect(await readdir(folder)).toEqual([name]);
    });
  });

  it.each(['a.json', 'a.csv', 'a.ndjson'])(
    'writes %s alike, by whatever it is named',
    async (name) => {
      await withFiles({}, async (folder) => {
        const on = (...line: string[]) =>
          runLine(['articles', ...line, '--blog', 'file:b.json'], { env: {}, folder });
        await on('create', '--title', 'A', '--content', 'x');
        await on('export', name);
        await on('export', '-o', `o-${name}`);
        const texts = [name, `o-${name}`].map((file) => readFile(join(folder, file), 'utf8'));
        const [one, other] = await Promise.all(texts);
        expect(other).toBe(one);
      });
    },
  );

  it.each([
    ['a.ndjson', ''],
    ['a.json', '[]\n'],
    ['a.csv', '"title","content","url"\n'],
  ])('of an empty blog makes %s all the same', async (name, text) => {
    await withFiles({}, async (folder) => {
      const line = ['articles', 'export', join(folder, name)];
      expect(await givenCommand(line, createFakeBlog())).toMatchObject({ status: 0 });
      expect(await readFile(join(folder, name), 'utf8')).toBe(text);
    });
  });

  it('that fails leaves the earlier file and nothing else', async () => {
    await withFiles({ 'a.ndjson': 'before' }, async (folder) => {
      const line = ['articles', 'export', join(folder, 'a.ndjson'), '--overwrite'];
      expect(await givenCommand(line, shrinking())).toMatchObject({
        status: 6,
        error: {
          message:
            'The service counts otherwise than it lists: 2 articles were read, and first and last it said 3.',
        },
      });
      expect(await readdir(folder)).toEqual(['a.ndjson']);
      expect(await readFile(join(folder, 'a.ndjson'), 'utf8')).toBe('before');
    });
  });

  it('into a folder that is not there names it', async () => {
    await withFiles({}, async (folder) => {
      const path = join(folder, 'no', 'a.ndjson');
      expect(await givenCommand(['articles', 'export', path], createFakeBlog())).toMatchObject({
        status: 7,
        error: { message: `${path} cannot be written.` },
      });
    });
  });

  it('of Markdown takes no file for its folder', async () => {
    await withFiles({ posts: 'mine' }, async (folder) => {
      const line = ['articles', 'export', join(folder, 'posts')];
      expect(await givenCommand(line, createFakeBlog({ articles }))).toMatchObject({ status: 7 });
      expect(await readFile(join(folder, 'posts'), 'utf8')).toBe('mine');
    });
  });
});
