import { articlesOf, type HalDocument, isObject } from '../hal/document.ts';
import { isSameId, linksIn, type Members, requireAtHome } from './addresses.ts';
import { longOnes } from './change-checks.ts';
import { type Check, choice, type Probe, rule, writing } from './check.ts';
import {
  counting,
  listedAs,
  lookAgain,
  readTwice,
  requireListed,
  requireOnce,
  requirePagesAsAsked,
  requireRest,
  type Twice,
} from './listed-pages.ts';
import { type Counted, listedIn, readAlone } from './listing.ts';
import {
  expectThat,
  hasItsType,
  isGone,
  lacking,
  quoted,
  type SentenceNumber,
  shown,
  Skipped,
  succeeded,
} from './outcome.ts';
import type { Reply } from './wire.ts';

/** The sentences about what comes after a deletion, and about pages of articles. */
export const pageChecks: readonly Check[] = [
  rule('2.14', writing, async (probe) => {
    const { url } = await probe.own().make();
    const headers = { prefer: 'return=representation' };
    const reply = await probe.own().change('DELETE', url, { headers });
    if (reply.excerpt === '') throw new Skipped('no body came; HTTP allows none on a 204');
    const { body } = shown(reply, '4.16');
    const [members, rels] = [Object.keys(body), Object.keys(linksIn(body))];
    const got = `a body of {${members.join(', ')}}`;
    expectThat(members.join() === '_links', reply, 'a body of {_links}', got);
    const isBoth = rels.toSorted().join() === 'curies,doc:blog';
    expectThat(isBoth, reply, '_links of {curies, doc:blog}', `_links of {${rels.join(', ')}}`);
  }),
  rule('2.15', async (probe) => {
    for (const reply of [await probe.page(), await probe.page(1, 1)]) {
      const index = shown(reply, '4.14').body['pageIndex'];
      expectThat(index === 1, reply, 'pageIndex: 1', quoted(index));
    }
  }),
  figure(
    '2.16',
    (page, articles, reply) => {
      const size = page.body['pageSize'];
      expectThat(isSize(size), reply, 'pageSize: an integer from 1 on', quoted(size));
      const wanted = Math.min(Number(size), articles);
      const got = articlesOf(page).length;
      expectThat(got === wanted, reply, `${wanted} on the first page`, String(got));
    },
    requireRest,
  ),
  figure('2.17', equals('totalPages', pagesOf)),
  figure('2.18', equals('totalArticles'), async (probe) => {
    await requireOnce(probe);
    return requireListed(probe);
  }),
  rule('2.19', async (probe) => {
    const reply = await probe.page(1, 1);
    const { body } = shown(reply, '4.14');
    const got = isObject(body['_links']) ? '_links' : quoted(body['_link']);
    expectThat(isObject(body['_link']), reply, '_link, an object', got);
  }),
  rule('2.20', async (probe) => {
    const reply = await probe.page(1, 1);
    const embedded = shown(reply, '4.14').body['_embedded'];
    expectThat(Array.isArray(embedded), reply, '_embedded: an array', quoted(embedded));
  }),
  leads('2.21', 'firstPage', () => 1),
  leads('2.22', 'previousPage', (index) => (index > 1 ? index - 1 : undefined)),
  leads('2.23', 'self', (index) => index),
  leads('2.24', 'nextPage', (index, last) => (index < last ? index + 1 : undefined)),
  leads('2.25', 'lastPage', (_index, last) => last || undefined),
  rule('2.26', async (probe) => {
    const page = await probe.page(1, 1);
    const [first = few(1)] = articlesOf(shown(page, '4.14'));
    const alone = await readAlone(probe.send, first, probe);
    const all = [{ page, listed: first, alone }, ...(await readTwice(probe))];
    const there = all.filter((each) => !isGone.has(each.alone.status));
    if (there.length === 0) shown(alone, '4.13');
    for (const each of there) await requireWhole(probe, each);
    // Made last, as they move others from page to page.
    for (const reply of probe.mayWrite ? await longOnes(probe) : [])
      for (const each of await listedAs(probe, reply)) await requireWhole(probe, each);
    const isLinked = ({ listed }: Twice) => isObject(listed.body['_links']);
    if (!there.every(isLinked)) throw new Skipped('there are no _links, see 1.5');
  }),
  rule('4.2', requirePagesAsAsked),
  choice('4.18', async (probe) => {
    const { body } = shown(await probe.page(), '4.14');
    const told = [...(await probe.odd())].map(([query, reply]) => atOdds(query, reply));
    const { pageIndex: index, pageSize: size } = body;
    return [`unasked: page ${quoted(index)}, size ${quoted(size)}`, ...told].join('; ');
  }),
  choice('4.19', { needs: counting }, async (probe) => {
    const { articles, singles } = await probe.counted();
    const [first, last] = [singles.get(1), singles.get(articles)];
    if (first === undefined || last === undefined) return few(1);
    const isThere = (page: Reply, rel: string) => (rel in linksOf(page) ? 'yes' : 'no');
    return `previousPage on the first page: ${isThere(first, 'previousPage')}; nextPage on the last: ${isThere(last, 'nextPage')}`;
  }),
];

type Also = (probe: Probe, counted: Counted) => Promise<string | void>;
type Look = (page: HalDocument, articles: number, reply: Reply) => void;

function figure(number: SentenceNumber, look: Look, also?: Also): Check {
  return rule(number, { needs: counting }, async (probe) => {
    return lookAgain(probe, async (counted) => {
      const { articles, singles, uneven, unasked } = counted;
      const first = [...singles.values()].slice(0, 1);
      for (const reply of [...first, uneven, unasked]) look(shown(reply, '4.14'), articles, reply);
      return also?.(probe, counted);
    });
  });
}

