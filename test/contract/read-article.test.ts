import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 13: GET /blogs/{blog_id}/articles/{article_id}
it('tells the article and the version of it', async () => {
  await blog.client.create({ title: 'T', content: 'C' });
  const { article, validators } = await blog.client.article({ id: 1 });
  expect(article).toMatchObject({ id: 1, title: 'T', content: 'C' });
  expect(validators.etag).toMatch(/^"/);
  expect(Date.parse(validators.lastModified ?? '')).not.toBeNaN();
});

it('says not found for an id that never was', async () => {
  await expect(blog.client.article({ id: 9 })).rejects.toMatchObject({
    code: 'not-found',
    context: { status: 404 },
  });
});

it('says gone for one that was deleted', async () => {
  await blog.client.create({ title: 'T', content: 'C' });
  await blog.client.remove({ id: 1 });
  await expect(blog.client.article({ id: 1 })).rejects.toMatchObject({
    code: 'gone',
    context: { status: 410 },
  });
});
