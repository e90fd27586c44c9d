import { type HalDocument, isObject } from '../hal/document.ts';
import { type Reply, shown, Skipped, succeeded } from './check.ts';

/** The articles of a page, in an array or, as HAL has it, in one under a relation. */
export function articlesOf({ url, body }: HalDocument): readonly HalDocument[] {
  const embedded = body['_embedded'];
  const lists = isObject(embedded) ? Object.values(embedded) : [embedded];
  const list = lists.find((each) => Array.isArray(each));
  return Array.isArray(list) ? list.filter(isObject).map((each) => ({ url, body: each })) : [];
}

export function idsOf(page: HalDocument): readonly unknown[] {
  return articlesOf(page).map(({ body }) => body['id']);
}

/** What a blog was seen to hold while nobody changed it, whatever its pages say of it. */
export type Counted = {
  readonly articles: number;
  /** The first page and the second one (where there is one) at a page size of 1. */
  readonly first: Reply;
  readonly second: Reply | undefined;
  /** The last page at a page size of 1. */
  readonly last: Reply;
  /** The first page at a page size of 2, and the one that is shown unasked. */
  readonly pair: Reply;
  readonly unasked: Reply;
};

type Read = (index?: number, size?: number) => Promise<Reply>;

const attempts = 3;
/** Enough to find the end of any listing by halves. */
const mostLooks = 64;

/**
 * Counts the articles by their pages: a page of one article is there or not. Skipped where others
 * add or delete articles all the while.
 */
export async function countArticles(read: Read): Promise<Counted> {
  for (let tried = 1; tried <= attempts; tried += 1) {
    const first = await read(1, 1);
    const articles = await lastFilled(read, shown(first, '4.14'));
    const second = articles > 1 ? await read(2, 1) : undefined;
    const last = articles > 1 ? await read(articles, 1) : first;
    const pair = await read(1, 2);
    const unasked = await read();
    const again = shown(await read(1, 1), '4.14');
    if (look(again) === look(shown(first, '4.14'))) {
      return { articles, first, second, last, pair, unasked };
    }
  }
  throw new Skipped('articles came or went while they were read');
}

function look(page: HalDocument): string {
  return JSON.stringify([page.body['totalArticles'], idsOf(page)]);
}

/** The last page of one article: that which the total names, else it is searched for. */
async function lastFilled(read: Read, first: HalDocument): Promise<number> {
  const seen = new Map<number, boolean>([
    [0, true],
    [1, idsOf(first).length > 0],
  ]);
  const isFilled = async (index: number) => {
    const known = seen.get(index);
    if (known !== undefined) return known;
    if (seen.size > mostLooks) throw new Skipped('the listing has no end');
    const is = isThere(await read(index, 1), index, first);
    seen.set(index, is);
    return is;
  };
  const named = first.body['totalArticles'];
  const guess = typeof named === 'number' && Number.isSafeInteger(named) && named > 0 ? named : 0;
  let [filled, empty] = (await isFilled(guess)) ? [guess, guess + 1] : [0, guess];
  for (let step = 1; await isFilled(empty); step *= 2) [filled, empty] = [empty, empty + step];
  while (empty - filled > 1) {
    const middle = Math.floor((filled + empty) / 2);
    if (await isFilled(middle)) filled = middle;
    else empty = middle;
  }
  return filled;
}

/** Beyond the end a service may refuse, show nothing, or show the first page or the last one. */
function isThere(reply: Reply, index: number, first: HalDocument): boolean {
  if (!succeeded(reply) || reply.document === undefined) return false;
  const ids = idsOf(reply.document);
  const isOther = Number(reply.document.body['pageIndex']) !== index;
  return !isOther && ids.length > 0 && ids[0] !== idsOf(first)[0];
}
