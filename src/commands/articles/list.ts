import { type Command, Option } from 'commander';
import type { Article, ArticlePage } from '../../client/blog-client.ts';
import { createListingWatch } from '../../client/listing-watch.ts';
import type { Context } from '../../context/context.ts';
import { wholeNumber } from '../arguments.ts';
import {
  addressing,
  type Address,
  type ArticleFields,
  articleFields,
  fieldsOf,
} from './article-view.ts';

export type ListOptions = {
  readonly limit?: number;
  readonly all?: boolean;
  /** First page to read, from 1. */
  readonly page?: number;
  readonly pageSize?: number;
  /** Only articles that have this text, in any case. */
  readonly search?: string;
  readonly sort?: SortKey;
  readonly reverse?: boolean;
};

export function define(command: Command, context: Context, run = listArticles): void {
  command
    .option('-L, --limit <n>', 'at most so many articles', wholeNumber(1))
    .option('--all', 'every article, in a table too')
    .option('--page <n>', 'this page only', wholeNumber(1))
    .option('--page-size <n>', 'articles per request', wholeNumber(1))
    .option('-S, --search <words>', 'only those with this in title or content')
    .addOption(new Option('--sort <by>', 'in this order').choices(sortKeys))
    .option('--reverse', 'the last first')
    .addHelpText(
      'after',
      `
Examples:
  blogctl articles list
  blogctl articles list --all --format ids
  blogctl articles list --search kettle --json id,title
  blogctl articles list --sort updated --reverse --limit 5
  blogctl articles list --page 2 --page-size 50 --json`,
    )
    .action((options: ListOptions) => run(options, context));
}

export const sortKeys = ['id', 'title', 'updated'] as const;
export type SortKey = (typeof sortKeys)[number];

const rowsOfATable = 30;

/** Lists the articles in the order of the blog. A table is cut and says so; nothing else is. */
export async function listArticles(options: ListOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const limit = limitOf(options, terminal.format === 'table');
  const client = await context.client({ missing: 'empty' });
  const count = { shown: 0, total: 0 };
  const addressOf = await addressing(context);
  const watch = createListingWatch();
  const isPicked =
    options.search !== undefined || options.sort !== undefined || options.reverse === true;
  const most = isPicked ? Number.POSITIVE_INFINITY : limit;
  const pages = watch.over(client.pages(rangeOf(options, most)));
  const bounds = { limit, onlyOne: options.page !== undefined, addressOf };
  if (isPicked) {
    const { pickArticles } = await import('./pick-articles.ts');
    return pickArticles(pages, { options, bounds, client }, context);
  }
  await terminal.show({
    many: rowsOf(pages, bounds, count),
    columns: ['id', 'title'],
    fields: articleFields,
  });
  await announce(count, options, context);
  const doubt = watch.doubt(options.page === undefined && count.shown < limit);
  if (doubt !== undefined) await terminal.warn(doubt);
}

function limitOf({ limit, all, page }: ListOptions, isTable: boolean): number {
  if (limit !== undefined) return limit;
  return isTable && all !== true && page === undefined ? rowsOfATable : Number.POSITIVE_INFINITY;
}

const largestDefaultPage = 100;

function rangeOf({ page, pageSize }: ListOptions, limit: number) {
  const size = pageSize ?? (page === undefined ? Math.min(limit, largestDefaultPage) : undefined);
  return {
    ...(page !== undefined && { pageIndex: page }),
    ...(size !== undefined && { pageSize: size }),
  };
}

export type Bounds = {
  readonly limit: number;
  readonly onlyOne: boolean;
  readonly addressOf: (article: Article) => Address;
};
type Count = { shown: number; total: number };

async function* rowsOf(
  pages: AsyncIterable<ArticlePage>,
  { limit, onlyOne, addressOf }: Bounds,
  count: Count,
): AsyncGenerator<ArticleFields, void, void> {
  for await (const page of pages) {
    count.total = page.totalArticles;
    for (const article of page.articles) {
      if (count.shown >= limit) return;
      count.shown += 1;
      yield fieldsOf(article, addressOf(article));
    }
    if (onlyOne || count.shown >= limit) return;
  }
}

async function announce(
  { shown, total }: Count,
  options: ListOptions,
  { terminal }: Context,
): Promise<void> {
  if (total === 0) return terminal.notice('The blog has no articles yet.');
  if (options.page !== undefined) {
    return terminal.notice(`${shown} of ${total} articles (page ${options.page})`);
  }
  if (shown === rowsOfATable && shown < total && options.limit === undefined) {
    return terminal.notice(`${shown} of ${total} articles, use --all`);
  }
}
