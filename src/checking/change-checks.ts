import { isObject } from '../hal/document.ts';
import {
  addressIn,
  idAt,
  isAddressed,
  isSameId,
  linksIn,
  type Members,
  placeOf,
  placesOf,
} from './addresses.ts';
import { type Check, choice, note, once, type Probe, rule, writing } from './check.ts';
import { requireAway } from './effects.ts';
import { long, reader, readListing, signs, text } from './listing.ts';
import { put } from './own-articles.ts';
import {
  expectThat,
  hasItsType,
  isNamed,
  isRefused,
  lacking,
  quoted,
  requireShown,
  requireStatus,
  requireType,
  shown,
  Skipped,
  succeeded,
  wayOf,
} from './outcome.ts';
import type { Kept, Own, Reply } from './wire.ts';

/** The sentences about creating, replacing and deleting, and what the endpoints answer. */
export const changeChecks: readonly Check[] = [
  note('3.1', 'cannot be seen from outside'),
  rule('3.2', writing, async (probe) => {
    const creation = await created(probe);
    const { body } = shown(creation, '4.12');
    // Where its self says that it is, or where it would be, had that its name.
    const [first, second] = new Set(placesOf({ url: probe.collection, body }, probe));
    if (first === undefined) throw new Skipped('it has no name, see 4.12');
    let now = { ...(await probe.send('GET', first)), after: creation };
    if (second !== undefined && !isAddressed(body) && now.document?.body['id'] !== body['id']) {
      const other = await probe.send('GET', second);
      if (succeeded(other)) now = { ...other, after: creation };
    }
    if (isRefused(now)) throw new Skipped(`the article is not shown (${now.status}), see 5.2`);
    requireMembers(now, { title: `${probe.own().title} ${signs}`, content: text });
    const json = { title: probe.own().title, content: '' };
    const empty = await probe.own().post({ json, isOdd: true });
    for (const reply of [empty, ...(await longOnes(probe))]) await requireTaken(probe, reply);
  }),
  rule('4.1', { ...writing, needs: ['2.7'] }, async (probe) => {
    const { reply } = await made(probe);
    requireType(reply);
    const id = reply.document?.body['id'];
    expectThat(Number.isInteger(id), reply, 'id: an integer', quoted(id));
    const own = probe.own();
    const { url, now } = await bystander(probe);
    const json = { id: idAt(now), title: own.title, content: `Made beside it by ${own.title}` };
    const beside = await own.post({ json, isOdd: true });
    const isNew = !succeeded(beside) || !isSameId(beside.document?.body['id'], json.id);
    expectThat(isNew, beside, `another id than ${quoted(json.id)}`, quoted(json.id));
    requireMembers({ ...(await probe.send('GET', url)), after: beside }, shown(now, '4.13').body);
  }),
  rule('4.3', writing, async (probe) => {
    const own = probe.own();
    const { url, now } = await replaced(probe);
    const { id } = shown(now, '4.13').body;
    const [title, content] = [`${own.title} ${signs}, again`, `Replaced again ${text}`];
    const other = (await bystander(probe)).url;
    const before = await probe.send('GET', other);
    const json = { id: idAt(before), title, content };
    const reply = await own.change('PUT', url, { json });
    expectThat(succeeded(reply), reply, 'the id ignored', String(reply.status));
    const { id: told = id } = reply.document?.body ?? {};
    expectThat(isSameId(told, id), reply, `id: ${quoted(id)}`, quoted(told));
    requireMembers({ ...(await probe.send('GET', url)), after: reply }, { ...json, id });
    requireMembers(
      { ...(await probe.send('GET', other)), after: reply },
      shown(before, '4.13').body,
    );
    const odd = { title, content: `${content} ${long.content}` };
    const taken = await own.change('PUT', url, { json: odd, isOdd: true });
    if (succeeded(taken)) requireMembers({ ...(await probe.send('GET', url)), after: taken }, odd);
  }),
  rule('4.4', { ...writing, needs: ['2.9'] }, async (probe) => {
    const { reply, now } = await emptied(probe);
    if (!succeeded(reply)) expectThat(false, reply, '200', String(reply.status));
    const { body } = shown(now, '4.13');
    const isMade = String(body['title']).endsWith(', alone');
    if (typeof body['title'] === 'string' && !isMade) throw lacking('4.3');
    const isGone = !Object.hasOwn(body, 'content');
    expectThat(isGone, now, 'no content', `content: ${quoted(body['content'])}`);
  }),
  rule('4.5', writing, async (probe) => {
    const { reply, now } = await replaced(probe);
    requireTold(reply, now, ['id', 'title', 'content']);
    const empty = await emptied(probe);
    if (succeeded(empty.reply)) requireTold(empty.reply, empty.now, ['title', 'content']);
  }),
  note('4.6', 'is looked at by 7.6 and 7.9'),
  choice('4.7', writing, async (probe) => {
    const { url } = await made(probe);
    const json = { title: probe.own().title };
    return `PATCH: ${(await probe.own().change('PATCH', url, { json, isOdd: true })).status}`;
  }),
  rule('4.11', async ({ blog }) => {
    requireStatus(blog, 200);
    return wayOf(blog);
  }),
  rule('4.12', writing, async (probe) => {
    const reply = await created(probe);
    requireStatus(probe.own().creations.find((each) => !succeeded(each)) ?? reply, 201);
    const body = reply.document?.body ?? {};
    const name = Number.isInteger(body['id']) ? Number(body['id']) : '<id>';
    const told = quoted(linksIn(body)['self']);
    expectThat(isAddressed(body), reply, `self that ends in /${name}`, told);
    const { articles } = await readListing(reader(probe.send, probe));
    const alike = articles.filter((each) => String(each.body['title']).endsWith(` ${signs}`));
    const ours = alike.filter((each) => String(each.body['title']).startsWith(probe.own().title));
    expectThat(ours.length < 2, reply, 'one new article', `${ours.length} of that title`);
    const self = probe.addressOf({ url: probe.collection, body });
    const isListed = ours.some((each) => placesOf(each, probe).includes(self));
    const there = await probe.send('GET', self);
    const { id, title } = there.document?.body ?? {};
    const isTitled = succeeded(there) && typeof title === 'string';
    const isNew = isNamed(there.document, probe.own().title);
    const got = `that of article ${quoted(id)}, ${quoted(title)}`;
    if (!isListed && ours.length > 0)
      expectThat(!isTitled || isNew, reply, 'self of the new article', got);
    if (isNew) requireTold(reply, there, ['title', 'content']);
  }),
  rule('4.13', async (probe) => requireShown(await probe.article())),
  rule('4.14', async (probe) => requireShown(await probe.page(1, 1))),
  rule('4.15', writing, async (probe) => requireStatus((await put(probe)).reply, 200)),
  rule('4.16', writing, async (probe) => {
    const { reply } = await deleted(probe);
    requireStatus(reply, 204);
    requireType(reply);
  }),
  note('4.17', 'to try it would change the blog itself'),
  rule('7.9', { ...writing, needs: ['5.2'] }, async (probe) => {
    const { url, reply, creation } = await deleted(probe);
    if (!succeeded(reply)) throw new Skipped(`DELETE is answered ${reply.status}, see 4.16`);
    await requireAway(probe, reply);
    const { etag } = creation.headers;
    // That one tag is that of all is told by 4.9.
    if (etag !== undefined && probe.own().kept[0]?.reply.headers['etag'] !== etag)
      await requireAway(probe, reply, { headers: { 'if-none-match': etag } });
    const isOurs = ({ request, isAnonymous }: Reply) =>
      request.method === 'DELETE' && !isAnonymous && probe.own().made.has(request.url);
    for (const after of probe.wire.replies.filter((each) => isOurs(each) && succeeded(each)))
      await requireAway(probe, after);
    // It may want a condition that nothing is there for.
    if (probe.own().isGuarded) return 'only the read was tried';
    const json = { title: probe.own().title, content: 'Put where one was deleted' };
    for (const [method, extra] of [
      ['DELETE', {}],
      ['PUT', { json }],
    ] as const) {
      const now = await probe.own().changeNothing('7.9', method, url, extra);
      requireStatus({ ...now, after: reply }, 410);
    }
    return undefined;
  }),
];

