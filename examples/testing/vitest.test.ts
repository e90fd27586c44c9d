// One blog for each worker, empty of what the test before left: vitest run (4.1 or later)
import { startBlog } from 'blogctl/testing';
import { expect, test as base } from 'vitest';

const seed = [
  { title: 'Why keep a small blog', content: 'Because it is *yours*.' },
  { title: 'The line that divides', content: 'A store keeps one article a line.' },
];

const test = base
  .extend('blogOfWorker', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const blog = await startBlog({ seed });
    onCleanup(() => blog.stop());
    return blog;
  })
  .extend('blog', async ({ blogOfWorker }) => {
    await blogOfWorker.reset();
    return blogOfWorker;
  });

/** What is to be tested: any program that talks to the blog. */
async function publish(blogUrl: string, token: string, title: string): Promise<number> {
  const send = () =>
    fetch(`${blogUrl}/articles`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-access-token': token,
        'idempotency-key': title,
      },
      body: JSON.stringify({ title, content: '' }),
    });
  const answer = await send().catch(send);
  return answer.status;
}

test('publishes an article', async ({ blog }) => {
  expect(await publish(blog.url, blog.token, 'Third')).toBe(201);
  expect((await blog.client.article({ id: 3 })).article.title).toBe('Third');
});

test('publishes once, though the first answer is lost', async ({ blog }) => {
  blog.faults(['POST drop-after-commit once']);
  expect(await publish(blog.url, blog.token, 'Third')).toBe(201);
  expect(blog.requests().map(({ method, status }) => `${method} ${status}`)).toEqual([
    'POST 0',
    'POST 201',
  ]);
  const { value: page } = await blog.client.pages().next();
  expect(page).toMatchObject({ totalArticles: 3 });
});

test('starts again from what was there', async ({ blog }) => {
  await blog.client.remove({ id: 1 });
  const mark = blog.snapshot();
  await blog.client.remove({ id: 2 });
  await blog.restore(mark);
  expect((await blog.fetch(`${blog.url}/articles/1`)).status).toBe(410);
  expect((await blog.fetch(`${blog.url}/articles/2`)).status).toBe(200);
});
