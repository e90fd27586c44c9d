import type { Command } from 'commander';
import type { ArticlePage } from '../client/blog-client.ts';
import type { Context } from './context.ts';
import { addressing } from './articles/article-view.ts';

export function define(command: Command, context: Context, run = showBlog): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  blogctl blog
  blogctl blog --blog https://blog.example/api/v1.2/blogs/1 --json`,
    )
    .action(() => run(context));
}

/** Shows the blog root: title, description, address and the number of articles. */
async function showBlog(context: Context): Promise<void> {
  const client = await context.client();
  const { id, title, description, url } = await client.blog();
  const address = (await addressing(context))({ url });
  const first = await firstPage(client.pages({ pageSize: 1 }));
  await context.terminal.show({
    one: { id, title, description, articles: first?.totalArticles, ...address },
    columns: ['id', 'title', 'description', 'articles', 'url' in address ? 'url' : 'address'],
  });
}

async function firstPage(pages: AsyncIterable<ArticlePage>): Promise<ArticlePage | undefined> {
  for await (const page of pages) return page;
  return undefined;
}
