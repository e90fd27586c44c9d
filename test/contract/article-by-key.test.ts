import { afterEach, beforeEach, expect, it } from 'vitest';
import { requestFingerprint } from '../../src/client/idempotency.ts';
import { type BlogFile, givenBlogFile } from '../support/blog-file.ts';

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

const draft = { title: 'T "é\u2028', content: 'C' };

// Decisions 51: the article of an Idempotency-Key
it.each(['k-1', 'posts/a.md#2', "a!$&'()*+;=:@~%2F?", '..x'])(
  'finds what was created with the key %s, as it is now',
  async (idempotencyKey) => {
    const { article } = await blog.client.create(draft, { idempotencyKey });
    const changed = await blog.client.replace({ id: article.id }, { title: 'T2', content: 'C2' });
    // Its date is rounded up, but never beyond the moment of the answer.
    const { etag } = changed.validators;
    expect(await blog.client.articleByKey(idempotencyKey)).toEqual({
      kind: 'article',
      fingerprint: requestFingerprint(draft),
      article: changed.article,
      validators: { etag, lastModified: expect.any(String) },
      readAt: expect.stringContaining('/article-keys/'),
    });
  },
);

it('tells a key that was never sent from one whose article was deleted', async () => {
  expect((await blog.client.blog()).findsByKey).toBe(true);
  expect(await blog.client.articleByKey('k-1')).toEqual({ kind: 'never-seen' });
  const { article } = await blog.client.create(draft, { idempotencyKey: 'k-1' });
  await blog.client.remove({ id: article.id });
  expect(await blog.client.articleByKey('k-1')).toEqual({ kind: 'deleted' });
});
