import { addressNear, missingBlog, refusal } from '../client/refusals.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import { type HalDocument, isObject } from '../hal/document.ts';
import { docOf, findLink, linksOf, targetOf } from '../hal/links.ts';
import type { Transport } from '../http/transport.ts';
import {
  expectThat,
  isRefused,
  quoted,
  type SentenceNumber,
  shown,
  Skipped,
  succeeded,
} from './outcome.ts';
import { NoAnswer, type Reply, type Send, type SentRequest, type Wire } from './wire.ts';

export type Addresses = {
  /** The origin of the blog. */
  readonly home: string;
  readonly collection: string;
  /** The address of an article: its self link, where that leads to the blog's own origin. */
  readonly addressOf: (article: HalDocument) => string;
  readonly beneath: (id: number | string) => string;
};

export function addressesOf(blog: HalDocument): Addresses {
  const collection = collectionOf(blog);
  const { origin } = new URL(collection);
  const beneath = (id: number | string) => {
    const url = new URL(collection);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(id)}`;
    url.search = '';
    return url.href;
  };
  const addressOf = (article: HalDocument) => {
    const self = findLink(article, 'self');
    const isAddress = self !== undefined && URL.canParse(self.href, article.url);
    const url = isAddress ? targetOf(article, self) : undefined;
    if (url !== undefined && new URL(url).origin === origin) return url;
    const { id } = article.body;
    if (typeof id === 'number' || typeof id === 'string') return beneath(id);
    throw new Skipped('the article has neither an id nor a self link');
  };
  return { home: new URL(blog.url).origin, collection, addressOf, beneath };
}

function collectionOf(blog: HalDocument): string {
  const beneathBlog = `${new URL(blog.url).pathname.replace(/\/$/, '')}/articles`;
  const linked = findLink(blog, 'doc:articles')?.href.replace(/\{[^}]*\}$/, '') ?? beneathBlog;
  return new URL(URL.canParse(linked, blog.url) ? linked : beneathBlog, blog.url).href;
}

/** Where a listed article is, as its self says and as its id does. */
export function placesOf(
  article: HalDocument,
  { addressOf, beneath }: Addresses,
): readonly string[] {
  const { id } = article.body;
  const byId = typeof id === 'number' || typeof id === 'string' ? [beneath(id)] : [];
  return findLink(article, 'self') ? [addressOf(article), ...byId] : byId;
}

/** Where an article is by the answer to its creation. */
export function placeOf(reply: Reply, { addressOf }: Addresses): string | undefined {
  const { document, headers, request } = reply;
  const hasName = document && (findLink(document, 'self') || document.body['id'] !== undefined);
  if (hasName) return addressOf(document);
  const { location = '' } = headers;
  const isPlace = location !== '' && URL.canParse(location, request.url);
  return isPlace ? new URL(location, request.url).href : undefined;
}

type From = { readonly home: string; readonly send: Send };

/** What is on another origin is asked for only where the user allows it. */
export async function requireAtHome({ home, send }: From, url: string): Promise<void> {
  if (new URL(url).origin !== home) await send('GET', url);
}

/** Ids that hardly a blog has come to: among the highest that a column of 32 bits can hold. */
export const unlikelyIds = [1, 2, 3].map((below) => 2_147_483_647 - below);

/**
 * Looks for an id without an article: whatever id one takes, a blog may have it. What answers is no
 * article there unless it says so itself, whatever its status.
 */
export async function readAbsent(send: Send, { beneath }: Addresses) {
  for (const id of unlikelyIds) {
    const reply = await send('GET', beneath(id));
    if (!showsArticle(reply, id)) return reply;
  }
  throw new Skipped(`there are articles even at ${unlikelyIds.join(', ')}`);
}

function showsArticle(reply: Reply, id: number): boolean {
  const { document, request } = reply;
  if (!succeeded(reply) || document === undefined) return false;
  const { id: told } = document.body;
  if (told !== undefined) return told === id || told === String(id);
  const self = findLink(document, 'self');
  const isAddress = self !== undefined && URL.canParse(self.href, document.url);
  return isAddress && targetOf(document, self) === request.url;
}

export function requireCuries(reply: Reply): void {
  const { _links: links, curies: beside } = shown(reply, '4.13').body;
  if (!isObject(links)) throw new Skipped('there are no _links, see 1.5');
  const { curies } = links;
  const got = curies === undefined && beside !== undefined ? 'them beside _links' : quoted(curies);
  const isRight = docOf(reply.document) !== undefined;
  expectThat(isRight, reply, 'curies in _links with doc, {rel} and templated: true', got);
}

/** What is asked of an article, beside reading it. */
const changing: Readonly<Record<string, SentenceNumber>> = { PUT: '4.15', DELETE: '4.16' };

/** The rule that asks for what many others ask for too; of articles elsewhere, that of the link to them. */
export function ruleOf(
  { request: { method, url } }: SentRequest,
  { collection, beneath, home }: Addresses,
): SentenceNumber | undefined {
  const [{ origin, pathname: own }, { pathname }] = [new URL(collection), new URL(url)];
  const isBeneath = pathname.startsWith(`${own}/`);
  if (pathname !== own && !isBeneath) return undefined;
  if (origin !== home) return '2.6';
  if (unlikelyIds.some((id) => url === beneath(id))) return '7.6';
  if (method === 'GET') return isBeneath ? '4.13' : '4.14';
  return isBeneath ? changing[method] : method === 'POST' ? '4.12' : undefined;
}

/** Reads the blog; an answer that is none of a blog is the error that every command ends with. */
export async function readBlog(wire: Wire, transport: Transport, url: string): Promise<Reply> {
  const request = { method: 'GET', url, headers: { accept: 'application/hal+json' } };
  const reply = await wire
    .send(transport, request, { isAnonymous: true })
    .catch((error: unknown) => {
      throw error instanceof NoAnswer ? error.failure : error;
    });
  const { document, status } = reply;
  // That it wants a token is told by 5.2.
  if (isRefused(reply)) return reply;
  if (!succeeded(reply)) {
    const refused = { status, headers: reply.headers, body: new Uint8Array() };
    throw missingBlog(refusal(request, refused), url);
  }
  if (document !== undefined && isBlog(document)) return reply;
  const type = reply.headers['content-type'] ?? 'nothing that is labelled';
  const body = reply.excerpt === '' ? 'nothing' : 'no JSON object';
  const other = type.includes('json') ? `labelled ${type}, and ${reply.defect ?? body}` : type;
  const what = document === undefined ? other : 'JSON that shows no blog';
  throw new BlogctlError('broken-contract', `What answers at ${url} is no blog: ${what}.`, {
    url,
    hint: hintOf(document, url),
  });
}

function isBlog({ body }: HalDocument): boolean {
  const links = isObject(body['_links']) ? body['_links'] : {};
  if (Object.hasOwn(links, 'doc:articles')) return true;
  const isOther = Object.hasOwn(links, 'doc:blog') || Object.hasOwn(body, 'pageIndex');
  return !isOther && Object.hasOwn(body, 'title') && Object.hasOwn(body, 'id');
}

function hintOf(document: HalDocument | undefined, url: string): Hint {
  const link = document && findLink(document, 'doc:blog');
  const isOne = link !== undefined && !link.templated && URL.canParse(link.href, url);
  return document && isOne ? `Try ${targetOf(document, link)} instead.` : addressNear(url);
}

export type Members = Readonly<Record<string, unknown>>;

export function rawLink(reply: Reply, rel: string): Members | undefined {
  const { _links: links } = shown(reply, '4.13').body;
  if (!isObject(links)) throw new Skipped('there are no _links, see 1.5');
  const link = links[rel];
  return isObject(link) && typeof link['href'] === 'string' ? link : undefined;
}

export function requireLink(reply: Reply, rel: string): Members {
  const link = rawLink(reply, rel);
  if (link !== undefined) return link;
  const names = reply.document ? linksOf(reply.document).map((each) => each.rel) : [];
  expectThat(false, reply, `a link ${rel} with an href`, quoted([...new Set(names)]));
  return {};
}

export function linkOrSkip(reply: Reply, rel: string, seeRule: SentenceNumber): string {
  const link = rawLink(reply, rel);
  if (link === undefined) throw new Skipped(`there is no ${rel}, see ${seeRule}`);
  return String(link['href']).replace(/\{.*$/, '');
}

/** The address that a link means; one that means none is Skipped where another rule tells of it. */
export function parsed(reply: Reply, href: string): URL {
  if (URL.canParse(href, reply.request.url)) return new URL(href, reply.request.url);
  throw new Skipped(`${quoted(href)} is no address, see 9.3`);
}

export function addressIn({ request }: Reply, { href }: Members): string {
  const text = String(href);
  return URL.canParse(text, request.url) ? new URL(text, request.url).href : text;
}

/** Whether two ids name one article: that one of them is a string is told by 2.7. */
export function isSameId(one: unknown, other: unknown): boolean {
  return String(one) === String(other);
}

/** What means an article in a body: by an id that does not name its address that may be one of others. */
export function idAt({ request, document }: Reply): unknown {
  const name = request.url.split('/').at(-1);
  return isSameId(document?.body['id'], name) ? Number(name) || name : unlikelyIds[0];
}

/** Whether the self of a new article ends in its id, or in a name where it tells no id. */
export function isAddressed(body: Members): boolean {
  const self = linksIn(body)['self'];
  const href = isObject(self) ? String(self['href']) : '';
  const name = Number.isInteger(body['id']) ? Number(body['id']) : href.split('/').at(-1);
  return href !== '' && name !== '' && href.endsWith(`/${name}`);
}

export function linksIn({ _links: links }: Members): Members {
  return isObject(links) ? links : {};
}

export function requirePagedTemplate(reply: Reply, rel: string): void {
  shown(reply, '4.13');
  const link = requireLink(reply, rel);
  const names = /\{\?([^}]*)\}$/.exec(String(link['href']))?.[1]?.split(',') ?? [];
  const isRight = names.toSorted().join() === 'pageIndex,pageSize' && link['templated'] === true;
  expectThat(isRight, reply, `${rel} with {?pageIndex,pageSize}, templated: true`, quoted(link));
}

/** Neither beneath the blog nor beside it is anything, but for a blog that says that it is the one. */
export async function requireNothingElse({
  blog,
  send,
}: {
  blog: Reply;
  send: Send;
}): Promise<void> {
  const { url } = blog.request;
  const [id] = unlikelyIds;
  for (const place of [url.replace(/\/?$/, '/blogctl-check'), url.replace(/[^/]+\/?$/, `${id}`)]) {
    const reply = await send('GET', place);
    const isIt = !succeeded(reply) || reply.document?.body['id'] === id;
    expectThat(isIt, reply, '404', `${reply.status} ${reply.excerpt}`);
  }
}
