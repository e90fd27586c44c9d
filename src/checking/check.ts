import { refusal } from '../client/refusals.ts';
import { BlogctlError } from '../errors.ts';
import { type HalDocument, isObject } from '../hal/document.ts';
import { findLink } from '../hal/links.ts';
import { type SentenceNumber, Skipped, expectThat } from './sentences.ts';
import { NoAnswer, type Reply, type Send } from './wire.ts';

const mostQuoted = 120;

export function succeeded({ status }: Reply): boolean {
  return status >= 200 && status <= 299;
}

/** A read that wants a token, or more rights. */
export function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403;
}

export function ifUnanswered(error: unknown): undefined {
  if (error instanceof NoAnswer) return undefined;
  throw error;
}

/** What is not answered tells nothing of rights. */
export async function requireAllowed(answer: Promise<Reply>): Promise<void> {
  const reply = await answer.catch(ifUnanswered);
  if (reply?.status === 401 || reply?.status === 403) {
    throw ending(reply);
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' };

/** What was tried, and where, is our affair: a token that will not do is the user's. */
export function ending({ request, status, headers, document }: Reply): BlogctlError {
  const body = Buffer.from(document === undefined ? '' : JSON.stringify(document.body));
  const error = refusal(request, { status, headers, body, tokenRefused: status === 401 });
  if (status !== 401 && status !== 403) return error;
  const may = `may not ${verbs[request.method]} articles, as --write does`;
  const message = `The token ${status === 401 ? 'was refused' : may}.`;
  return new BlogctlError(error.code, message, error.context);
}

const halType = 'application/hal+json';

export function requireType(reply: Reply): void {
  const type = reply.headers['content-type'];
  const [name = ''] = (type ?? '').split(';');
  expectThat(
    name.trim().toLowerCase() === halType,
    reply,
    `Content-Type: ${halType}`,
    quoted(type),
  );
}

/** Whether an article bears the title of a run, or keeps it in its content. */
export function isNamed(article: HalDocument | undefined, title: string): boolean {
  const { title: titled, content = '' } = article?.body ?? {};
  return String(titled).startsWith(title) || String(content).includes(title);
}

/** Whether what is no JSON has the title in it, whatever letters it is written in. */
export function isMarked(reply: Reply, title: string): boolean {
  const letters = Buffer.from(reply.unread ?? '')
    .toString('latin1')
    .replaceAll('\0', '');
  return succeeded(reply) && letters.includes(title);
}

type Place = { readonly addressOf: (article: HalDocument) => string };

type Places = Place & { readonly beneath: (id: number | string) => string };

/** Where a listed article is, as its self says and as its id does. */
export function placesOf(article: HalDocument, { addressOf, beneath }: Places): readonly string[] {
  const { id } = article.body;
  const byId = typeof id === 'number' || typeof id === 'string' ? [beneath(id)] : [];
  return findLink(article, 'self') ? [addressOf(article), ...byId] : byId;
}

type From = { readonly home: string; readonly send: Send };

/** What is on another origin is asked for only where the user allows it. */
export async function requireAtHome({ home, send }: From, url: string): Promise<void> {
  if (new URL(url).origin !== home) await send('GET', url);
}

/** Where an article is by the answer to its creation. */
export function placeOf(reply: Reply, { addressOf }: Place): string | undefined {
  const { document, headers, request } = reply;
  const hasName = document && (findLink(document, 'self') || document.body['id'] !== undefined);
  if (hasName) return addressOf(document);
  const { location = '' } = headers;
  const isPlace = location !== '' && URL.canParse(location, request.url);
  return isPlace ? new URL(location, request.url).href : undefined;
}

/** The representation that came, or Skipped: another rule tells that it did not come. */
export function shown(reply: Reply, seeRule: SentenceNumber): HalDocument {
  if (succeeded(reply) && reply.document !== undefined) return reply.document;
  throw new Skipped(`nothing to look at was shown (${reply.status}), see ${seeRule}`);
}

export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}

/** Ids that hardly a blog has come to: among the highest that a column of 32 bits can hold. */
export const unlikelyIds = [1, 2, 3].map((below) => 2_147_483_647 - below);

/** Whether a member of an article is what it has to be: one that is not is told by 2.8 and 2.9 alone. */
export function hasItsType(name: string, value: unknown): boolean {
  if (name === 'title') return typeof value === 'string';
  return name !== 'content' || value === undefined || typeof value === 'string';
}

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
  /** The first page at a size that leaves a rest on the last one, and the one that is shown unasked. */
  readonly uneven: Reply;
  readonly unasked: Reply;
};

export type Read = (index?: number, size?: number) => Promise<Reply>;

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
    const uneven = await read(1, unevenSize(articles));
    const unasked = await read();
    const again = shown(await read(1, 1), '4.14');
    if (look(again) === look(shown(first, '4.14'))) {
      return { articles, first, second, last, uneven, unasked };
    }
  }
  throw new Skipped('articles came or went while they were read');
}

/** Where nothing is left over, rounding up and down are the same. */
function unevenSize(articles: number): number {
  return [2, 3, 4, 5, 7, 9, 11, 13].find((size) => articles % size !== 0) ?? 2;
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

type Listing = { readonly articles: readonly HalDocument[]; readonly unseen: string | undefined };

const largePage = 100;
const mostPages = 30;

/**
 * What the pages show, the first and the last ones of a long listing, and what of it could not be seen.
 * Links and totals may be wrong, so pages are asked for until one shows nothing new.
 */
export async function readListing(read: Read): Promise<Listing> {
  const articles = new Map<string, HalDocument>();
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
    if (articles.size === before || pages === mostPages) break;
    const last = Math.ceil(Number(total) / listed.length);
    index = pages === 1 && last > mostPages ? last - mostPages + 2 : index + 1;
    reply = await read(index, size);
  }
  const all = [...articles.values()];
  if (typeof total === 'number') {
    const unseen = `it shows ${all.length} of the ${total} articles that it counts`;
    return { articles: all, unseen: all.length >= total ? undefined : unseen };
  }
  const isUnread = succeeded(reply) && reply.document === undefined;
  const isEnd = !isUnread && (all.length > 0 || succeeded(reply));
  const why = isUnread ? ', and what came cannot be read' : '';
  return { articles: all, unseen: isEnd ? undefined : `GET: ${reply.status}${why}` };
}
