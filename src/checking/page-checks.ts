import { type HalDocument, isObject } from '../hal/document.ts';
import { type Check, choice, type Probe, rule } from './check.ts';
import {
  counting,
  few,
  leads,
  linksOf,
  requireListed,
  requireOnce,
  requirePagesAsAsked,
} from './listed-pages.ts';
import { articlesOf } from './listing.ts';
import { expectThat, hasItsType, quoted, shown, Skipped, succeeded } from './outcome.ts';
import type { SentenceNumber } from './sentences.ts';
import type { Reply } from './wire.ts';

/** The sentences about pages of articles. */
export const pageChecks: readonly Check[] = [
  rule('2.15', async (probe) => {
    for (const reply of [await probe.page(), await probe.page(1, 1)]) {
      const index = shown(reply, '4.14').body['pageIndex'];
      expectThat(index === 1, reply, 'pageIndex: 1', quoted(index));
    }
  }),
  figure('2.16', (page, articles, reply) => {
    const size = page.body['pageSize'];
    expectThat(isSize(size), reply, 'pageSize: an integer from 1 on', quoted(size));
    const wanted = Math.min(Number(size), articles);
    const got = articlesOf(page).length;
    expectThat(got === wanted, reply, `${wanted} on the first page`, String(got));
  }),
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
  leads('2.21', 'firstPage', ({ second, first }) => [second ?? first, 1]),
  leads('2.22', 'previousPage', ({ second }) => [second ?? few(2), 1]),
  leads('2.23', 'self', ({ second, first }) => [second ?? first, second === undefined ? 1 : 2]),
  leads('2.24', 'nextPage', ({ articles, first, second }) => {
    if (articles < 2 || second === undefined) return few(2);
    return articles > 2 ? [second, 3] : [first, 2];
  }),
  leads('2.25', 'lastPage', ({ articles, first, second }) => [
    second ?? first,
    articles === 0 ? few(1) : articles,
  ]),
  rule('2.26', async (probe) => {
    const page = await probe.page(1, 1);
    const [listed = few(1)] = articlesOf(shown(page, '4.14'));
    const url = probe.addressOf(listed);
    const alone = shown(await probe.send('GET', url), '4.13');
    const lacking = Object.keys(alone.body).filter((name) => !Object.hasOwn(listed.body, name));
    const members = lacking.filter((name) => name !== '_links');
    expectThat(members.length === 0, page, 'every member of the article', `no ${members.join()}`);
    await requireSame(probe, page.request.url, { listed: listed.body, url, alone: alone.body });
    const { _links: own } = alone.body;
    const { _links: shownHere } = listed.body;
    if (!isObject(own) || !isObject(shownHere)) throw new Skipped('there are no _links, see 1.5');
    const rels = Object.keys(own).filter((rel) => !Object.hasOwn(shownHere, rel));
    expectThat(rels.length === 0, page, 'every link of the article', `no ${rels.join()}`);
  }),
  rule('4.2', requirePagesAsAsked),
  choice('4.18', async (probe) => {
    const { body } = shown(await probe.page(), '4.14');
    const told = [...(await probe.odd())].map(([query, reply]) => atOdds(query, reply));
    const { pageIndex: index, pageSize: size } = body;
    return [`unasked: page ${quoted(index)}, size ${quoted(size)}`, ...told].join('; ');
  }),
  choice(
    '4.19',
    async (probe) => {
      const { articles, first, last } = await probe.counted();
      if (articles === 0) return few(1);
      const isThere = (page: Reply, rel: string) => (rel in linksOf(page) ? 'yes' : 'no');
      return `previousPage on the first page: ${isThere(first, 'previousPage')}; nextPage on the last: ${isThere(last, 'nextPage')}`;
    },
    { needs: counting },
  ),
];

type Look = (page: HalDocument, articles: number, reply: Reply) => void;

function figure(number: SentenceNumber, look: Look, also?: Check['run']): Check {
  return rule(
    number,
    async (probe) => {
      const { articles, first, uneven, unasked } = await probe.counted();
      for (const reply of [first, uneven, unasked]) look(shown(reply, '4.14'), articles, reply);
      return also?.(probe);
    },
    { needs: counting },
  );
}

type WantedOf = (articles: number, reply: Reply) => number;

function equals(name: string, wantedOf: WantedOf = (articles) => articles): Look {
  return ({ body }, articles, reply) => {
    const wanted = wantedOf(articles, reply);
    const expected = `${name}: ${wanted}, as its pages show`;
    expectThat(body[name] === wanted, reply, expected, quoted(body[name]));
  };
}

type Members = Readonly<Record<string, unknown>>;
type Twice = { readonly listed: Members; readonly url: string; readonly alone: Members };

/** What differs is looked at again between two equal reads: others may have changed it meanwhile. */
async function requireSame(probe: Probe, page: string, { listed, url, alone }: Twice) {
  if (differing(listed, alone) === undefined) return;
  const reply = await probe.send('GET', page);
  const [now = few(1)] = articlesOf(shown(reply, '4.14'));
  const name = differing(now.body, alone);
  const after = shown(await probe.send('GET', url), '4.13').body;
  if (name === undefined || now.body['id'] !== alone['id'] || differing(after, alone)) return;
  expectThat(false, reply, `${name}: ${quoted(alone[name])}`, quoted(now.body[name]));
}

function differing(one: Members, other: Members): string | undefined {
  const isSame = (name: string) => JSON.stringify(one[name]) === JSON.stringify(other[name]);
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
