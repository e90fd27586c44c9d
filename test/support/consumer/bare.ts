import { type BlogClient, createBlogClient, type PageRange, type Validators } from 'blogctl';
import { startBlog, type TestBlog } from 'blogctl/testing';

/** What is undefined was not given. */
export async function program(
  text: string | undefined,
  number: number | undefined,
  texts: string[] | undefined,
  seed: { title: string; content?: string | undefined }[] | undefined,
): Promise<TestBlog> {
  const more = { faults: texts, port: number, cors: texts, rateLimit: text };
  const blog = await startBlog({ seed, token: text, delay: number, ...more });
  const client: BlogClient = createBlogClient(blog.url, { token: text });
  await client.create({ title: 'One', content: '' }, { idempotencyKey: text });
  const range: PageRange = { pageIndex: number, pageSize: number, known: undefined };
  for await (const { articles } of client.pages(range)) {
    const guard: Validators = { etag: text, lastModified: text };
    for (const { id } of articles) await client.remove({ id }, text === undefined ? text : guard);
  }
  return blog;
}
