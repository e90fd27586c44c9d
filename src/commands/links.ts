import type { Command } from 'commander';
import type { ArticleReference } from '../client/blog-client.ts';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { articleReference } from './arguments.ts';

type LinksOptions = { readonly names: readonly string[] };

export function define(command: Command, context: Context, run = showLinks): void {
  command
    .argument('[place-or-rel...]', 'where to begin (URL or path), then relations to follow')
    .addHelpText(
      'after',
      `
Begins at the blog where no place is given. A relation that occurs several times is
counted from 0, as in item[2].

Examples:
  blogctl links
  blogctl links doc:articles
  blogctl links articles/7 doc:blog --json`,
    )
    .action((names: readonly string[]) => run({ names }, context));
}

/** Shows what can be followed from a resource. */
async function showLinks({ names }: LinksOptions, context: Context): Promise<void> {
  const { exchange } = await import('../client/exchange.ts');
  const { linkView, walk } = await import('./walk.ts');
  const connection = await context.connection();
  const url = await walk({ steps: names }, connection).catch((error: unknown) => {
    throw asPlace(error, names);
  });
  const answer = await exchange(connection.transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}

/** Whoever says `article 7` or `list` means a place; where a relation has that name, it is followed. */
function asPlace(error: unknown, [first = '', ...others]: readonly string[]): unknown {
  if (!(error instanceof BlogctlError) || error.code !== 'broken-contract') return error;
  const id = others.length === 1 ? /^#?([1-9]\d*)$/.exec(others[0] ?? '')?.[1] : undefined;
  if (!/^[a-z]+$/.test(first) || (id === undefined && others.length > 0)) return error;
  return error.hinting(
    id === undefined
      ? 'Without a word, blogctl links shows those of the blog.'
      : `An article is named in one word, as in blogctl links articles/${id}.`,
  );
}

type ArticleLinksOptions = { readonly article: ArticleReference };

export function defineArticleLinks(
  command: Command,
  context: Context,
  run = showArticleLinks,
): void {
  command
    .argument('<article>', 'id or URL of the article', articleReference)
    .addHelpText('after', '\nExamples:\n  blogctl articles links 7')
    .action((article: ArticleReference) => run({ article }, context));
}

/** Shows what can be followed from an article. */
async function showArticleLinks({ article }: ArticleLinksOptions, context: Context): Promise<void> {
  const { exchange } = await import('../client/exchange.ts');
  const { addressOf } = await import('../client/articles.ts');
  const { requireLink, targetOf } = await import('../hal/links.ts');
  const { linkView } = await import('./walk.ts');
  const { transport, blogUrl } = await context.connection();
  const blog = (await exchange(transport, { method: 'GET', url: blogUrl })).document();
  const collection = targetOf(blog, requireLink(blog, 'doc:articles'));
  const url = addressOf(article, collection);
  const answer = await exchange(transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}