/** What is read after a change: all of them, by their names, where any of them is another one. */
function requireMembers(now: Reply, wanted: Members): void {
  if (!succeeded(now)) requireStatus(now, 200);
  const got = shown(now, '4.13').body;
  const known = ['id', 'title', 'content'].filter((name) => Object.hasOwn(wanted, name));
  const names = known.filter((name) => hasItsType(name, got[name]));
  const isSame = names.every((name) => got[name] === wanted[name]);
  const told = (body: Members) => names.map((name) => `${name}: ${quoted(body[name])}`).join(', ');
  expectThat(isSame, now, told(wanted), told(got));
}

/** What an answer to a change tells of an article is what is read of it then. */
function requireTold(reply: Reply, now: Reply, names: readonly string[]): void {
  const [answered, { body: stored }] = [reply.document?.body ?? {}, shown(now, '4.13')];
  for (const name of names.filter((each) => hasItsType(each, stored[each]))) {
    const [wanted, got] = [quoted(stored[name]), quoted(answered[name])];
    const isSame = name === 'id' && !Number.isInteger(stored[name]) ? isSameId : Object.is;
    expectThat(isSame(stored[name], answered[name]), reply, `${name}: ${wanted}`, got);
  }
  const [own, all] = [linksIn(answered), linksIn(stored)];
  const missing = Object.keys(all).filter((rel) => !Object.hasOwn(own, rel));
  const links = Object.keys(all).join();
  expectThat(missing.length === 0, reply, `links ${links}`, `no ${missing.join()}`);
  for (const rel of ['self', 'doc:blog']) {
    const [wanted, got] = [all[rel], own[rel]].map((link) => (isObject(link) ? link : undefined));
    if (!wanted || !got) continue;
    const isSame = addressIn(now, wanted) === addressIn(reply, got);
    expectThat(isSame, reply, `${rel} to ${addressIn(now, wanted)}`, addressIn(reply, got));
  }
}

