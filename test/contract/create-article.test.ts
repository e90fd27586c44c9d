import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

// interface, Endpoints, rule 12: POST /blogs/{blog_id}/articles
it('assigns an id, and the article can be read at its self link', async () => {
  const { article, replayed, validators } = await blog.client.create({ title: 'T', content: 'C' });
  expect(article).toMatchObject({ id: 1, title: 'T', content: 'C' });
  expect(replayed).toBe(false);
  const readAt = article.url;
  expect(await blog.client.article({ url: readAt })).toEqual({ article, validators, readAt });
});

it('keeps every character of title and content', async () => {
  const draft = { title: ' \u{1f44b} "\\\u202e', content: 'a\r\n\u0000\ud83d\udc4b\u2028' };
  const { article } = await blog.client.create(draft);
  expect((await blog.client.article({ id: article.id })).article).toMatchObject(draft);
});

it('makes one article of the same key, and says that it was replayed', async () => {
  const draft = { title: 'T', content: 'C' };
  const first = await blog.client.create(draft, { idempotencyKey: 'k-1' });
  const second = await blog.client.create(draft, { idempotencyKey: 'k-1' });
  expect(second).toMatchObject({ article: { id: first.article.id }, replayed: true });
});

it('tells only the place where nothing more was asked for, the same for the same key', async () => {
  const draft = { title: 'T', content: 'C' };
  const first = await blog.client.place(draft, { idempotencyKey: 'k-1' });
  expect(first).toEqual({ url: expect.stringMatching(/\/articles\/1$/), replayed: false });
  const second = await blog.client.place(draft, { idempotencyKey: 'k-1' });
  expect(second).toEqual({ ...first, replayed: true });
  expect((await blog.client.article({ url: first.url })).article).toMatchObject(draft);
});

it('refuses the same key with another text, in words of the service', async () => {
  await blog.client.create({ title: 'T', content: 'C' }, { idempotencyKey: 'k-1' });
  await expect(
    blog.client.create({ title: 'T', content: 'D' }, { idempotencyKey: 'k-1' }),
  ).rejects.toMatchObject({
    code: 'unprocessable',
    context: { status: 422, reason: 'idempotency-key-reused' },
  });
});

it('points to the member that is not valid', async () => {
  await expect(blog.client.create({ title: ' ', content: 'C' })).rejects.toMatchObject({
    code: 'unprocessable',
    context: { status: 422, details: [{ pointer: '/title' }] },
  });
});

it('needs a token', async () => {
  await expect(blog.anonymous.create({ title: 'T', content: 'C' })).rejects.toMatchObject({
    code: 'authentication-required',
    context: { status: 401 },
  });
});
