import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Article, ArticlePage, BlogClient } from '../../../src/client/blog-client.ts';
import { exportArticles, type ExportFormat } from '../../../src/importing/export-articles.ts';
import { openSources } from '../../../src/importing/sources/open-sources.ts';
import { createFakeBlog } from './fake-blog.ts';
import { givenImport } from './given-import.ts';
import { withFiles } from './sources/files.ts';

const articles = [
  { title: 'Plain', content: 'One\n' },
  { title: 'Say "no": #1 \\ 1.10', content: '\n---\n\r\n+++\n' },
  { title: 'お茶 ☕️', content: '' },
  { title: 'Plain', content: 'One\n' },
  { title: 'Tab\tand\nline', content: '---\ntitle: not this\n---\n' },
  { title: '!?', content: '\uFEFF\u0000\u2028 end' },
];

async function exported(
  client: BlogClient,
  format: ExportFormat,
  destination?: string,
): Promise<string> {
  let text = '';
  const world = {
    client,
    write: async (piece: string) => void (text += piece),
    addressOf: ({ url }: Article) => url,
    signal: new AbortController().signal,
    progressed: () => undefined,
  };
  await exportArticles({ format, destination }, world);
  return text;
}

async function imported(path: string): Promise<BlogClient> {
  const blog = createFakeBlog();
  const reading = { drafts: false, now: 0, map: { title: 'title', content: 'content' } };
  const { sources } = await openSources([path], reading, process.stdin);
  const { failure } = await givenImport(blog, sources, { concurrency: 1 });
  expect(failure).toBeUndefined();
  return blog;
}

describe('an export', () => {
  it.each([
    ['posts', 'md'],
    ['posts.ndjson', 'ndjson'],
    ['posts.json', 'json'],
    ['posts.csv', 'csv'],
  ] as const)('comes back the same by way of %s', async (name, format) => {
    await withFiles({}, async (folder) => {
      const path = join(folder, name);
      const before = createFakeBlog({ articles });
      await exported(before, format, path);
      const after = await imported(path);
      expect(await exported(after, 'ndjson')).toBe(await exported(before, 'ndjson'));
      expect(await readdir(folder)).toEqual([name]);
    });
  });

  it('to stdout is one object a line, or one array', async () => {
    const two = createFakeBlog({ articles: articles.slice(0, 1) });
    const one = '{"title":"Plain","content":"One\\n","url":"https://blog.test/articles/1"}';
    expect(await exported(two, 'ndjson')).toBe(`${one}\n`);
    expect(await exported(two, 'json')).toBe(`[\n${one}\n]\n`);
    expect(await exported(createFakeBlog(), 'json')).toBe('[]\n');
    expect(await exported(createFakeBlog(), 'ndjson')).toBe('');
  });

  it('names its files by number and title', async () => {
    await withFiles({}, async (folder) => {
      const path = join(folder, 'posts');
      await exported(createFakeBlog({ articles }), 'md', path);
      expect(await readdir(path)).toEqual([
        '0001-plain.md',
        '0002-say-no-1-1-10.md',
        '0003-お茶.md',
        '0004-plain.md',
        '0005-tab-and-line.md',
        '0006-article.md',
      ]);
      expect(await readFile(join(path, '0001-plain.md'), 'utf8')).toBe(
        '---\ntitle: "Plain"\narticle: "https://blog.test/articles/1"\n---\nOne\n',
      );
    });
  });

  it('leaves a folder alone that holds something', async () => {
    await withFiles({ 'posts/mine.txt': 'x' }, async (folder) => {
      const path = join(folder, 'posts');
      await expect(exported(createFakeBlog({ articles }), 'md', path)).rejects.toMatchObject({
        code: 'usage',
        message: `The folder "${path}" is not empty.`,
      });
      expect(await readdir(path)).toEqual(['mine.txt']);
    });
  });

  it('fills an empty folder', async () => {
    await withFiles({}, async (folder) => {
      await mkdir(join(folder, 'posts'));
      await exported(createFakeBlog({ articles }), 'md', join(folder, 'posts'));
      expect(await readdir(join(folder, 'posts'))).toHaveLength(6);
    });
  });

  it('that fails leaves the earlier file and nothing else', async () => {
    await withFiles({}, async (folder) => {
      const path = join(folder, 'posts.ndjson');
      await writeFile(path, 'before');
      const blog = createFakeBlog({ articles });
      const shrinking: BlogClient = {
        ...blog,
        async *pages() {
          for await (const page of blog.pages()) {
            const { articles: all } = page;
            yield { ...page, articles: all.slice(0, 3) } satisfies ArticlePage;
          }
        },
      };
      await expect(exported(shrinking, 'ndjson', path)).rejects.toMatchObject({
        code: 'conflict',
        message:
          'The blog changed while it was exported: 3 articles were read, the blog now says it has 6.',
      });
      expect(await readdir(folder)).toEqual(['posts.ndjson']);
      expect(await readFile(path, 'utf8')).toBe('before');
    });
  });
});
