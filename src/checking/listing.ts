import { articlesOf, type HalDocument, idsOf } from '../hal/document.ts';
import { withQuery } from '../hal/links.ts';
import { type Addresses, isSameId, placesOf, rawLink, requireLink } from './addresses.ts';
import { expectThat, isGone, isNamed, quoted, shown, Skipped, succeeded } from './outcome.ts';
import type { Reply, Send } from './wire.ts';

/** What a blog was seen to hold while nobody changed it, whatever its pages say of it. */
export type Counted = {
  readonly articles: number;
  /** By their index: the first page at a page size of 1, the second, one in the middle and the last. */
  readonly singles: ReadonlyMap<number, Reply>;
  /** The first page at a size that leaves a rest on the last one, and the one that is shown unasked. */
  readonly uneven: Reply;
  readonly unasked: Reply;
};

export type Read = (index?: number, size?: number) => Promise<Reply>;

export const moved = 'articles came or went while they were read';

const attempts = 3;
/** Enough to find the end of any listing by halves. */
const mostLookups = 64;

/**
 * Counts the articles by their pages: a page of one article is there or not. Skipped where others
 * add or delete articles all the while.
 */
export async function countArticles(send: Send, places: Addresses): Promise<Counted> {
  const read = reader(send, places);
  for (let tried = 1; tried <= attempts; tried += 1) {
    const first = await read(1, 1);
    const articles = await lastFilled(read, shown(first, '4.14'));
    const singles = new Map([[1, first]]);
    for (const index of [2, Math.ceil(articles / 2), articles])
      if (index > 0 && index <= articles && !singles.has(index))
        singles.set(index, await read(index, 1));
    const uneven = await read(1, unevenSize(articles));
    const unasked = await read();
    if (await stands([first, uneven, unasked], send)) return { articles, singles, uneven, unasked };
  }
  throw new Skipped(moved);
}

/** Where nothing is left over, rounding up and down are the same; where less than half is, to the nearest is down too. */
export function unevenSize(articles: number, most = 13): number {
  const sizes = [2, 3, 4, 5, 7, 9, 11, 13].filter((size) => size <= most && articles % size !== 0);
  return sizes.find((size) => (articles % size) * 2 < size) ?? sizes[0] ?? 2;
}

/** A listed article by itself: where its self leads or, where nothing is there, its id. */
export async function readAlone(send: Send, article: HalDocument, places: Addresses) {
  const [self = places.addressOf(article), other = self] = placesOf(article, places);
  const reply = await send('GET', self);
  if (other === self || !isGone.has(reply.status)) return reply;
  const there = await send('GET', other);
  return succeeded(there) ? there : reply;
}