type WantedOf = (articles: number, reply: Reply) => number;

function equals(name: string, wantedOf: WantedOf = (articles) => articles): Look {
  return ({ body }, articles, reply) => {
    const wanted = wantedOf(articles, reply);
    const expected = `${name}: ${wanted}, as its pages show`;
    expectThat(body[name] === wanted, reply, expected, quoted(body[name]));
  };
}

/** What differs is looked at again between two equal reads: others may have changed it meanwhile. */
async function requireWhole({ send }: Probe, { page, listed, alone }: Twice): Promise<void> {
  if (lackOf(listed.body, shown(alone, '4.13').body) === undefined) return;
  const read = async () => shown(await send('GET', alone.request.url), '4.13').body;
  const before = await read();
  const reply = await send('GET', page.request.url);
  const after = await read();
  const isIt = ({ body }: HalDocument) => isSameId(body['id'], before['id']);
  const now = articlesOf(shown(reply, '4.14')).find(isIt);
  const [expected, got] = (now && lackOf(now.body, before)) ?? [];
  if (expected === undefined || got === undefined || lackOf(after, before)) return;
  expectThat(false, reply, expected, got);
}

/** What a listed article is expected to have, and what it has. */
function lackOf(listed: Members, alone: Members): readonly [string, string] | undefined {
  const lacks = (one: Members, other: Members) =>
    Object.keys(other).filter((name) => name !== '_links' && !Object.hasOwn(one, name));
  const members = lacks(listed, alone);
  if (members.length > 0) return ['every member of the article', `no ${members.join()}`];
  const name = differing(listed, alone);
  if (name !== undefined) return [`${name}: ${quoted(alone[name])}`, quoted(listed[name])];
  const rels = isObject(listed['_links']) ? lacks(linksIn(listed), linksIn(alone)) : [];
  return rels.length > 0 ? ['every link of the article', `no ${rels.join()}`] : undefined;
}

function differing(one: Members, other: Members): string | undefined {
  const isSame = (name: string) =>
    name === 'id'
      ? isSameId(one[name], other[name])
      : JSON.stringify(one[name]) === JSON.stringify(other[name]);
  return Object.keys(other).find(
    (name) => name !== '_links' && hasItsType(name, other[name]) && !isSame(name),
  );
}

function pagesOf(articles: number, { document, request }: Reply): number {
  const asked = Number(new URL(request.url).searchParams.get('pageSize'));
  const size = [document?.body['pageSize'], asked].find(isSize);
  if (size === undefined) throw new Skipped('there is no page size, see 2.16');
  const isHeld = document && articlesOf(document).length === Math.min(size, articles);
  if (!isHeld) throw new Skipped('a page is not of the size that it tells, see 2.16');
  return Math.ceil(articles / size);
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

function atOdds(query: string, reply: Reply): string {
  const echoed = reply.document?.body[query.replace(/=.*/, '')];
  const shownAs = succeeded(reply) ? ` (as ${quoted(echoed)})` : '';
  return `${query}: ${reply.status}${shownAs}`;
}

/** Where a page leads by a relation, by its index and the last one; undefined where it need not. */
type Find = (index: number, last: number) => number | undefined;

function leads(number: SentenceNumber, rel: string, find: Find): Check {
  return rule(number, { needs: counting }, (probe) =>
    lookAgain(probe, async ({ articles, singles }) => {
      let isFound = false;
      for (const [at, reply] of singles) {
        const index = find(at, articles);
        if (index === undefined) continue;
        isFound = true;
        await requireLeads(probe, reply, rel, index);
      }
      if (!isFound) few(articles === 0 ? 1 : 2);
    }),
  );
}

async function requireLeads(probe: Probe, reply: Reply, rel: string, index: number) {
  const link = linksOf(reply)[rel];
  const href = isObject(link) ? link['href'] : undefined;
  const expected = `${rel} to pageIndex=${index}&pageSize=1`;
  if (typeof href !== 'string' || !URL.canParse(href, reply.request.url))
    return expectThat(false, reply, expected, quoted(href));
  const url = new URL(href, reply.request.url);
  const to = url.searchParams.get('pageIndex');
  const isUsual =
    url.pathname === new URL(probe.collection).pathname &&
    to === String(index) &&
    url.searchParams.get('pageSize') === '1';
  const isTold = to === String(shown(reply, '4.14').body['totalPages']);
  // How an address is put together is the service's affair: what it leads to counts.
  const isRight = isUsual || (await leadsTo(probe, url, index));
  // It leads to the page that is counted to, and that is none.
  if (!isRight && rel === 'lastPage' && isTold) throw lacking('2.17');
  expectThat(isRight, reply, expected, href);
  if (isUsual) await requireAtHome(probe, url.href);
}

/** Whether the page of that index, and of one article, is there. */
async function leadsTo(probe: Probe, { href, origin }: URL, index: number): Promise<boolean> {
  if (origin !== probe.home) return false;
  const page = await probe.send('GET', href);
  const { pageIndex, pageSize } = page.document?.body ?? {};
  if (!succeeded(page) || pageIndex !== index || pageSize !== 1) return false;
  const asked = await probe.page(index, 1);
  return quoted(listedIn(page)) === quoted(listedIn(asked));
}

function linksOf(reply: Reply): Readonly<Record<string, unknown>> {
  const { _link: navigation, _links: links } = shown(reply, '4.14').body;
  if (isObject(navigation)) return navigation;
  if (isObject(links)) return links;
  throw new Skipped('the page has no navigation, see 2.19');
}

function few(count: number): never {
  const what = count === 1 ? 'no article' : `fewer than ${count} articles`;
  throw new Skipped(`the blog has ${what}; --write makes some`);
}
