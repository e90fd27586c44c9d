import { type Command, Option } from 'commander';
import type { Article, ArticlePage, BlogClient } from '../../client/blog-client.ts';
import { createConsistencyCheck, wholePages } from '../../client/pages.ts';
import type { Context } from '../context.ts';
import { wholeNumber } from '../arguments.ts';
import {
  type Address,
  addressing,
  articleFields,
  type ArticleFields,
  articleFieldsIn,
  asksForDates,
  type Dated,
  datesOf,
  fieldsOf,
} from './article-view.ts';
import { showsFields } from '../lazy-command.ts';

type ListOptions = {
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
  showsFields(command, [...articleFields, 'updated'])
    .addOption(
      new Option('-L, --limit <n>', 'at most so many articles')
        .argParser(wholeNumber(1))
        .conflicts('page'),
    )
    .addOption(new Option('--all', 'every article, in a table too').conflicts('page'))
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

const sortKeys = ['id', 'title', 'updated'] as const;
type SortKey = (typeof sortKeys)[number];

const rowsOfATable = 30;

/** Lists the articles in the order of the blog. A table is cut and says so; nothing else is. */
async function listArticles(options: ListOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const limit = limitOf(options, terminal.format === 'table');
  const client = await context.client({ missing: 'empty' });
  const count = { shown: 0, total: 0 };
  const addressOf = await addressing(context);
  const consistency = createConsistencyCheck();
  const isPicked =
    options.search !== undefined ||
    options.sort !== undefined ||
    options.reverse === true ||
    asksForDates(context);
  const most = isPicked ? Number.POSITIVE_INFINITY : limit;
  const range = rangeOf(options, most);
  const isWhole = options.search !== undefined || showsContent(context);
  const pages = consistency.over(isWhole ? wholePages(client, range, true) : client.pages(range));
  const bounds = { limit, onlyOne: options.page !== undefined, addressOf };
  if (isPicked) await pickArticles(pages, { options, bounds, client }, context);
  else {
    await terminal.show({
      many: rowsOf(pages, bounds, count),
      columns: ['id', 'title'],
      fields: await articleFieldsIn(context),
    });
    await announce(count, options, context);
  }
  const isAllRead = options.page === undefined && count.shown < most;
  const inconsistency = consistency.inconsistency(isAllRead);
  if (inconsistency !== undefined) await terminal.warn(inconsistency);
}

/** A service may leave the contents out of its pages. */
function showsContent({ flags, terminal }: Context): boolean {
  const { field, fields = field === undefined ? undefined : [field], jq } = flags;
  const isDocument = jq !== undefined || terminal.format.endsWith('json');
  return fields?.some((name) => name.toLowerCase() === 'content') ?? isDocument;
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

type Bounds = {
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

type Picking = {
  readonly options: ListOptions;
  readonly bounds: Bounds;
  readonly client: BlogClient;
};

/**
 * What the interface cannot be asked for: the articles with a text, in an order. All of them are
 * read for it, which is said.
 */
async function pickArticles(
  pages: AsyncIterable<ArticlePage>,
  { options, bounds, client }: Picking,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { sort = 'id' } = options;
  const { read, total, found } = await readMatching(pages, options, bounds);
  const fields = found.map((article) => fieldsOf(article, bounds.addressOf(article)));
  const urls = new Map(found.map(({ id, url }) => [id, url]));
  const dated = (rows: readonly ArticleFields[]) => datesOf(rows, urls, { client, context });
  const rows: readonly Dated[] = sort === 'updated' ? await dated(fields) : fields;
  const sorted = rows.toSorted((one, other) => order[sort](one, other) || one.id - other.id);
  if (options.reverse === true) sorted.reverse();
  const cut = sorted.slice(0, bounds.limit);
  const shown = sort !== 'updated' && asksForDates(context) ? await dated(cut) : cut;
  await terminal.show({
    many: shown,
    columns: sort === 'updated' ? ['id', 'updated', 'title'] : ['id', 'title'],
    fields: [...(await articleFieldsIn(context)), 'updated'],
  });
  if (read === 0) return announce({ shown: 0, total }, options, context);
  await terminal.notice(told({ read, found: found.length, shown: shown.length }, options));
}

type Picked = { readonly read: number; readonly found: number; readonly shown: number };

function told({ read, found, shown }: Picked, { search, page, limit }: ListOptions): string {
  const noun = `article${read === 1 ? '' : 's'}${page === undefined ? '' : ` on page ${page}`}`;
  const all = limit === undefined ? ', use --all' : '';
  const cut = shown < found ? `, ${shown} shown${all}` : '';
  if (search === undefined) return `${read} ${noun}${cut}`;
  if (found > 0) return `${found} of ${read} ${noun} ${found === 1 ? 'matches' : 'match'}${cut}`;
  // As GitHub has them: `in:title`, `sort:updated-desc`.
  const [word] = /(?<!\S)[a-z]+:(?=[\w>])/i.exec(search) ?? [];
  const sign = word ?? operator.exec(search)?.[0].trim();
  const words = search.replaceAll(/(?<!\S)(?:title:|content:|[a-z]+:\S+)|[/*"]/gi, '').trim();
  const tried = ['', search].includes(words) ? '' : `: try --search "${words}"`;
  const none = read === 1 ? `The one ${noun} does not match.` : `None of ${read} ${noun} matches.`;
  return sign ? `${none} Words are searched as they stand, ${sign} too${tried}.` : none;
}

/** What others take for more than a word. */
const operator = /^"|(?<!\S)(?:AND|OR|NOT)(?!\S)|(?<!\S)-(?=\p{L})|\*|^\/(?=.*\/$)/u;

async function readMatching(
  pages: AsyncIterable<ArticlePage>,
  { search }: ListOptions,
  { onlyOne }: Bounds,
): Promise<{
  readonly read: number;
  readonly total: number;
  readonly found: readonly Article[];
}> {
  const wanted = search === undefined ? undefined : asSought(search);
  const found: Article[] = [];
  let [read, total] = [0, 0];
  for await (const { articles, totalArticles } of pages) {
    total = totalArticles;
    read += articles.length;
    found.push(...articles.filter((each) => wanted === undefined || has(each, wanted)));
    if (onlyOne) break;
  }
  return { read, total, found };
}

function has({ title, content = '' }: Article, wanted: string): boolean {
  return [title, content].some((text) => asSought(text).includes(wanted));
}

/** Capitals, and whether an accent is a sign of its own, make no difference. */
function asSought(text: string): string {
  return text.normalize('NFC').toLocaleLowerCase();
}

const order = {
  id: () => 0,
  title: (one: Dated, other: Dated) => one.title.localeCompare(other.title),
  updated: (one: Dated, other: Dated) => (one.updated ?? '').localeCompare(other.updated ?? ''),
} as const;
