import type { Command } from 'commander';
import type { ArticleReference } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { articleReference } from '../arguments.ts';

export type ArticleLinksOptions = { readonly article: ArticleReference };

export function define(command: Command, context: Context, run = showArticleLinks): void {
  command
    .argument('<article>', 'id or URL of the article', articleReference)
    .addHelpText('after', '\nExamples:\n  blogctl articles links 7')
    .action((article: ArticleReference) => run({ article }, context));
}

/** Shows what can be followed from an article. */
export async function showArticleLinks(
  { article }: ArticleLinksOptions,
  context: Context,
): Promise<void> {
  const { exchange } = await import('../../client/exchange.ts');
  const { addressOf } = await import('../../client/references.ts');
  const { requireLink, targetOf } = await import('../../hal/links.ts');
  const { linkView } = await import('../link-view.ts');
  const { transport, blogUrl } = await context.connection();
  const blog = (await exchange(transport, { method: 'GET', url: blogUrl })).document();
  const collection = targetOf(blog, requireLink(blog, 'doc:articles'));
  const url = addressOf(article, collection);
  const answer = await exchange(transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}