/** Which texts are taken is left open (2.28): what is taken can be read. */
async function requireTaken(probe: Probe, reply: Reply): Promise<void> {
  const place = succeeded(reply) ? placeOf(reply, probe) : undefined;
  if (place === undefined) return;
  const now = { ...(await probe.send('GET', place)), after: reply };
  // Where it is told to be another one may be, see 4.12.
  if (isSameId(now.document?.body['id'], reply.document?.body['id']))
    requireMembers(now, JSON.parse(String(reply.request.body)));
}

export const longOnes = once(async (probe): Promise<readonly Reply[]> => {
  const own = probe.own();
  const content = `Made by ${own.title}`;
  const titled = { title: `${own.title} ${long.title}`, content };
  const first = await own.post({ json: titled, isOdd: true });
  const told = { title: own.title, content: `${content} ${long.content}` };
  return [first, await own.post({ json: told, isOdd: true })];
});

const created = once((probe): Promise<Reply> => {
  return probe.own().create({ title: `${probe.own().title} ${signs}`, content: text });
});

const made = once((probe): Promise<Own> => probe.own().make(text));

/** One whose id is sent in what is about other articles. */
const bystander = once((probe) => probe.own().make());

/** A PUT that was carried out, and the article as it is then. */
const replaced = once(async (probe): Promise<Kept> => {
  const { url, reply } = await put(probe);
  if (!succeeded(reply)) throw new Skipped(`PUT is answered ${reply.status}, see 4.15`);
  return { url, reply, now: await probe.send('GET', url) };
});

/** A PUT without content, and the article as it is then. */
const emptied = once(async (probe): Promise<Kept> => {
  await replaced(probe);
  // Not that of 4.3, which may have moved it.
  const { url } = await made(probe);
  const json = { title: `${probe.own().title}, alone` };
  const reply = await probe.own().change('PUT', url, { json });
  return { url, reply, now: { ...(await probe.send('GET', url)), after: reply } };
});

const deleted = once(async (probe): Promise<Own & { readonly creation: Reply }> => {
  const { url, reply: creation } = await probe.own().make();
  return { url, creation, reply: await probe.own().change('DELETE', url) };
});
