import { findLink, targetOf } from '../hal/links.ts';
import { isSameId, rawLink, requireLink, unlikelyIds } from './addresses.ts';
import type { Probe } from './check.ts';
import {
  articlesOf,
  type Counted,
  listedIn,
  moved,
  reader,
  readListing,
  requireAsked,
  twiceIn,
  unevenSize,
} from './listing.ts';
import {
  Broken,
  expectThat,
  isNamed,
  quoted,
  requireStatus,
  readsAlone,
  shown,
  Skipped,
  succeeded,
} from './outcome.ts';
import type { Own, Reply } from './wire.ts';

/** Pages count from 1, and the one that is asked for is shown, or articles cannot be counted by them. */
export const counting = ['2.15', '4.2'] as const;

/** 4.2, of the first pages and of the last one. */
export async function requirePagesAsAsked(probe: Probe): Promise<string | undefined> {
  // Articles may have been made since.
  probe.recount();
  const [first, second] = [await probe.page(1, 1), await probe.page(2, 1)];
  requireAsked(first, 1);
  const { body } = shown(first, '4.14');
  const one = listedIn(first);
  // Beyond the end a service may refuse, or show another page.
  if (!(Number(body['totalArticles']) > 1)) {
    await requireRow(probe, one, 1);
    return 'there were fewer than 2 articles';
  }
  if (succeeded(second) && second.document !== undefined) requireAsked(second, 2);
  const two = listedIn(second);
  if (two[0] === one[0] && one.length > 0) {
    const counted = await again(probe, one, 1);
    expectThat(!counted, second, `another article than ${quoted(one[0])}`, quoted(two[0]));
  }
  await requireRow(probe, [...one, ...two], 2);
  await requireLast(probe, Number(body['totalArticles']));
  return undefined;
}

/** The last page has fewer articles, and is of the size that was asked for all the same. */
async function requireLast(probe: Probe, articles: number): Promise<void> {
  const size = unevenSize(articles);
  const index = Math.ceil(articles / size);
  if (index < 2) return;
  const [first, last] = [await probe.page(1, size), await probe.page(index, size)];
  const { pageSize } = first.document?.body ?? {};
  // Sizes that a service does not allow are its affair.
  if (pageSize !== size || !succeeded(last) || last.document === undefined) return;
  const got = last.document.body['pageSize'] ?? size;
  const expected = `pageIndex: ${index}, pageSize: ${size}`;
  expectThat(got === size, last, expected, `pageSize: ${quoted(got)}`);
}

/** No page shows an article twice; others may have moved one while pages were read. */
export async function requireOnce(probe: Probe): Promise<void> {
  const page = await probe.page();
  const twice = twiceIn(page);
  if (twice === undefined) return;
  const later = await probe.send('GET', page.request.url);
  const still = twiceIn(later);
  expectThat(still === undefined, later, 'each article once', `article ${quoted(still)} twice`);
}

/** What was made before all was counted; others may move it from page to page, so twice. */
export async function requireListed(probe: Probe, tried = 1): Promise<string | undefined> {
  if (!probe.mayWrite) return readsAlone;
  const { kept, title } = probe.own();
  const { articles, unseen } = await readListing(reader(probe.send, probe));
  if (unseen !== undefined) return `of the listing, ${unseen}`;
  const count = articles.filter((each) => isNamed(each, title)).length;
  let there = 0;
  for (const { url } of count < kept.length ? kept : [])
    there += isNamed((await probe.send('GET', url)).document, title) ? 1 : 0;
  if (count < there && tried < 2) return requireListed(probe, tried + 1);
  const reply = { ...(await probe.page()), ...(kept[0] && { after: kept[0].reply }) };
  expectThat(count >= there, reply, `all ${there} new articles`, String(count));
  return undefined;
}

/** So many articles are looked at for whether their self leads to them; the first is read by others. */
const mostRead = 4;

/** Every article of the page that is shown unasked has a self of its own, which leads to it, as far as that is read. */
export async function requireOwnSelves(probe: Probe): Promise<void> {
  const page = await probe.page();
  const selves = new Map<string, unknown>();
  for (const listed of page.document ? articlesOf(page.document) : []) {
    const { id } = listed.body;
    const self = findLink(listed, 'self');
    if (self === undefined || !URL.canParse(self.href, listed.url)) continue;
    const url = targetOf(listed, self);
    const other = selves.has(url) ? selves.get(url) : id;
    expectThat(other === id, page, `for article ${quoted(id)} a self of its own`, url);
    selves.set(url, id);
  }
  const near = [...selves].filter(([url]) => new URL(url).origin === probe.home);
  for (const [url, id] of near.slice(1, mostRead)) {
    const there = await probe.send('GET', url);
    const got = there.document?.body['id'];
    // One that is gone may have been deleted since it was listed.
    if (!succeeded(there) || got === undefined) continue;
    const [wanted, told] = [`id ${quoted(id)} behind its self`, `id ${quoted(got)}`];
    expectThat(isSameId(got, id), there, wanted, told);
  }
}

