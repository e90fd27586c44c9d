import type { Article, ArticlePage, BlogClient } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { type ArticleFields, articleFields, fieldsOf } from './article-view.ts';
import type { Bounds, ListOptions } from './list.ts';

type Picking = {
  readonly options: ListOptions;
  readonly bounds: Bounds;
  readonly client: BlogClient;
};

/** When an article was last changed, in ISO 8601; absent where the service does not say it. */
type Dated = ArticleFields & { readonly updated?: string | undefined };

/**
 * What the interface cannot be asked for: the articles with a text, in an order. All of them are
 * read for it, which is said.
 */
export async function pickArticles(
  pages: AsyncIterable<ArticlePage>,
  { options, bounds, client }: Picking,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { search, sort = 'id' } = options;
  const { read, found } = await readMatching(pages, options, bounds);
  const dates = sort === 'updated' ? await datesOf(found, client, context) : undefined;
  const rows: readonly Dated[] = found.map((article) => {
    const updated = dates?.get(article.id);
    return { ...fieldsOf(article, bounds.addressOf(article)), ...(updated && { updated }) };
  });
  const sorted = rows.toSorted((one, other) => order[sort](one, other) || one.id - other.id);
  if (options.reverse === true) sorted.reverse();
  const shown = sorted.slice(0, bounds.limit);
  await terminal.show({
    many: shown,
    columns: sort === 'updated' ? ['id', 'updated', 'title'] : ['id', 'title'],
    fields: [...articleFields, 'updated'],
  });
  const matching = search === undefined ? '' : `, ${found.length} match`;
  const cut = shown.length < found.length ? `, ${shown.length} shown` : '';
  await terminal.notice(`read ${read}${matching}${cut}`);
}

async function readMatching(
  pages: AsyncIterable<ArticlePage>,
  { search }: ListOptions,
  { onlyOne }: Bounds,
): Promise<{ readonly read: number; readonly found: readonly Article[] }> {
  const wanted = search?.toLocaleLowerCase();
  const found: Article[] = [];
  let read = 0;
  for await (const { articles } of pages) {
    read += articles.length;
    found.push(...articles.filter((each) => wanted === undefined || has(each, wanted)));
    if (onlyOne) break;
  }
  return { read, found };
}

function has({ title, content = '' }: Article, wanted: string): boolean {
  return [title, content].some((text) => text.toLocaleLowerCase().includes(wanted));
}

const atATime = 4;

/** Listings show no dates: each article is asked for its own (Last-Modified). */
async function datesOf(
  articles: readonly Article[],
  client: BlogClient,
  { terminal, signal }: Context,
): Promise<ReadonlyMap<number, string>> {
  await terminal.notice(
    `The listing has no dates: ${articles.length} articles are read for theirs.`,
  );
  const dates = new Map<number, string>();
  const waiting = articles.values();
  const work = async () => {
    for (const { id, url } of waiting) {
      signal.throwIfAborted();
      const { validators } = await client.article({ url });
      const date = new Date(validators.lastModified ?? '');
      if (!Number.isNaN(date.getTime())) dates.set(id, date.toISOString());
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  const undated = articles.length - dates.size;
  if (undated > 0)
    await terminal.warn(`The service has no date of ${undated} articles: they stand first.`);
  return dates;
}

const order = {
  id: () => 0,
  title: (one: Dated, other: Dated) => one.title.localeCompare(other.title),
  updated: (one: Dated, other: Dated) => (one.updated ?? '').localeCompare(other.updated ?? ''),
} as const;
