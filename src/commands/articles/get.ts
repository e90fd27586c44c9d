import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Article } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { articleReferences } from '../arguments.ts';
import { addressing, articleFields, fieldsOf, readable, viewOf } from './article-view.ts';
import { createAttempts } from './attempts.ts';
import { type NamedArticle, resolveNamed } from './named-articles.ts';

export type GetOptions = { readonly articles: readonly NamedArticle[] };

export function define(command: Command, context: Context, run = getArticles): void {
  command
    .argument('<article...>', 'id, URL, or - for one a line on stdin', articleReferences)
    .addHelpText(
      'after',
      `
Examples:
  blogctl articles get 7
  blogctl articles get 7 8 --format ndjson
  blogctl articles list --format ids | blogctl articles get - --json`,
    )
    .action((articles: readonly NamedArticle[]) => run({ articles }, context));
}

/** Reads one article as a document, several as a list in the order they were named. */
export async function getArticles({ articles }: GetOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const references = await resolveNamed(articles, context);
  const client = await context.client();
  const addressOf = await addressing(context);
  const [only] = articles;
  if (articles.length === 1 && only !== undefined && only !== '-') {
    const { article } = await client.article(only);
    return terminal.show(
      viewOf(fieldsOf(article, addressOf(article)), () => markdownOf(article, context)),
    );
  }
  const attempts = createAttempts(references.length, terminal);
  await terminal.show({
    many: attempts.each(references, async (each) => {
      const { article } = await client.article(each);
      return fieldsOf(article, addressOf(article));
    }),
    columns: ['id', 'title', 'content'],
    fields: articleFields,
    text: (row) => [...readable(row), '\n'],
  });
  attempts.conclude();
}

/** As an export writes it: known again by the blog it comes from. */
async function markdownOf(article: Article, context: Context): Promise<string> {
  const { portableAddresses } = await import('./portable-address.ts');
  const { portableMarkdown } = await import('../../importing/targets/portable.ts');
  const addressOf = await portableAddresses(dirname(context.flags.output ?? '-'), context);
  return portableMarkdown({ ...article, url: addressOf(article) });
}
