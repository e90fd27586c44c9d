import { inShell } from '../terminal/text.ts';
import { requireNothingElse } from './addresses.ts';
import { type Check, choice, note, once, type Probe, rule, writing } from './check.ts';
import { changesNothing } from './effects.ts';
import { changed } from './own-articles.ts';
import {
  expectThat,
  ifSkipped,
  isMistake,
  partOf,
  readsAlone,
  requireOpen,
  requireRefused,
  requireStatus,
  Skipped,
  succeeded,
} from './outcome.ts';
import type { Reply } from './wire.ts';

const unprovoked = 'nothing that a client does brings it about for sure';

/** The sentences about tokens, errors and limits, and what HTTP adds. */
export const errorChecks: readonly Check[] = [
  note('5.1', 'is for clients; 5.4 tells what becomes of others'),
  rule('5.2', async (probe) => {
    requireOpen(probe.blog);
    const replies = await probe.shown();
    for (const reply of replies) requireOpen(reply);
    return partOf(replies);
  }),
  note('5.3', 'is looked at by 1.6, as far as it can be seen from outside'),
  rule('5.4', writing, async (probe) => {
    const own = probe.own();
    const json = { title: `${own.title}, by nobody`, content: 'Made without a token' };
    requireStatus(await own.post({ json, anonymous: true }), 401);
    const unknown = await byUnknown(probe);
    expectThat(!succeeded(unknown), unknown, '401 for any word', String(unknown.status));
    requireNothingMade(own, ({ status }) => isDenied.has(status));
    const { url } = await changed(probe);
    const put = await probe.send('PUT', url, { json, anonymous: true });
    const isThere = succeeded(await requireRefused(probe.send, put, 401));
    const headers = { 'x-access-token': '' };
    const empty = await probe.send('PUT', url, { json, headers, anonymous: true, isOdd: true });
    expectThat(!succeeded(empty), empty, '401 for a token without letters', `${empty.status}`);
    const deletion = await probe.send('DELETE', url, { anonymous: true });
    if (isThere) await requireRefused(probe.send, deletion, 401);
    else requireStatus(deletion, 401);
    return 'only the 401 was tried, see 7.5';
  }),
  choice('5.5', writing, async (probe) => `an unknown token: ${(await byUnknown(probe)).status}`),
  note('6.1', 'there is nothing to look at'),
  note('7.1', 'leaves it open; 7.19 tells what comes'),
  note('7.4', 'is looked at by 5.4'),
  // Where the token of the run is such a one, that was told before.
  rule('7.5', async ({ blog }) => {
    const line = `blogctl check ${inShell(blog.request.url)} --write --only 7.5`;
    throw new Skipped(`takes a token of fewer rights: run ${line} with one in BLOGCTL_TOKEN`);
  }),
  rule('7.6', { needs: ['5.2'] }, async (probe) => {
    const reply = await probe.absent();
    const shown = succeeded(reply) ? ` ${reply.excerpt}` : '';
    expectThat(reply.status === 404, reply, '404', `${reply.status}${shown}`.trimEnd());
    await requireNothingElse(probe);
    const own = probe.mayWrite ? await changed(probe).catch(ifSkipped) : undefined;
    return own && (await changesNothing(probe, own)) ? undefined : readsAlone;
  }),
  note('7.7', 'is looked at by 1.3'),
  note('7.8', unprovoked),
  rule('7.11', writing, async (probe) => {
    const content = `Made by ${probe.own().title}`;
    requireStatus(await probe.own().post({ json: { title: null, content } }), 422);
    requireNothingMade(probe.own(), ({ status }) => status === 422);
    const json = { title: null, content: `Put by ${probe.own().title}` };
    const { url } = await probe.own().make();
    await requireRefused(probe.send, await probe.own().change('PUT', url, { json }), 422);
  }),
  ...(['7.12', '7.13', '7.14', '7.15', '7.16', '7.17', '7.18'] as const).map((number) =>
    note(number, unprovoked),
  ),
  choice('7.19', async (probe) => {
    const reply = await probe.absent();
    if (succeeded(reply)) throw new Skipped(`nothing is refused there (${reply.status}), see 7.6`);
    const { headers, document, excerpt } = reply;
    if (excerpt === '') return 'a refusal has no body';
    const members = document === undefined ? ['no JSON object'] : Object.keys(document.body);
    const type = headers['content-type'] ?? 'no Content-Type';
    return `${type} with ${members.toSorted().join(', ')}`;
  }),
  choice('7.20', async (probe) => {
    const odd = [...(await probe.odd())];
    const told = odd.slice(-1).map(([query, { status }]) => `${query}: ${status}`);
    if (probe.mayWrite) {
      const { title } = probe.own();
      const body = JSON.stringify({ title, content: `Made by ${title}` });
      const headers = { 'content-type': 'text/plain' };
      told.push(`text/plain: ${(await probe.own().post({ body, headers, isOdd: true })).status}`);
      told.push(`broken JSON: ${(await brokenJson(probe)).status}`);
    }
    return told.join('; ');
  }),
  choice('2.28', writing, async (probe) => {
    const { title } = probe.own();
    const unknown = { title, content: `Made by ${title}`, colour: 'red' };
    const told = [
      `a member that is not known: ${(await probe.own().post({ json: unknown, isOdd: true })).status}`,
      `no content: ${(await probe.own().post({ json: { title }, isOdd: true })).status}`,
    ];
    return told.join('; ');
  }),
  choice('4.20', async (probe) => {
    const page = await probe.page(1, 1);
    const { etag } = ((await probe.shown()).at(-1) ?? page).headers;
    const tag = etag === undefined ? 'none' : etag.startsWith('W/') ? 'weak' : 'strong';
    const told = [`HEAD: ${await aboutHead(probe)}`, `ETag: ${tag}`];
    told.push(`Link on a page: ${page.headers['link'] === undefined ? 'no' : 'yes'}`);
    told.push(...(await aboutPosts(probe)));
    return told.join('; ');
  }),
  rule('7.3', async (probe) => {
    await probe.odd();
    const reply = probe.mayWrite ? await brokenJson(probe) : undefined;
    await sendOddly(probe);
    for (const each of probe.wire.replies) {
      requireKnown(each);
      const isFailure = each.isOdd === true && each.status >= 500 && !isApt.has(each.status);
      expectThat(!isFailure, each, 'no failure of the server', String(each.status));
    }
    if (!reply) return;
    expectThat(isMistake(reply), reply, '400 for broken JSON', String(reply.status));
    requireNothingMade(probe.own(), ({ status }) => !isDenied.has(status) && status !== 422);
  }),
  choice('8.1', async ({ wire }) => {
    const slowed = wire.slowed();
    return slowed === 0
      ? `no 429 in ${wire.sent()} requests`
      : `429 in ${slowed} of ${wire.sent()}`;
  }),
];

