import type { ArticlePage, BlogClient } from '../client/blog-client.ts';
import { createListingWatch } from '../client/listing-watch.ts';
import { BlogctlError } from '../errors.ts';
import type { Patience } from '../importing/sending/patience.ts';
import { digestOf, exactDigestOf, type TextDigest } from './same-text.ts';

/** An article of the blog, without its text. */
export type Remote = TextDigest & {
  readonly id: number;
  readonly url: string;
  readonly exact?: string | undefined;
};

export type Reading = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly exact: boolean;
};

const articlesPerPage = 100;
const mostReadings = 3;

/** Every article of the blog, by id. A listing that changes while it is read is read again. */
export async function readListing(reading: Reading): Promise<ReadonlyMap<number, Remote>> {
  let doubt: string | undefined;
  for (let time = 0; time < mostReadings; time += 1) {
    const watch = createListingWatch();
    const articles = new Map<number, Remote>();
    for await (const page of watch.over(pagesOf(reading))) {
      for (const { id, title, content, url } of page.articles) {
        articles.set(id, remoteOf({ id, title, content, url }, reading.exact));
      }
    }
    doubt = watch.doubt(true);
    if (doubt === undefined) return articles;
  }
  throw new BlogctlError('conflict', `${doubt} It was read ${mostReadings} times.`, {
    hint: 'Run it again when nobody else writes to the blog.',
  });
}

export function remoteOf(
  article: { id: number; title: string; content?: string | undefined; url: string },
  exact: boolean,
): Remote {
  const { id, url } = article;
  return { id, url, ...digestOf(article), ...(exact && { exact: exactDigestOf(article) }) };
}

/** A page that fails is asked for again by itself. */
async function* pagesOf({
  client,
  patience,
  signal,
}: Reading): AsyncGenerator<ArticlePage, void, void> {
  let pageIndex = 1;
  let pages: ReturnType<BlogClient['pages']> | undefined;
  const read = async () => {
    const from = (pages ??= client.pages({ pageIndex, pageSize: articlesPerPage }));
    pages = undefined;
    const page = await from.next();
    pages = from;
    return page;
  };
  for (let coming = patience(read, signal); ;) {
    signal.throwIfAborted();
    const page = await coming;
    if (page.done === true) return;
    pageIndex = page.value.pageIndex + 1;
    // The service makes the next page while this one is looked at.
    coming = patience(read, signal);
    coming.catch(() => {});
    yield page.value;
  }
}
