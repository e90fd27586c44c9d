import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 15: PUT /blogs/{blog_id}/articles/{article_id}
beforeEach(async () => {
  await blog.client.create({ title: 'T', content: 'C' });
});

it('replaces title and content and answers the new version', async () => {
  const before = await blog.client.article({ id: 1 });
  const after = await blog.client.replace(
    { id: 1 },
    { title: 'U', content: 'D' },
    before.validators,
  );
  expect(after.article).toMatchObject({ id: 1, title: 'U', content: 'D' });
  expect(after.validators.etag).not.toBe(before.validators.etag);
});

it('without content takes the content away', async () => {
  await blog.client.replace({ id: 1 }, { title: 'U' });
  expect((await blog.client.article({ id: 1 })).article).not.toHaveProperty('content');
});

it.each([
  ['tag', { etag: '"old"' }],
  ['date', { lastModified: 'Thu, 01 Jan 2015 00:00:00 GMT' }],
])('on condition of another %s changes nothing', async (_name, expected) => {
  await expect(blog.client.replace({ id: 1 }, { title: 'U' }, expected)).rejects.toMatchObject({
    code: 'precondition-failed',
    context: { status: 412 },
  });
  expect((await blog.client.article({ id: 1 })).article.title).toBe('T');
});

it('creates nothing', async () => {
  await expect(blog.client.replace({ id: 2 }, { title: 'U' })).rejects.toMatchObject({
    code: 'not-found',
  });
});
