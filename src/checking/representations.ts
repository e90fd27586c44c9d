import { everyArticle, linksOfArticles } from './listing.ts';
import { articlesOf, type HalDocument, isObject } from '../hal/document.ts';
import { docOf, linksOf } from '../hal/links.ts';
import {
  addressIn,
  isSameId,
  linkOrSkip,
  linksIn,
  type Members,
  parsed,
  rawLink,
  requireAtHome,
  requireCuries,
  requireLink,
  requirePagedTemplate,
} from './addresses.ts';
import { type Check, choice, note, type Probe, rule } from './check.ts';
import { requireOwnSelves } from './listed-pages.ts';
import { changed, put } from './own-articles.ts';
import {
  expectThat,
  halType,
  ifSkipped,
  isJson,
  partOf,
  quoted,
  requireStatus,
  requireType,
  type SentenceNumber,
  shown,
  Skipped,
  succeeded,
} from './outcome.ts';
import { type Extra, NoAnswer, type Reply } from './wire.ts';

type Read = (probe: Probe) => Promise<readonly Reply[]>;

const blog: Read = async (probe) => [probe.blog];

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

/** The sentences about what is shown: sections 1, 2 but for pages, and 9. */
export const representationChecks: readonly Check[] = [
  note('1.1', 'says what there is; the rules below look at it'),
  rule('1.2', async (probe) => {
    const asked = await Promise.allSettled([probe.absent(), probe.shown()]);
    for (const reply of probe.wire.replies) {
      // What creating and deleting answer is labelled by rules of their own.
      const isOwn = ['POST', 'DELETE'].includes(reply.request.method) && succeeded(reply);
      if (!isOwn && reply.excerpt !== '') requireType(reply);
      const got = quoted(reply.excerpt);
      expectThat(isJson(reply), reply, 'JSON (RFC 8259)', reply.defect ?? got);
    }
    // What has no answer is told by other rules, but a service that died meanwhile ends the run.
    const isLost = asked.some((each) => 'reason' in each && each.reason instanceof NoAnswer);
    if (isLost && !probe.wire.isEnded()) await probe.send('GET', probe.blog.request.url);
  }),
  rule('1.3', { needs: ['5.2'] }, async (probe) => {
    const headers = { accept: 'image/png' };
    const replies = await probe.shown();
    for (const { request } of replies.filter(succeeded))
      requireStatus(await probe.send('GET', request.url, { headers }), 406);
    const anything = { headers: { accept: '*/*' } };
    const any = await probe.send('GET', probe.blog.request.url, anything);
    expectThat(any.status !== 406, any, `${halType}, which is one of */*`, '406');
    const reply = await putInto(probe, { content: 'Put for a picture' }, headers);
    if (reply !== undefined) requireStatus(reply, 406);
    return partOf(replies);
  }),
  note('1.4', 'is for clients; 7.20 tells what becomes of other types'),
  rule('1.5', async (probe) => {
    const page = await probe.page(1, 1);
    for (const reply of await probe.shown()) {
      if (reply !== page && succeeded(reply)) requireLinks(reply, reply.document);
    }
    for (const each of [page, await probe.page()])
      for (const [at, listed] of articlesOf(shown(each, '4.14')).entries())
        requireLinks(each, listed, ` in article ${at + 1} of the page`);
    return partOf(await probe.shown());
  }),
  rule('1.6', async ({ wire }) => {
    for (const reply of wire.replies) {
      const cookie = reply.headers['set-cookie'];
      expectThat(cookie === undefined, reply, 'no Set-Cookie', 'Set-Cookie');
    }
  }),
  rule('1.7', { needs: ['2.5'] }, async (probe) => {
    const self = linkOrSkip(probe.blog, 'self', '2.5');
    const articlesLink = linkOrSkip(probe.blog, 'doc:articles', '2.6');
    const { pathname } = parsed(probe.blog, self);
    const isOne = /\/blogs\/[^/]+$/.test(pathname);
    expectThat(isOne, probe.blog, '/blogs/{blog_id}', pathname);
    const { id: told } = probe.blog.document?.body ?? {};
    const name = pathname.split('/').at(-1) ?? '';
    // That it is no integer is told by 2.1; a name that is none may stand for one.
    const isIt = !/^\d+$/.test(name) || !Number.isInteger(told) || isSameId(told, name);
    expectThat(isIt, probe.blog, `id: ${name}, as its self has it`, quoted(told));
    const beneath = `${pathname.replace(/^.*\/blogs/, '/blogs')}/articles`;
    requirePath(probe.blog, articlesLink, beneath, '/blogs/{blog_id}/articles');
    const [, , reply] = await probe.shown();
    if (reply === undefined) return partOf([]);
    const where = linkOrSkip(reply, 'self', '2.11');
    const id = parsed(reply, where).pathname.split('/').at(-1) || '{article_id}';
    requirePath(reply, where, `${beneath}/${id}`, '/blogs/{blog_id}/articles/{article_id}');
    return undefined;
  }),
  ofLinks('1.8', (reply, { rel, href }) => {
    const isName = /^(?:[a-z][a-zA-Z0-9]*|[\w-]+:\S+)$/.test(rel);
    expectThat(isName, reply, 'relations in lowerCamelCase', quoted(rel));
    const { pathname } = parsed(reply, href.replace(/\{.*$/, ''));
    expectThat(!/[A-Z_]/.test(pathname), reply, 'lower-case words in paths', quoted(pathname));
  }),
  member('2.1', blog, 'id', Number.isInteger, 'an integer'),
  member('2.2', blog, 'title', isText, 'a string'),
  member('2.3', blog, 'description', isText, 'a string'),
  rule('2.4', async (probe) => requireCuries(probe.blog)),
  rule('2.5', async (probe) => requireLeadsBack(probe, probe.blog)),
  rule('2.6', async (probe) => {
    requirePagedTemplate(probe.blog, 'doc:articles');
    await requireAtHome(probe, probe.collection);
  }),
  member('2.7', everyArticle, 'id', Number.isInteger, 'an integer'),
  member('2.8', everyArticle, 'title', isText, 'a string'),
  member('2.9', everyArticle, 'content', isTextOrAbsent, 'a string, or nothing'),
  rule('2.10', async (probe) => {
    for (const [at, reply] of (await everyArticle(probe)).entries()) {
      // That a listed one lacks them is told by 2.26.
      if (at > 0 && !Object.hasOwn(linksIn(reply.document?.body ?? {}), 'curies')) continue;
      requireCuries(reply);
      const [wanted, got] = [
        docOf(probe.blog.document) ?? docOf(reply.document),
        docOf(reply.document),
      ].map((doc) => doc?.['href']);
      expectThat(wanted === got, reply, `doc to ${quoted(wanted)}, as on the blog`, quoted(got));
    }
  }),
  rule('2.11', async (probe) => {
    await requireLeadsBack(probe, await probe.article());
    await requireOwnSelves(probe);
  }),
  rule('2.12', async (probe) => {
    const asked = probe.blog.request.url;
    const wanted = [addressIn(probe.blog, rawLink(probe.blog, 'self') ?? { href: asked }), asked];
    const title = probe.blog.document?.body['title'];
    for (const [reply, link] of await linksOfArticles(probe, 'doc:blog')) {
      const got = addressIn(reply, link);
      expectThat(wanted.includes(got), reply, `doc:blog to ${wanted[0]}`, got);
      if (!isText(title)) throw new Skipped('the blog has no title, see 2.2');
      expectThat(link['title'] === title, reply, `title ${quoted(title)}`, quoted(link['title']));
    }
  }),
  rule('2.13', async (probe) => {
    const ids = new Map<string, string>();
    for (const [reply, link] of await linksOfArticles(probe, 'doc:comments')) {
      requirePagedTemplate(reply, 'doc:comments');
      const url = addressIn(reply, link);
      const id = quoted(reply.document?.body['id']).replaceAll('"', '');
      const other = ids.get(url) ?? id;
      const told = `${String(link['href'])}, as of ${other}`;
      expectThat(other === id, reply, `comments of article ${id} alone`, told);
      ids.set(url, id);
    }
    const reply = await probe.article();
    await requireAtHome(probe, parsed(reply, linkOrSkip(reply, 'doc:comments', '2.13')).href);
  }),
  choice('2.27', async (probe) => {
    const reply = await probe.article();
    const { href: url } = parsed(reply, linkOrSkip(reply, 'doc:comments', '2.13'));
    return `GET of the comments: ${(await probe.send('GET', url)).status}`;
  }),
  rule('9.1', async (probe) => {
    const self = linkOrSkip(probe.blog, 'self', '2.5');
    const { pathname } = parsed(probe.blog, self);
    expectThat(pathname.includes('/api/v1.2/blogs'), probe.blog, '/api/v1.2/blogs', pathname);
  }),
  note('9.2', 'promises nothing that could be looked at'),
  ofLinks('9.3', (reply, { rel, href }) => {
    const isWhole = /^https?:\/\/[^/]/i.test(href);
    expectThat(isWhole, reply, `a whole address in ${rel}`, quoted(href));
  }),
  note('9.4', 'cannot be seen from outside'),
];

function member(
  number: SentenceNumber,
  read: Read,
  name: string,
  isRight: (value: unknown) => boolean,
  wanted: string,
): Check {
  return rule(number, async (probe) => {
    const look = (reply: Reply) => {
      const value = shown(reply, read === blog ? '4.11' : '4.13').body[name];
      expectThat(isRight(value), reply, `${name}: ${wanted}`, quoted(value));
    };
    for (const reply of await read(probe)) look(reply);
    if (read === blog || name === 'id') return;
    // Where a number is taken for it, it is shown as a text.
    const reply = await putInto(probe, { [name]: 7 });
    if (reply && succeeded(reply))
      look({ ...(await probe.send('GET', reply.request.url)), after: reply });
  });
}

/** A PUT that may be refused, where changes are allowed; the name of the run stays in it. */
async function putInto(probe: Probe, members: Members, headers: Extra['headers'] = {}) {
  const own = probe.mayWrite ? await changed(probe).catch(ifSkipped) : undefined;
  if (own === undefined) return undefined;
  const { title } = probe.own();
  const json = { title, content: `Put by ${title}`, ...members };
  return probe.own().change('PUT', own.url, { json, headers, isOdd: true });
}

type LookAtLink = (reply: Reply, link: ReturnType<typeof linksOf>[number]) => void;

/** A rule about each link of all that is shown, and of what is answered to changes. */
function ofLinks(number: SentenceNumber, look: LookAtLink): Check {
  return rule(number, async (probe) => {
    const replies = await probe.shown();
    const [own] = probe.mayWrite ? probe.own().kept : [];
    const changes = own ? [own.reply, (await put(probe).catch(ifSkipped))?.reply] : [];
    const listed = replies.length < 3 ? [] : await everyArticle(probe);
    for (const reply of [...replies, ...listed, ...changes])
      if (reply?.document) for (const link of linksOf(reply.document)) look(reply, link);
    return partOf(replies);
  });
}

function requireLinks(reply: Reply, document: HalDocument | undefined, where = ''): void {
  const got = document?.body['_links'];
  expectThat(document === undefined || isObject(got), reply, `_links${where}`, quoted(got));
}

function requirePath(reply: Reply, href: string, path: string, wanted: string): void {
  const { pathname } = parsed(reply, href);
  expectThat(pathname.endsWith(path), reply, wanted, pathname);
}

async function requireLeadsBack(probe: Probe, reply: Reply): Promise<void> {
  const { id } = shown(reply, '4.13').body;
  const url = addressIn(reply, requireLink(reply, 'self'));
  if (url === reply.request.url) return;
  expectThat(URL.canParse(url), reply, 'self with an address', quoted(url));
  const there = await probe.send('GET', url);
  const got = there.document?.body['id'];
  const told = `${there.status}, id ${quoted(got)}`;
  expectThat(got === id, there, `id ${quoted(id)} behind self`, told);
}
