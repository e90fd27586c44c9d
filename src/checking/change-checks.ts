import { isObject } from '../hal/document.ts';
import { placesOf } from './addresses.ts';
import { type Check, choice, note, rule } from './check.ts';
import { reader, readListing } from './listing.ts';
import { created, deleted, made, put, replaced, signs, text } from './own-articles.ts';
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
import type { Reply } from './wire.ts';

/** The sentences about creating, replacing and deleting, and what the endpoints answer. */
export const changeChecks: readonly Check[] = [
  note('3.1', 'cannot be seen from outside'),
  rule(
    '3.2',
    async (probe) => {
      const creation = await created(probe);
      const { body } = shown(creation, '4.12');
      const { id } = body;
      // Where its self says that it is, or where it would be, had that its name.
      const places = linksIn(body)['self']
        ? [probe.addressOf({ url: probe.collection, body })]
        : [];
      if (Number.isInteger(id)) places.push(probe.beneath(Number(id)));
      const [first, second] = new Set(places);
      if (first === undefined) throw new Skipped('it has no name, see 4.12');
      let now = { ...(await probe.send('GET', first)), after: creation };
      if (second !== undefined && !isAddressed(body) && now.document?.body['id'] !== id) {
        const other = await probe.send('GET', second);
        if (succeeded(other)) now = { ...other, after: creation };
      }
      if (isRefused(now)) throw new Skipped(`the article is not shown (${now.status}), see 5.2`);
      if (!succeeded(now)) requireStatus(now, 200);
      const { title, content } = shown(now, '4.13').body;
      const sent = { title: `${probe.own().title} ${signs}`, content: text };
      requireMembers(now, sent, { title, content });
    },
    { writes: true },
  ),
  rule(
    '4.1',
    async (probe) => {
      const { reply } = await made(probe);
      requireType(reply);
      const id = reply.document?.body['id'];
      expectThat(Number.isInteger(id), reply, 'id: an integer', quoted(id));
    },
    { writes: true, needs: ['2.7'] },
  ),
  rule(
    '4.3',
    async (probe) => {
      const own = probe.own();
      const { url } = await replaced(probe);
      const id = shown(await probe.send('GET', url), '4.13').body['id'];
      const json = { id: 7_777_777, title: `${own.title}, again`, content: 'Replaced again' };
      const reply = await own.change('PUT', url, { json });
      if (!succeeded(reply)) expectThat(false, reply, 'the id ignored', String(reply.status));
      const { id: told = id } = reply.document?.body ?? {};
      expectThat(told === id, reply, `id: ${quoted(id)}`, quoted(told));
      const now = { ...(await probe.send('GET', url)), after: reply };
      const { id: kept, title, content } = shown(now, '4.13').body;
      requireMembers(now, { ...json, id }, { id: kept, title, content });
    },
    { writes: true },
  ),
  rule(
    '4.4',
    async (probe) => {
      const own = probe.own();
      await replaced(probe);
      // Not that of 4.3, which may have moved it.
      const { url } = await made(probe);
      const json = { title: `${own.title}, alone` };
      const reply = await own.change('PUT', url, { json });
      if (!succeeded(reply)) expectThat(false, reply, '200', String(reply.status));
      const now = { ...(await probe.send('GET', url)), after: reply };
      const { body } = shown(now, '4.13');
      if (typeof body['title'] === 'string' && body['title'] !== json.title) throw lacking('4.3');
      const isGone = !Object.hasOwn(body, 'content');
      expectThat(isGone, now, 'no content', `content: ${quoted(body['content'])}`);
    },
    { writes: true, needs: ['2.9'] },
  ),
  rule(
    '4.5',
    async (probe) => {
      const { reply, now } = await replaced(probe);
      const [answered, stored] = [reply.document?.body ?? {}, shown(now, '4.13').body];
      for (const [name, value] of Object.entries(stored)) {
        // What becomes of other members is left open (2.28).
        if (!texts.has(name) || !hasItsType(name, value)) continue;
        const isSame = quoted(answered[name]) === quoted(stored[name]);
        expectThat(isSame, reply, `${name}: ${quoted(stored[name])}`, quoted(answered[name]));
      }
      const [own, all] = [Object.keys(linksIn(answered)), Object.keys(linksIn(stored))];
      const missing = all.filter((rel) => !own.includes(rel));
      expectThat(missing.length === 0, reply, `links ${all.join()}`, `no ${missing.join()}`);
    },
    { writes: true },
  ),
  note('4.6', 'is looked at by 7.6 and 7.9'),
  choice(
    '4.7',
    async (probe) => {
      const { url } = await made(probe);
      const json = { title: probe.own().title };
      return `PATCH: ${(await probe.own().change('PATCH', url, { json, isOdd: true })).status}`;
    },
    { writes: true },
  ),
  rule('4.11', async ({ blog }) => {
    requireStatus(blog, 200);
    return wayOf(blog);
  }),
  rule(
    '4.12',
    async (probe) => {
      const reply = await created(probe);
      requireStatus(probe.own().creations.find(({ status }) => status === 500) ?? reply, 201);
      const body = reply.document?.body ?? {};
      const name = Number.isInteger(body['id']) ? Number(body['id']) : '<id>';
      const told = quoted(linksIn(body)['self']);
      expectThat(isAddressed(body), reply, `self that ends in /${name}`, told);
      const { articles } = await readListing(reader(probe.send, probe));
      const alike = articles.filter((each) => String(each.body['title']).endsWith(` ${signs}`));
      const ours = alike.filter((each) => String(each.body['title']).startsWith(probe.own().title));
      expectThat(ours.length < 2, reply, 'one new article', `${ours.length} of that title`);
      const self = probe.addressOf({ url: probe.collection, body });
      if (ours.some((each) => placesOf(each, probe).includes(self)) || ours.length === 0) return;
      const there = await probe.send('GET', self);
      const { id, title } = there.document?.body ?? {};
      const isTitled = succeeded(there) && typeof title === 'string';
      const isOurs = !isTitled || isNamed(there.document, probe.own().title);
      const got = `that of article ${quoted(id)}, ${quoted(title)}`;
      expectThat(isOurs, reply, 'self of the new article', got);
    },
    { writes: true },
  ),
  rule('4.13', async (probe) => requireShown(await probe.article())),
  rule('4.14', async (probe) => requireShown(await probe.page(1, 1))),
  rule('4.15', async (probe) => requireStatus((await put(probe)).reply, 200), { writes: true }),
  rule(
    '4.16',
    async (probe) => {
      const { reply } = await deleted(probe);
      requireStatus(reply, 204);
      requireType(reply);
    },
    { writes: true },
  ),
  note('4.17', 'to try it would change the blog itself'),
  rule(
    '2.14',
    async (probe) => {
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
    },
    { writes: true },
  ),
  rule(
    '7.9',
    async (probe) => {
      const { url, reply } = await deleted(probe);
      if (!succeeded(reply)) throw new Skipped(`DELETE is answered ${reply.status}, see 4.16`);
      requireStatus({ ...(await probe.send('GET', url)), after: reply }, 410);
      // It may want a condition that nothing is there for.
      if (probe.own().isGuarded) return 'only the read was tried';
      const json = { title: probe.own().title, content: 'Put where one was deleted' };
      for (const [method, extra] of [
        ['DELETE', {}],
        ['PUT', { json }],
      ] as const)
        requireStatus({ ...(await probe.own().change(method, url, extra)), after: reply }, 410);
      return undefined;
    },
    { writes: true, needs: ['5.2'] },
  ),
];

const texts: ReadonlySet<string> = new Set(['id', 'title', 'content']);

type Members = Readonly<Record<string, unknown>>;

/** All of them, by their names, where any of them is another one. */
function requireMembers(reply: Reply, wanted: Members, got: Members): void {
  const names = Object.keys(wanted).filter((name) => hasItsType(name, got[name]));
  const isSame = names.every((name) => got[name] === wanted[name]);
  const told = (body: Members) => names.map((name) => `${name}: ${quoted(body[name])}`).join(', ');
  expectThat(isSame, reply, told(wanted), told(got));
}

/** Whether the self of a new article ends in its id, or in a name where it tells no id. */
function isAddressed(body: Members): boolean {
  const self = linksIn(body)['self'];
  const href = isObject(self) ? String(self['href']) : '';
  const name = Number.isInteger(body['id']) ? Number(body['id']) : href.split('/').at(-1);
  return href !== '' && name !== '' && href.endsWith(`/${name}`);
}

function linksIn({ _links: links }: Members): Members {
  return isObject(links) ? links : {};
}
