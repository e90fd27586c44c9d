import { inspect } from 'node:util';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { BlogctlError, usage } from '../errors.ts';
import { againstInterface, anAddress, type HalDocument, isObject } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import {
  type Article,
  type ArticleDraft,
  type ArticleReference,
  type GivenReference,
  isHttpDate,
  type Validators,
  type VersionedArticle,
} from './blog-client.ts';
import type { Answer } from './exchange.ts';
import { inShell } from '../terminal/text.ts';

/** The article a document holds; its address is its `self` link, else where it was read. */
export function readArticle(document: HalDocument): Article {
  const { id, title, content } = check(ArticleResource, document, 'an article');
  const self = findLink(document, 'self');
  const url = self === undefined ? document.url : targetOf(document, self);
  return { id, title, ...(typeof content === 'string' && { content }), url };
}

export function readVersionedArticle(answer: Answer): VersionedArticle {
  const document = answer.document();
  refuseBlog(document);
  const readAt = document.url;
  return { article: readArticle(document), validators: validatorsOf(answer), readAt };
}

/** A blog has an id and a title too; its articles it leads to, and an article to its blog. */
function refuseBlog(document: HalDocument): void {
  if (findLink(document, 'doc:articles') === undefined) return;
  if (findLink(document, 'doc:blog') !== undefined) return;
  const { url } = document;
  throw new BlogctlError('not-found', `${url} is a blog, not an article.`, {
    url,
    hint: 'Give the address of one of its articles.',
  });
}

/** Whether a text is another than the one that was sent; none at all is an empty one. */
export function isOtherText(sent: ArticleDraft, stored: ArticleDraft): boolean {
  return stored.title !== sent.title || (stored.content ?? '') !== (sent.content ?? '');
}

type AnyText = { readonly title: string; readonly content?: string | undefined };

/** A text in the form in which a reader sees it: line ends are LF, blank edges are dropped. */
export function sameForm({ title, content = '' }: AnyText) {
  const lines = content.includes('\r') ? content.replaceAll(/\r\n?/g, '\n') : content;
  const text = lines.startsWith('\n') ? lines.replace(/^\n+/, '') : lines;
  return { title: title.trim(), content: text.trimEnd() };
}

export const storedOtherwise = 'The service stored another text than it was sent.';

function validatorsOf({ headers }: Answer): Validators {
  const etag = headers['etag'];
  const lastModified = headers['last-modified'];
  // A condition that a service passes over guards nothing.
  return { ...(etag && { etag }), ...(isHttpDate(lastModified) && { lastModified }) };
}

/**
 * The condition for a change (interface, Endpoints, rules 8 to 10): the tag, else the date. If-Match
 * never holds for a weak tag (RFC 9110, 13.1.1), so a date is preferred to one.
 */
export function conditionFor(expected: Validators | undefined): Readonly<Record<string, string>> {
  const { etag, lastModified } = expected ?? {};
  if (lastModified !== undefined && (etag === undefined || etag.startsWith('W/'))) {
    return { 'if-unmodified-since': lastModified };
  }
  return etag === undefined ? {} : { 'if-match': etag };
}

/** Whether a change can be made on condition of this version. */
export function hasCondition({ etag, lastModified }: Validators): boolean {
  return lastModified !== undefined || (etag !== undefined && !etag.startsWith('W/'));
}

/** What a change is to expect of an article that was read just before: nothing where no condition can hold. */
export function expectedAtOnce(read: Validators): Validators {
  return hasCondition(read) ? read : {};
}

/**
 * What a change is to expect of an article as it was read. Where the service names no version, or one that
 * no condition can hold for, the text is read again just before, which leaves a small window; undefined
 * where it is another by now, or gone.
 */
export async function expectedNow(
  read: { readonly text: ArticleDraft; readonly validators: Validators },
  again: () => Promise<ArticleDraft | undefined>,
): Promise<Validators | undefined> {
  if (hasCondition(read.validators)) return read.validators;
  const now = await again();
  return now === undefined || isOtherText(read.text, now) ? undefined : {};
}

z.config({
  ...en(),
  customError: ({ code, input }) =>
    code === 'invalid_type' && input === undefined ? 'It is missing.' : undefined,
});

const positive = z.int().check(z.positive());
const count = z.int().check(z.nonnegative());

