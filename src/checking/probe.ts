import { addressNear, missingBlog, refusal } from '../client/refusals.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import { type HalDocument, isObject } from '../hal/document.ts';
import { findLink, targetOf, withQuery } from '../hal/links.ts';
import type { Transport } from '../http/transport.ts';
import {
  articlesOf,
  countArticles,
  type Counted,
  isRefused,
  type Read,
  shown,
  succeeded,
  unlikelyIds,
} from './check.ts';
import type { OwnArticles } from './own-articles.ts';
import { type SentenceNumber, Skipped } from './sentences.ts';
import type { SentRequest, Reply, Send, Wire } from './wire.ts';

/** What the checks look at: each thing is read once, and all of them see the same. */
export type Probe = Addresses & {
  readonly send: Send;
  readonly wire: Wire;
  readonly blog: Reply;
  /** The articles that may be changed; Skipped where only reading is allowed. */
  readonly own: () => OwnArticles;
  readonly mayWrite: boolean;
  /** A page by its index and size; without them the one that the service chooses. */
  page(index?: number, size?: number): Promise<Reply>;
  counted(): Promise<Counted>;
  /** An article that no check changes, as it is when read by itself. */
  article(): Promise<Reply>;
  /** Blog, page and, where there is one, article. */
  shown(): Promise<readonly Reply[]>;
  /** By queries that a service need not allow; where it shows a page, that has the members of one. */
  odd(): Promise<ReadonlyMap<string, Reply>>;
  /** What is answered to a read of an article that is not there. */
  absent(): Promise<Reply>;
};

export type ProbeOptions = {
  readonly send: Send;
  readonly wire: Wire;
  readonly blog: Reply;
  readonly addresses: Addresses;
  /** Or why there are none. */
  readonly own: OwnArticles | Skipped;
};

export type Addresses = {
  /** The origin of the blog. */
  readonly home: string;
  readonly collection: string;
  /** The address of an article: its self link, where that leads to the blog's own origin. */
  addressOf(article: HalDocument): string;
  beneath(id: number | string): string;
};

const oddQueries = [
  ['pageIndex', '0'],
  ['pageSize', '0'],
  ['pageSize', '100000'],
  ['pageIndex', '1000000000'],
  ['pageSize', 'blogctl'],
] as const;

/** How often an article is looked for that is listed and not there. */
const attempts = 3;

export function createProbe({ send, wire, blog, addresses, own }: ProbeOptions): Probe {
  const pages = new Map<string, Promise<Reply>>();
  let counted: Promise<Counted> | undefined;
  let article: Promise<Reply> | undefined;
  let absent: Promise<Reply> | undefined;
  let odd: Promise<ReadonlyMap<string, Reply>> | undefined;

  const kept = () => (own instanceof Skipped ? undefined : own.kept[0]);

  const read = reader(send, addresses);

  const probe: Probe = {
    ...addresses,
    send,
    wire,
    blog,
    get mayWrite() {
      return !(own instanceof Skipped) && own.closed === undefined;
    },
    own: () => {
      const closed = own instanceof Skipped ? own : own.closed;
      if (own instanceof Skipped || closed !== undefined) throw closed;
      return own;
    },
    page: (index, size) => {
      const name = `${index} ${size}`;
      const known = pages.get(name) ?? read(index, size);
      pages.set(name, known);
      return known;
    },
    odd: () => (odd ??= readOddly()),
    counted: () => (counted ??= countArticles(read)),
    article: () => (article ??= anArticle()),
    absent: () => (absent ??= readAbsent(send, addresses)),
    shown: async () => {
      const page = await probe.page(1, 1);
      const listed = page.document === undefined ? [] : articlesOf(page.document);
      const isArticle = listed.length > 0 || kept() !== undefined;
      return [blog, page, ...(isArticle ? [await probe.article()] : [])];
    },
  };
  return probe;

  async function readOddly(): Promise<ReadonlyMap<string, Reply>> {
    const replies = new Map<string, Reply>();
    for (const [name, value] of oddQueries) {
      const url = withQuery(addresses.collection, { [name]: value });
      replies.set(`${name}=${value}`, await send('GET', url));
    }
    return replies;
  }

  async function anArticle(): Promise<Reply> {
    const { url } = kept() ?? {};
    if (url !== undefined) return send('GET', url);
    let [listed] = articlesOf(shown(await probe.page(1, 1), '4.14'));
    for (let tried = 1; tried <= attempts; tried += 1) {
      if (listed === undefined) throw new Skipped('the blog has no article; --write makes some');
      const reply = await send('GET', probe.addressOf(listed));
      if (reply.status !== 404 && reply.status !== 410) return reply;
      // Somebody may have deleted it since it was listed.
      const [now] = articlesOf(shown(await read(1, 1), '4.14'));
      if (now !== undefined && now.body['id'] === listed.body['id']) return reply;
      listed = now;
    }
    throw new Skipped('articles came or went while they were read');
  }
}

/** Reads pages by their index and size. */
export function reader(send: Send, { collection }: Pick<Addresses, 'collection'>): Read {
  return (index, size) => {
    const values = {
      ...(index !== undefined && { pageIndex: String(index) }),
      ...(size !== undefined && { pageSize: String(size) }),
    };
    return send('GET', withQuery(collection, values));
  };
}

/**
 * Looks for an id without an article: whatever id one takes, a blog may have it. What answers is no
 * article there unless it says so itself, whatever its status.
 */
export async function readAbsent(send: Send, { beneath }: Pick<Addresses, 'beneath'>) {
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

/** What is asked of an article, beside reading it. */
const changing: Readonly<Record<string, SentenceNumber>> = { PUT: '4.15', DELETE: '4.16' };

/** The rule that asks for what many others ask for too; of articles elsewhere, that of the link to them. */
export function ruleOf(
  { request: { method, url } }: SentRequest,
  { collection, beneath, home }: Pick<Addresses, 'collection' | 'beneath' | 'home'>,
): SentenceNumber | undefined {
  const [{ origin, pathname: own }, { pathname }] = [new URL(collection), new URL(url)];
  const isBeneath = pathname.startsWith(`${own}/`);
  if (pathname !== own && !isBeneath) return undefined;
  if (origin !== home) return '2.6';
  if (unlikelyIds.some((id) => url === beneath(id))) return '7.6';
  if (method === 'GET') return isBeneath ? '4.13' : '4.14';
  return isBeneath ? changing[method] : method === 'POST' ? '4.12' : undefined;
}

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

/** Reads the blog; an answer that is none of a blog is the error that every command ends with. */
export async function readBlog(wire: Wire, transport: Transport, url: string): Promise<Reply> {
  const request = { method: 'GET', url, headers: { accept: 'application/hal+json' } };
  const reply = await wire.send(transport, request, { isAnonymous: true });
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