/** A page on which an article is: the first of one, or the last, wherever new ones are put. */
export async function pageOf(probe: Probe, { url }: Own): Promise<Reply | undefined> {
  const read = reader(probe.send, probe);
  const first = await read(1, 1);
  const last = Number(first.document?.body['totalArticles']);
  for (const page of [first, ...(last > 1 ? [await read(last, 1)] : [])]) {
    const listed = page.document === undefined ? [] : articlesOf(page.document);
    if (succeeded(page) && listed.some((each) => probe.addressOf(each) === url)) return page;
  }
  return undefined;
}

/** Whether so many pages of one show these articles still: else others moved them meanwhile. */
async function again(probe: Probe, singles: readonly unknown[], count: number): Promise<boolean> {
  const now: unknown[] = [];
  for (let index = 1; index <= count; index += 1) {
    const { url } = (await probe.page(index, 1)).request;
    now.push(...listedIn(await probe.send('GET', url)));
  }
  return JSON.stringify(now) === JSON.stringify(singles);
}

/** No other page begins with articles that so many pages of one lack, or they cannot be counted by pages. */
async function requireRow(probe: Probe, singles: readonly unknown[], count: number): Promise<void> {
  const unasked = await probe.page();
  const { pageIndex } = unasked.document?.body ?? {};
  // That pages count from 0 is told by 2.15.
  if (pageIndex === 0) return;
  const isRow = (page: Reply) =>
    listedIn(page).every((id, at) => at >= count || (at < singles.length && id === singles[at]));
  const others = [await probe.page(1, 2), ...(pageIndex === 1 ? [unasked] : [])];
  // What is missing may be where nothing is, by the interface.
  if (singles.length < count) others.push(await probe.page(0, 2));
  for (const page of others) {
    if (isRow(page)) continue;
    const now = await probe.send('GET', page.request.url);
    if (isRow(now) || !(await again(probe, singles, count))) {
      await requireOrder(probe);
      continue;
    }
    const expected = `articles ${quoted(singles)}, as pages of one show`;
    expectThat(false, now, expected, quoted(listedIn(now).slice(0, count)));
  }
}

/** The same articles, each time in another order: nobody moved them, and their pages have not all of them. */
async function requireOrder(probe: Probe): Promise<void> {
  const read = reader(probe.send, probe);
  let reply = await read(1, 100);
  let now = listedIn(reply);
  for (let times = 1; times <= 2; times += 1) {
    const before = now;
    now = listedIn((reply = await read(1, 100)));
    const isSame = now.length === before.length && now.every((id) => before.includes(id));
    if (!isSame || JSON.stringify(now) === JSON.stringify(before)) return;
  }
  expectThat(false, reply, 'an order of the articles that stays', 'another one each time');
}

/** What is broken by others, who add and delete, is not broken in the same way when it is counted again. */
export async function lookAgain<T>(
  probe: Probe,
  look: (counted: Counted) => Promise<T>,
): Promise<T> {
  const first = await look(await probe.counted()).catch((error: unknown) => {
    if (error instanceof Broken) return error;
    throw error;
  });
  if (!(first instanceof Broken)) return first;
  probe.recount();
  return look(await probe.counted()).catch((error: unknown) => {
    throw error instanceof Broken && error.message !== first.message ? new Skipped(moved) : error;
  });
}

/** Neither beneath the blog nor beside it is anything, but for a blog that says that it is the one. */
export async function requireNothingElse({ blog, send }: Probe): Promise<void> {
  const { url } = blog.request;
  const [id] = unlikelyIds;
  for (const place of [url.replace(/\/?$/, '/blogctl-check'), url.replace(/[^/]+\/?$/, `${id}`)]) {
    const reply = await send('GET', place);
    const isIt = !succeeded(reply) || reply.document?.body['id'] === id;
    expectThat(isIt, reply, '404', `${reply.status} ${reply.excerpt}`);
  }
}

/** An article as it is read by itself, and those that are listed, as if they were. */
export async function everyArticle(probe: Probe): Promise<readonly Reply[]> {
  const alone = await probe.article();
  const page = await probe.page();
  const listed = page.document === undefined ? [] : articlesOf(page.document);
  return [alone, ...(succeeded(page) ? listed.map((document) => ({ ...page, document })) : [])];
}

/** A link of each article that has it; the one that is read by itself must. */
export async function linksOfArticles(probe: Probe, rel: string) {
  const [alone, ...listed] = await everyArticle(probe);
  const all = alone ? [[alone, requireLink(alone, rel)] as const] : [];
  for (const reply of listed) {
    const link = rawLink(reply, rel);
    if (link !== undefined) all.push([reply, link]);
  }
  return all;
}

const aloneMs = 1100;

/** Dates of the blog and of a page, of a version alone in its second where another is not heeded. */
export async function holdsOfLists(
  probe: Probe,
  revalidated: (url: string) => Promise<Reply | undefined>,
): Promise<true> {
  const own = await probe.own().make();
  const page = await pageOf(probe, own);
  const urls = [probe.blog.request.url, ...(page ? [page.request.url] : [])];
  for (const url of urls) {
    if (((await revalidated(url))?.status ?? 304) === 304) continue;
    const began = performance.now();
    await probe.wire.rest(aloneMs);
    await probe.own().change('PUT', own.url, { json: { title: probe.own().title, content: url } });
    const reply = await revalidated(url);
    const isAlone = performance.now() - began >= aloneMs;
    if (reply !== undefined && isAlone) requireStatus(reply, 304);
  }
  return true;
}