/** interface, Blog. A description that is left out is read as an empty one. */
export const BlogResource = z.object({
  id: positive,
  title: z.string(),
  description: z.pipe(
    z.nullish(z.string()),
    z.transform((text) => text ?? ''),
  ),
});

/** interface, Article. Content is absent after a PUT without it (interface, Endpoints, rule 4). */
const ArticleResource = z.object({
  id: positive,
  title: z.string(),
  content: z.nullish(z.string()),
});

/** Looked at when its article is read: to copy it would cost as much. */
const member = z.custom<Readonly<Record<string, unknown>>>(
  isObject,
  'Invalid input: expected object',
);

/** The list of articles in an object as HAL describes it: the only one, or the only one of that name. */
function listIn(embedded: unknown): unknown {
  if (!isObject(embedded)) return embedded;
  const lists = Object.entries(embedded).filter(([, value]) => Array.isArray(value));
  const named = lists.filter(([rel]) => /(?:^|:)(?:articles?|items?)$/.test(rel));
  const [only, ...others] = lists.length === 1 ? lists : named;
  if (Object.keys(embedded).length === 0) return [];
  return only === undefined || others.length > 0 ? embedded : only[1];
}

/**
 * interface, Page of articles, whose oddities end here: `_embedded` is a bare array there; the object
 * that HAL describes is read as well.
 */
export const PageResource = z.object({
  pageIndex: z.int().check(z.positive()),
  pageSize: count,
  totalPages: count,
  totalArticles: count,
  _embedded: z.pipe(z.transform(listIn), z.array(member)),
});
export type PageResource = z.infer<typeof PageResource>;

/** The checked members of a document, or `broken-contract` naming each member that is wrong. */
export function check<T>(schema: z.ZodMiniType<T>, document: HalDocument, what: string): T {
  const result = schema.safeParse(document.body);
  if (result.success) return result.data;
  throw new BlogctlError('broken-contract', `What came from ${document.url} is not ${what}.`, {
    url: document.url,
    hint: what === 'a blog' ? anAddress : againstInterface,
    details: result.error.issues.map((issue) => ({
      pointer: `/${issue.path.map(String).join('/')}`,
      detail: issue.message,
    })),
  });
}

/**
 * What a reference names, which no compiler may have seen. An article that was read has both, an id
 * and its address, which says of which blog it is; where they differ, neither counts.
 */
export function namedArticle(reference: GivenReference): ArticleReference {
  const { id, url }: { id?: unknown; url?: unknown } = Object(reference);
  const text = isObject(url) ? url['href'] : url;
  const address = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
  if (isId && url === undefined) return { id };
  // An article as it was answered has both; at a service with addresses of its own they differ.
  const [, last = String(id)] = /\/(\d+)$/.exec(address?.pathname ?? '') ?? [];
  const isOfId = id === undefined || (isId && last === String(id));
  if (isOfId && address !== undefined) return { url: address.href };
  const shown = inspect(reference, { depth: 1, breakLength: Infinity });
  throw usage(
    `${shown} names no article`,
    'Give { id: 7 }, or { url } with the address of an article.',
  );
}

/**
 * Address of an article. An id is looked up beneath the collection, where `self` is
 * (interface, Article); a URL must be of the collection's own origin, or a token would travel.
 */
export function addressOf(named: ArticleReference, collection: string): string {
  if ('id' in named) return beneath(collection, named.id);
  const { origin } = new URL(collection);
  const url = new URL(named.url);
  const path = url.pathname.replace(/\/$/, '');
  if (`${collection}/`.startsWith(`${url.origin}${path}/`)) {
    throw usage(`${named.url} leads to articles and is none`, 'Give the address of one of them.');
  }
  // What stands behind the # is for readers, and never sent.
  url.hash = '';
  if (url.origin === origin) return url.href;
  const [, blog = '<url>'] = /^(https?:[^?#]+)\/articles\/\d+\/?(?:[?#]|$)/.exec(named.url) ?? [];
  throw new BlogctlError('usage', `${named.url} is not an article of ${origin}.`, {
    hint: `Name the blog it belongs to with --blog ${blog === '<url>' ? blog : inShell(blog)}.`,
  });
}

function beneath(collection: string, id: number): string {
  const url = new URL(collection);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${id}`;
  url.search = '';
  url.hash = '';
  return url.href;
}
