import { expect, test } from 'vitest';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';

const PATH = '/blog.json';
const content = 'é"\\ ,"updated":"2026-01-01T00:00:00.000Z","etag":"1-00000000"}'.repeat(6_000);

test('a page too long to be held tells of each article what reading it tells', async () => {
  const blogs = [1, 2].map((id) => ({ id, title: `B ${id}`, description: '' }));
  const own = { id: 1, title: 'Of a stranger', content, note: { a: ',"updated":"' }, updated: 'x' };
  const text = JSON.stringify({ format: 'blogctl/1', blogs, articles: [own] });
  const fileSystem = createMemoryFileSystem([[PATH, text]]);
  const store = await openJsonFile({ path: PATH, fileSystem });
  const key = { key: 'a'.repeat(64), request: 'b'.repeat(64) };
  for (const blogId of [1, 2]) {
    for (const used of [undefined, key]) {
      for (let at = 0; at < 4; at += 1) {
        const keyed = used && { ...used, key: `${at}${used.key.slice(1)}` };
        await store.create(blogId, { title: `T ${at}`, content }, { idempotency: keyed });
      }
    }
  }
  await store.lockArticle(1, 3, true);
  await store.lockArticle(2, 15, true);
  await store.close();
  const again = await openJsonFile({ path: PATH, fileSystem });
  for (const blogId of [1, 2]) {
    const { articles = [], blog } = (await again.page(blogId, 0, 100)) ?? {};
    expect(articles).toHaveLength(blog?.total ?? -1);
    for (const { json, ...summary } of articles) {
      expect(json).toBeUndefined();
      const found = await again.read(blogId, summary.id);
      const { json: whole, ...article } = { json: undefined, ...Object(found).article };
      expect(summary).toEqual(article);
      expect(summary.length).toBe(Object(whole).length);
    }
  }
  await again.close();
});
