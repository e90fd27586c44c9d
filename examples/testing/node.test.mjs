// With what Node brings, and no socket: node --test
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { BlogctlError } from 'blogctl';
import { startBlog } from 'blogctl/testing';

const blog = await startBlog({ seed: [{ title: 'First', content: 'words' }] });
beforeEach(() => blog.reset());
after(() => blog.stop());

test('an article that is deleted is gone, not unknown', async () => {
  await blog.client.remove({ id: 1 });
  const { status } = await blog.fetch(`${blog.url}/articles/1`);
  assert.equal(status, 410);
  await assert.rejects(blog.client.article({ id: 1 }), (error) => {
    assert(error instanceof BlogctlError);
    assert.equal(error.code, 'gone');
    return true;
  });
});

test('the next test finds it again', async () => {
  const { article } = await blog.client.article({ id: 1 });
  assert.equal(article.title, 'First');
});