/** Whether pages show what they showed. */
async function stands(pages: readonly Reply[], send: Send): Promise<boolean> {
  for (const page of pages) {
    const now = await send('GET', page.request.url);
    if (look(shown(now, '4.14')) !== look(shown(page, '4.14'))) return false;
  }
  return true;
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
    if (seen.size > mostLookups) throw new Skipped('the listing has no end');
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

export type Listing = {
  readonly articles: readonly HalDocument[];
  readonly unseen: string | undefined;
  /** The first page that shows any, and the last one. */
  readonly ends: readonly Reply[];
};

const largePage = 100;
const mostPages = 30;

/**
 * What the pages show, the first and the last ones of a long listing, and what of it could not be seen.
 * Links and totals may be wrong, so pages are asked for until one shows nothing new.
 */
export async function readListing(read: Read, most = mostPages): Promise<Listing> {
  const articles = new Map<string, HalDocument>();
  let ends: readonly Reply[] = [];
  let size: number | undefined = largePage;
  let reply = await read(undefined, size);
  const isShown = succeeded(reply) && reply.document && articlesOf(reply.document).length > 0;
  if (!isShown) reply = await read(undefined, (size = undefined));
  const { pageIndex, totalArticles: total } = reply.document?.body ?? {};
  let index = Number(pageIndex ?? 1);
  for (let pages = 1; ; pages += 1) {
    const listed = succeeded(reply) && reply.document ? articlesOf(reply.document) : [];
    const before = articles.size;
    for (const each of listed) articles.set(JSON.stringify(each.body), each);
    if (articles.size === before) break;
    ends = [ends[0] ?? reply, reply];
    // A short look goes by the total.
    if (pages === most || (most < mostPages && articles.size >= Number(total))) break;
    const last = Math.ceil(Number(total) / listed.length);
    index = pages === 1 && last > most ? last - most + 2 : index + 1;
    reply = await read(index, size);
  }
  const all = [...articles.values()];
  if (typeof total === 'number') {
    const unseen = `it shows ${all.length} of the ${total} articles that it counts`;
    return { articles: all, ends, unseen: all.length >= total ? undefined : unseen };
  }
  const isUnread = succeeded(reply) && reply.document === undefined;
  const isEnd = !isUnread && (all.length > 0 || succeeded(reply));
  const why = isUnread ? ', and what came cannot be read' : '';
  return { articles: all, ends, unseen: isEnd ? undefined : `GET: ${reply.status}${why}` };
}

/** Whether what is read at an address was listed there before, by its id where both tell one. */
export type Before = (url: string, article?: HalDocument) => boolean;

export function listedBefore(articles: readonly HalDocument[], addresses: Addresses): Before {
  const ids = new Map<string, readonly unknown[]>();
  for (const each of articles)
    for (const url of placesOf(each, addresses))
      ids.set(url, [...(ids.get(url) ?? []), each.body['id']]);
  return (url, article) => {
    const { id } = article?.body ?? {};
    const known = ids.get(url) ?? [];
    return known.some((each) => each === undefined || id === undefined || isSameId(each, id));
  };
}

/** Reads pages by their index and size. */
export function reader(send: Send, { collection }: Addresses): Read {
  return (index, size) => {
    const values = {
      ...(index !== undefined && { pageIndex: String(index) }),
      ...(size !== undefined && { pageSize: String(size) }),
    };
    return send('GET', withQuery(collection, values));
  };
}

/**
 * Where new articles are put, on the first page and the last one: those that bear a title, or none at all,
 * as one may that was refused for it; and whether they bear it. Those that are known are left out.
 */
export async function findNew(
  title: string,
  known: ReadonlySet<string>,
  send: Send,
  addresses: Addresses,
): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const each of (await readListing(reader(send, addresses), 2)).articles) {
    const places = placesOf(each, addresses);
    const { title: titled } = each.body;
    const isNameless = typeof titled !== 'string' || titled.trim() === '';
    const [place] = places.some((url) => known.has(url)) ? [] : places;
    const is = isNamed(each, title);
    if (place !== undefined && (is || isNameless)) found.set(place, is);
  }
  return found;
}

/** What the title of every run begins with. */
export const runName = 'blogctl check ';

export function listedIn(reply: Reply): readonly unknown[] {
  return succeeded(reply) && reply.document !== undefined ? idsOf(reply.document) : [];
}

/** An article that is on a page twice. */
export function twiceIn(page: Reply): unknown {
  const ids = listedIn(page);
  return ids.find((id, at) => id !== undefined && ids.indexOf(id) !== at);
}

/** The page that was asked for, one article long. */
export function requireAsked(reply: Reply, index: number): void {
  const { pageIndex, pageSize } = shown(reply, '4.14').body;
  // That there is no size is told by 2.16.
  const isSizeAsked = Number(pageSize ?? 1) === 1;
  const isAsked = Number(pageIndex) === index && isSizeAsked;
  const got = `pageIndex: ${quoted(pageIndex)}, pageSize: ${quoted(pageSize)}`;
  expectThat(isAsked, reply, `pageIndex: ${index}, pageSize: 1`, got);
}

/** Texts that are hard to keep: signs, blanks, ends of lines, and a letter in two parts. */
export const signs = 'Ä & <b>"二行"</b> 👋';
export const text = `  ${signs} \\ text,\n\tof  two lines — 二行\r\ne\u0301\n`;

/** What is longer than a column of 255 letters, or of 64 KiB, which a service need not take (2.28). */
export const long = { title: 't'.repeat(300), content: 'c'.repeat(70_000) };

type Shown = { article(): Promise<Reply>; page(): Promise<Reply> };

/** An article as it is read by itself, and those that are listed, as if they were. */
export async function everyArticle(probe: Shown): Promise<readonly Reply[]> {
  const alone = await probe.article();
  const page = await probe.page();
  const listed = page.document === undefined ? [] : articlesOf(page.document);
  return [alone, ...(succeeded(page) ? listed.map((document) => ({ ...page, document })) : [])];
}

/** A link of each article that has it; the one that is read by itself must. */
export async function linksOfArticles(probe: Shown, rel: string) {
  const [alone, ...listed] = await everyArticle(probe);
  const all = alone ? [[alone, requireLink(alone, rel)] as const] : [];
  for (const reply of listed) {
    const link = rawLink(reply, rel);
    if (link !== undefined) all.push([reply, link]);
  }
  return all;
}
