import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 14: GET /blogs/{blog_id}/articles
async function givenArticles(count: number): Promise<void> {
  for (let at = 1; at <= count; at += 1) await blog.client.create({ title: `T${at}`, content: '' });
}

async function pages(range: { pageIndex?: number; pageSize?: number } = {}) {
  const seen: { pageIndex: number; ids: number[]; totalPages: number; totalArticles: number }[] =
    [];
  for await (const { pageIndex, articles, totalPages, totalArticles } of blog.client.pages(range)) {
    seen.push({ pageIndex, ids: articles.map(({ id }) => id), totalPages, totalArticles });
  }
  return seen;
}

it('is one page for an empty blog', async () => {
  expect(await pages()).toEqual([{ pageIndex: 1, ids: [], totalPages: 0, totalArticles: 0 }]);
});

it.each([
  [
    4,
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [5, [[1, 2], [3, 4], [5]]],
  [1, [[1]]],
])('walks %i articles, two a page, to the end', async (count, ids) => {
  await givenArticles(count);
  const seen = await pages({ pageSize: 2 });
  expect(seen.map((page) => page.ids)).toEqual(ids);
  expect(seen.every((page) => page.totalArticles === count)).toBe(true);
});

it('begins at the page that is asked for', async () => {
  await givenArticles(5);
  expect((await pages({ pageIndex: 2, pageSize: 2 })).map((page) => page.pageIndex)).toEqual([
    2, 3,
  ]);
});

it('past the end is an empty page', async () => {
  await givenArticles(1);
  expect(await pages({ pageIndex: 7 })).toEqual([
    { pageIndex: 7, ids: [], totalPages: 1, totalArticles: 1 },
  ]);
});

it('refuses a page size that is too large', async () => {
  await expect(pages({ pageSize: 1001 })).rejects.toMatchObject({
    code: 'bad-request',
    context: { status: 400 },
  });
});