const isDenied: ReadonlySet<number> = new Set([401, 403]);

/** A word that nobody gave as a token. */
const byUnknown = once((probe): Promise<Reply> => {
  const own = probe.own();
  const headers = { 'x-access-token': 'blogctl-check-unknown' };
  const json = { title: `${own.title}, by a stranger`, content: `Made by ${own.title}` };
  return own.post({ json, headers, anonymous: true, isOdd: true });
});

function requireNothingMade(
  { slips }: ReturnType<Probe['own']>,
  isOne: (reply: Reply) => boolean,
): void {
  const reply = slips.find(isOne);
  if (reply === undefined) return;
  expectThat(false, reply, 'nothing made', `${reply.status}, and an article made all the same`);
}

/** Statuses of failures that are no mistake of the server. */
const isApt = new Set([501, 503, 507]);

/** Statuses of mistakes that the interface has, and that of a body beyond the size that it leaves open (8.1). */
const known = new Set([400, 401, 403, 404, 406, 409, 410, 412, 413, 422, 423, 424, 429]);

function requireKnown(reply: Reply): void {
  const isOther = isMistake(reply) && !known.has(reply.status);
  const why = `${reply.status} is no status of the interface (section 7), which has 400 for all that it does not name`;
  expectThat(!isOther, reply, `400: ${why}`, String(reply.status));
}

