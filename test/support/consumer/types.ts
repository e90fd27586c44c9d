import { type ArticleReference, type BlogClient, createBlogClient, type ErrorCode } from 'blogctl';
import {
  BlogctlError,
  type SeenRequest,
  type Snapshot,
  startBlog,
  type TestBlog,
} from 'blogctl/testing';

export async function program(): Promise<readonly SeenRequest[]> {
  await using blog: TestBlog = await startBlog({ seed: [{ title: 'One' }], delay: '1-2' });
  const client: BlogClient = createBlogClient(new URL(blog.url), { token: blog.token });
  const mark: Snapshot = blog.snapshot();
  const answer: Response = await blog.fetch(blog.url, { method: 'HEAD' });
  for await (const { articles } of client.pages({ pageSize: answer.status })) {
    const title: string | undefined = articles[0]?.title;
    blog.faults([title ?? 'GET status 503 once']);
  }
  try {
    await blog.restore(mark);
  } catch (error) {
    const code: ErrorCode | undefined = error instanceof BlogctlError ? error.code : undefined;
    if (code === 'usage') await blog.reset();
    // @ts-expect-error -- there is no such code
    if (code === 'unheard-of') await blog.stop();
  }
  const reference: ArticleReference = { url: new URL(`${blog.url}/articles/1`) };
  const { article } = await client.article(reference);
  await client.remove(article);
  // @ts-expect-error -- a creation has a content, if an empty one
  await client.create({ title: 'Two' });
  // @ts-expect-error -- there is no such option
  await startBlog({ fault: [] });
  const sent: string | undefined = blog.requests()[0]?.headers['if-match'];
  return blog.requests().filter(({ body }) => body === sent);
}
