const assert = require('node:assert/strict');

/** What a program does with the two doors, however it came to them. */
exports.use = async ({ BlogctlError, createBlogClient, startBlog, ...more }) => {
  assert.deepEqual(more, {});
  const blog = await startBlog({ seed: [{ title: 'One' }] });
  const client = createBlogClient(blog.url, { token: blog.token });
  assert.equal((await client.create({ title: 'Two', content: '' })).article.id, 2);
  await client.remove({ id: 1 });
  await assert.rejects(blog.client.article({ id: 1 }), BlogctlError);
  await blog.reset();
  assert.equal((await client.article({ id: 1 })).article.title, 'One');
  assert.equal((await blog.fetch(`${blog.url}/articles/2`)).status, 404);
  await assert.rejects(startBlog({ seed: 'none.json' }), { name: 'BlogctlError', code: 'usage' });
  const taken = { port: Number(new URL(blog.url).port) };
  await assert.rejects(startBlog(taken), { name: 'BlogctlError', code: 'usage' });
  assert.throws(() => createBlogClient('nowhere'), { code: 'usage' });
  await assert.rejects(createBlogClient('http://127.0.0.1:1').blog(), /Nothing listens/);
  await assert.rejects(import('blogctl/dist/main.cjs'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
  // A realm of its own has no such symbol in Node 20.
  await (blog[Symbol.asyncDispose] ?? blog[Symbol.for('Symbol.asyncDispose')])();
  process.stdout.write('used');
};