/** Beyond 32 bits, between two integers, nothing, two, and no text. */
const oddQueries = ['3000000000', '1.5', '', '1&pageIndex=2', '%zz'].map((at) => `pageIndex=${at}`);

const halfJson = '{"title":';

/** What frameworks and databases fail at where nobody looked before. */
async function sendOddly(probe: Probe): Promise<void> {
  for (const id of ['blogctl', '-1', '99999999999999999999'])
    await probe.send('GET', probe.beneath(id), { isOdd: true });
  for (const query of oddQueries)
    await probe.send('GET', `${probe.collection}?${query}`, { isOdd: true });
  const headers = { accept: 'text/html' };
  await probe.send('GET', probe.blog.request.url, { headers, isOdd: true });
  if (!probe.mayWrite) return;
  const own = probe.own();
  const { url } = await changed(probe);
  const content = `Put by ${own.title}`;
  const texts = [
    { title: own.title, content: `${content} \0` },
    { title: `${own.title} \ud800`, content },
  ].map((each) => JSON.stringify(each));
  const json = { headers: { 'content-type': 'application/json' }, isOdd: true };
  const named = JSON.stringify({ id: 'blogctl', title: own.title, content });
  for (const body of [halfJson, 'null', '[]', '"blogctl"', '', named, ...texts])
    await own.change('PUT', url, { body, ...json });
  for (const body of ['null', '', ...texts]) await own.post({ body, ...json });
}

function brokenJson(probe: Probe): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  return probe.own().post({ body: halfJson, headers, isOdd: true });
}

async function aboutPosts(probe: Probe): Promise<readonly string[]> {
  const inCapitals = { accept: 'APPLICATION/HAL+JSON' };
  const read = await probe.send('GET', probe.blog.request.url, { headers: inCapitals });
  if (!probe.mayWrite) return [`types in capitals: ${read.status}`];
  const own = probe.own();
  const [kept] = own.kept;
  const { reply, url } = kept ?? (await own.make());
  const body = JSON.stringify({ title: own.title, content: `Made by ${own.title}` });
  const headers = { ...inCapitals, 'content-type': 'APPLICATION/JSON' };
  const post = await own.post({ body, headers, isOdd: true });
  const { location } = reply.headers;
  const isThere = location !== undefined && URL.canParse(location, url);
  const leads = isThere && new URL(location, url).href === url ? 'yes' : 'not to the new article';
  return [
    `Location on ${reply.status}: ${location === undefined ? 'no' : leads}`,
    `types in capitals: ${read.status}, ${post.status}`,
    await aboutKeys(probe),
  ];
}

/** A service says on its blog that it knows keys (decisions 38). */
async function aboutKeys(probe: Probe): Promise<string> {
  if (probe.blog.headers['accept-idempotency'] !== 'key') return 'Idempotency-Key: not announced';
  const own = probe.own();
  const headers = { 'idempotency-key': `"${own.title.replaceAll(' ', '-')}"` };
  const json = { title: own.title, content: 'Made once by its key' };
  const [first, again] = [await own.post({ json, headers }), await own.post({ json, headers })];
  const isOne = first.document?.body['id'] === again.document?.body['id'];
  const statuses = `${first.status}, then ${again.status}`;
  const told = isOne ? 'one article' : 'two articles';
  return `the same Idempotency-Key twice: ${succeeded(first) && succeeded(again) ? told : statuses}`;
}

async function aboutHead(probe: Probe): Promise<string> {
  const { url } = probe.blog.request;
  const [head, get] = [
    await probe.send('HEAD', url, { isOdd: true }),
    await probe.send('GET', url),
  ];
  const [length, whole] = [head.headers['content-length'], get.headers['content-length']];
  if (head.status !== 200 || length === whole) return String(head.status);
  if (length === undefined) return `${head.status} without Content-Length`;
  const of = whole === undefined ? 'no Content-Length' : `${whole} bytes`;
  return `${head.status}, with a Content-Length of ${length} bytes where GET has ${of}`;
}
