import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 11: GET /blogs/{blog_id}
it('tells title, description that it honours an Idempotency-Key and can be asked by one', async () => {
  expect(await blog.client.blog()).toEqual({
    id: 1,
    title: 'My blog',
    description: '',
    url: expect.stringMatching(/\/api\/v1\.2\/blogs\/1$/),
    articlesUrl: expect.stringMatching(/\/api\/v1\.2\/blogs\/1\/articles$/),
    honoursIdempotencyKey: true,
    findsByKey: true,
  });
});
