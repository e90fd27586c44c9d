import { selfOf } from '../hal/links.ts';
import { articlesOf, type HalDocument } from '../hal/document.ts';
import { isSameId, placeOf, placesOf } from './addresses.ts';
import type { Probe } from './check.ts';
import {
  type Counted,
  listedIn,
  moved,
  readAlone,
  reader,
  readListing,
  requireAsked,
  twiceIn,
  unevenSize,
} from './listing.ts';
import {
  Broken,
  expectThat,
  isGone,
  isNamed,
  quoted,
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
  const { size, index, last, told } = (await lastPages(probe, Number(body['totalArticles']))) ?? {};
  const expected = `pageIndex: ${index}, pageSize: ${size}`;
  if (last) expectThat(told === size, last, expected, `pageSize: ${quoted(told)}`);
  return undefined;
}

/** The last page, which has fewer articles at the same size, and the one before it; sizes that a service does not allow are its affair. */
async function lastPages(probe: Probe, articles: number) {
  const size = unevenSize(articles, articles - 1);
  const index = Math.ceil(articles / size);
  if (index < 2) return undefined;
  const [before, last] = [await probe.page(index - 1, size), await probe.page(index, size)];
  const [told, other] = [before, last].map(({ document }) => document?.body['pageSize'] ?? size);
  const isShown = succeeded(last) && last.document !== undefined && told === size;
  return isShown ? { size, index, before, last, told: other } : undefined;
}

/** The last page has what is left, and nothing of the one before. */
export async function requireRest(probe: Probe, { articles }: Counted): Promise<void> {
  const pages = await lastPages(probe, articles);
  if (pages === undefined || pages.told !== pages.size) return;
  const { size, index, before, last } = pages;
  const [rest, ids] = [articles - (index - 1) * size, listedIn(last)];
  expectThat(ids.length === rest, last, `${rest} on page ${index}, the last`, `${ids.length}`);
  const both = listedIn(before).find((id) => id !== undefined && ids.includes(id));
  const twice = `article ${quoted(both)} on pages ${index - 1} and ${index}`;
  expectThat(both === undefined, last, 'each article on one page alone', twice);
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
  const named = articles.filter((each) => isNamed(each, title));
  const count = named.length;
  let there = 0;
  for (const { url } of count < kept.length ? kept : [])
    there += isNamed((await probe.send('GET', url)).document, title) ? 1 : 0;
  const places = named.map((each) => [...new Set(placesOf(each, probe))].join());
  const deletions = probe.wire.replies.filter(({ request }) => request.method === 'DELETE');
  const after = deletions.find((each) => succeeded(each) && places.includes(each.request.url));
  if ((count < there || after) && tried < 2) return requireListed(probe, tried + 1);
  if (after !== undefined) {
    const { status } = await probe.send('GET', after.request.url);
    const page = { ...(await probe.page()), after };
    const got = `${after.request.url} (${status})`;
    expectThat(!isGone.has(status), page, 'no article that was deleted', got);
  }
  const reply = { ...(await probe.page()), ...(kept[0] && { after: kept[0].reply }) };
  expectThat(count >= there, reply, `all ${there} new articles`, String(count));
  return undefined;
}

export type Twice = { readonly page: Reply; readonly listed: HalDocument; readonly alone: Reply };

/** Some articles of the page that is shown unasked, the last one too, and each as it is by itself. */
export async function readTwice(probe: Probe): Promise<readonly Twice[]> {
  const page = await probe.page();
  const all = page.document ? articlesOf(page.document) : [];
  const chosen = new Set([0, 1, all.length >> 1, all.length - 1].map((at) => all[at]));
  const twice: Twice[] = [];
  for (const listed of chosen)
    if (listed) twice.push({ page, listed, alone: await readAlone(probe.send, listed, probe) });
  return twice;
}

/** An article that was made, on a page and by itself. */
export async function listedAs(probe: Probe, reply: Reply): Promise<readonly Twice[]> {
  const url = succeeded(reply) ? placeOf(reply, probe) : undefined;
  const page = url === undefined ? undefined : await pageOf(probe, { url, reply });
  const isIt = (each: HalDocument) => probe.addressOf(each) === url;
  const listed = page?.document && articlesOf(page.document).find(isIt);
  return page && listed
    ? [{ page, listed, alone: await readAlone(probe.send, listed, probe) }]
    : [];
}

/** Every article of the page that is shown unasked has a self of its own, which leads to it, as far as that is read. */
export async function requireOwnSelves(probe: Probe): Promise<void> {
  const page = await probe.page();
  const selves = new Map<string, unknown>();
  for (const listed of page.document ? articlesOf(page.document) : []) {
    const [{ id }, url] = [listed.body, selfOf(listed)];
    if (url === undefined) continue;
    const other = selves.has(url) ? selves.get(url) : id;
    // Of two with one self the other one is wrong where it leads to what it should.
    const wrong = typeof id === 'number' && url === probe.beneath(id) ? other : id;
    expectThat(other === id, page, `for article ${quoted(wrong)} a self of its own`, url);
    selves.set(url, id);
  }
  for (const { listed, alone } of await readTwice(probe)) {
    const [{ id }, url] = [listed.body, selfOf(listed)];
    if (url === undefined || new URL(url).origin !== probe.home) continue;
    const there = alone.request.url === url ? alone : await probe.send('GET', url);
    const got = there.document?.body['id'];
    // One that is gone may have been deleted since it was listed, but not where its id is.
    if (there === alone && (!succeeded(there) || got === undefined)) continue;
    const told = succeeded(there) ? `id ${quoted(got)}` : String(there.status);
    expectThat(
      succeeded(there) && isSameId(got, id),
      there,
      `id ${quoted(id)} behind its self`,
      told,
    );
  }
}

/** A page on which a new article is: the first of one, or one of the last two, wherever they are put. */
export async function pageOf(probe: Probe, { url }: Own): Promise<Reply | undefined> {
  const read = reader(probe.send, probe);
  const first = await read(1, 1);
  const last = Number(first.document?.body['totalArticles']);
  for (const index of [1, last, last - 1]) {
    const page = index === 1 ? first : index > 1 ? await read(index, 1) : undefined;
    const listed = page?.document === undefined ? [] : articlesOf(page.document);
    const isThere = listed.some((each) => probe.addressOf(each) === url);
    if (page && succeeded(page) && isThere) return page;
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
    const wanted = listedIn(now).slice(0, count);
    const at = wanted.findIndex((id, index) => id !== singles[index]);
    const single = await probe.page(at + 1, 1);
    const where = new URL(page.request.url).search || 'the page that is shown unasked';
    const expected = `article ${quoted(wanted[at])}, number ${at + 1} of ${where}`;
    expectThat(false, single, expected, quoted(singles[at]));
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
