import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { Article, BlogClient } from '../../../src/client/blog-client.ts';
import { exportArticles, type ExportFormat, type ExportRequest } from '../../../src/exporting.ts';
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
  { title: 'How to hold back a post', content: '---\ndraft: true\n---\nis all that it needs.\n' },
  { title: 'And in TOML', content: '+++\ndate = 2999-01-01\n+++\n' },
  { title: 'And below', content: '# Post\n\nStatus: Draft\n' },
];

async function exported(client: BlogClient, format: ExportFormat, path = ''): Promise<string> {
  let text = '';
  const sink = {
    write: async (piece: string) => void (text += piece),
    finish: async () => (path === '' ? undefined : writeFile(path, text)),
    abandon: async () => undefined,
  };
  const request: ExportRequest = format === 'md' ? { format, folder: path } : { format, sink };
  await exportArticles(request, {
    client,
    addressOf: ({ id }: Article) => `https://blog.test/blogs/1/articles/${id}`,
    signal: new AbortController().signal,
    progressed: () => undefined,
  });
  return text;
}

async function imported(path: string): Promise<ReturnType<typeof createFakeBlog>> {
  const blog = createFakeBlog();
  const reading = {
    drafts: false,
    now: Date.UTC(2026, 0, 1),
    map: { title: 'title', content: 'content' },
  };
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

  it('comes back whole where number and title of a file look like a day to come', async () => {
    const many = Array.from({ length: 2030 }, () => ({ title: '12 24 dinner', content: 'c' }));
    await withFiles({}, async (folder) => {
      await exported(createFakeBlog({ articles: many }), 'md', join(folder, 'posts'));
      const { articles: after } = await imported(join(folder, 'posts'));
      expect(after).toHaveLength(2030);
    });
  });

  it('to stdout is one object a line, or one array', async () => {
    const two = createFakeBlog({ articles: articles.slice(0, 1) });
    const one = '{"title":"Plain","content":"One\\n","url":"https://blog.test/blogs/1/articles/1"}';
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
        '0007-how-to-hold-back-a-post.md',
        '0008-and-in-toml.md',
        '0009-and-below.md',
      ]);
      expect(await readFile(join(path, '0001-plain.md'), 'utf8')).toBe(
        '---\ntitle: "Plain"\narticle: "https://blog.test/blogs/1/articles/1"\n---\nOne\n',
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
      expect(await readdir(join(folder, 'posts'))).toHaveLength(articles.length);
    });
  });

  it('is hidden until it is whole', async () => {
    await withFiles({}, async (folder) => {
      const blog = createFakeBlog({ articles });
      const seen: string[] = [];
      async function* pages() {
        yield* blog.pages();
        seen.push(...(await readdir(folder)));
      }
      await exported({ ...blog, pages }, 'md', join(folder, 'posts/'));
      expect(seen).toEqual([expect.stringMatching(/^\.posts\.[\da-f]{16}\.tmp$/)]);
      expect(await readdir(folder)).toEqual(['posts']);
    });
  });

  it('quotes titles so that YAML of any age keeps white space and signs', async () => {
    await withFiles({}, async (folder) => {
      const title = ' \t\u00A0a\u0085b\u2028c\uFEFF "d" ';
      const blog = createFakeBlog({ articles: [{ title, content: 'x' }] });
      await exported(blog, 'md', join(folder, 'posts'));
      const [name = ''] = await readdir(join(folder, 'posts'));
      const [, line = ''] = (await readFile(join(folder, 'posts', name), 'utf8')).split('\n');
      expect(line).toBe('title: " \\t\u00A0a\\u0085b\\u2028c\\ufeff \\"d\\" "');
      expect(parse(line)).toEqual({ title });
    });
  });

  it('to a file keeps white space around titles on its way back', async () => {
    const spaced = [{ title: ' \t Spaced \u00A0', content: ' x ' }];
    await withFiles({}, async (folder) => {
      for (const format of ['ndjson', 'json', 'csv'] as const) {
        const path = join(folder, `d.${format}`);
        await exported(createFakeBlog({ articles: spaced }), format, path);
        expect(JSON.parse(await exported(await imported(path), 'ndjson'))).toMatchObject(
          spaced[0] ?? {},
        );
      }
    });
  });
});
