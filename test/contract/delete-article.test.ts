import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 16: DELETE /blogs/{blog_id}/articles/{article_id}
beforeEach(async () => {
  await blog.client.create({ title: 'T', content: 'C' });
});

it('answers 204 without a body and without a length', async () => {
  await blog.client.remove({ id: 1 });
  const { response } = blog.exchanges.at(-1) ?? {};
  expect(response).toMatchObject({ status: 204, body: { length: 0 } });
  expect(response?.headers).not.toHaveProperty('content-length');
});

it('deletes nothing on condition of another version', async () => {
  await expect(blog.client.remove({ id: 1 }, { etag: '"old"' })).rejects.toMatchObject({
    code: 'precondition-failed',
  });
  expect((await blog.client.article({ id: 1 })).article.title).toBe('T');
});

it('a second time says gone', async () => {
  await blog.client.remove({ id: 1 });
  await expect(blog.client.remove({ id: 1 })).rejects.toMatchObject({ code: 'gone' });
});

it('needs a token', async () => {
  await expect(blog.anonymous.remove({ id: 1 })).rejects.toMatchObject({
    code: 'authentication-required',
  });
});
