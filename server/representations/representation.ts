import { hash } from 'node:crypto';
import { httpDate } from '../policy/preconditions.ts';

/** The media type of every body (interface, What the service does, rule 2). */
export const halJson = 'application/hal+json';

/** Bytes that are sent: all of them, or, where they are many, piece by piece as they are taken. */
export type Body = Uint8Array | LongBody;

export type LongBody = {
  readonly length: number;
  /**
   * Copies bytes from `at` on, as many as there are and fit, and answers how many. Rejects with
   * BodyChanged where what was announced is no more.
   */
  read(at: number, into: Uint8Array): Promise<number>;
};

/** A resource changed while it was sent: the rest would belong to another version. */
export class BodyChanged extends Error {
  override readonly name = 'BodyChanged';
}

export function isWhole(body: Body): body is Uint8Array {
  return ArrayBuffer.isView(body);
}

/** All bytes of a body, for who has to hold them anyway. */
export async function wholeOf(body: Body): Promise<Uint8Array> {
  if (isWhole(body)) return body;
  const whole = new Uint8Array(body.length);
  await body.read(0, whole);
  return whole;
}

/** What a resource looks like: bytes and headers made once, sent as often as it is read. */
export type Representation = {
  readonly body: Body;
  /** Strong entity tag, with its quotes (decisions 14). */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** All headers of a 200 that answers a read. */
  readonly headers: Readonly<Record<string, string>>;
};

type Version = { readonly etag: string; readonly changedAt: number };

/** `more` holds the headers only this kind of resource has. */
export function represent(
  body: Body,
  { etag, changedAt }: Version,
  more: Readonly<Record<string, string>> = {},
): Representation {
  const headers = {
    'Content-Type': halJson,
    'Content-Length': String(body.length),
    ETag: etag,
    'Last-Modified': httpDate(changedAt),
    Vary: 'Accept',
    'Cache-Control': 'no-cache',
    ...more,
  };
  return Object.freeze({ body, etag, changedAt, headers: Object.freeze(headers) });
}

/** The same for the same parts on every instance; 16 hexadecimal digits or fewer. */
export function fingerprint(parts: readonly (string | number)[], digits = 16): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, digits);
}

export type Link = { readonly href: string; readonly title?: string; readonly templated?: true };
type Curie = { readonly name: string; readonly href: string; readonly templated: true };

/** From where a blog is looked at: what all its links are made of. */
export type LinkContext = {
  readonly baseUrl: string;
  readonly blogId: number;
  readonly blogTitle: string;
};

export function curies(baseUrl: string): readonly Curie[] {
  return [{ name: 'doc', href: relationUrl(baseUrl, '{rel}'), templated: true }];
}

/** Links of a blog (interface, Blog). */
export function blogLinks({ baseUrl, blogId }: LinkContext) {
  const articles = `${articlesUrl(baseUrl, blogId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: blogUrl(baseUrl, blogId) },
    'doc:articles': { href: articles, templated: true },
  };
}

/** Links of an article (interface, Article). */
export function articleLinks(context: LinkContext, articleId: number) {
  const { baseUrl, blogId } = context;
  const comments = `${commentsUrl(baseUrl, blogId, articleId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: articleUrl(baseUrl, blogId, articleId) },
    'doc:blog': linkToBlog(context),
    'doc:comments': { href: comments, templated: true },
  };
}

/** Links of a deletion result (interface, Deletion result). */
export function deletionLinks(context: LinkContext) {
  return { curies: curies(context.baseUrl), 'doc:blog': linkToBlog(context) };
}

export function linkToBlog({ baseUrl, blogId, blogTitle }: LinkContext): Link {
  return { href: blogUrl(baseUrl, blogId), title: blogTitle };
}

/** Where things are, relative to a base URL without a trailing slash (interface, Endpoints). */

/** The version is part of the path (interface, Versioning, rule 1). */
export const apiPath = '/api/v1.2';

/** Expanded by clients, not by us (RFC 6570). */
const pageTemplate = '{?pageIndex,pageSize}';

export function blogUrl(baseUrl: string, blogId: number): string {
  return `${baseUrl}${apiPath}/blogs/${blogId}`;
}

export function articlesUrl(baseUrl: string, blogId: number): string {
  return `${blogUrl(baseUrl, blogId)}/articles`;
}

export function articleUrl(baseUrl: string, blogId: number, articleId: number): string {
  return `${articlesUrl(baseUrl, blogId)}/${articleId}`;
}

function commentsUrl(baseUrl: string, blogId: number, articleId: number): string {
  return `${articleUrl(baseUrl, blogId, articleId)}/comments`;
}

/** Leads from an Idempotency-Key to the article made with it; expanded by clients (decisions 51). */
export function articleKeyTemplate(baseUrl: string, blogId: number): string {
  return `${blogUrl(baseUrl, blogId)}/article-keys/{key}`;
}

/** Documentation of a relation: what the curie `doc` expands to (decisions 6). */
export function relationUrl(baseUrl: string, relation: string): string {
  return `${baseUrl}/docs/${relation}`;
}

/** Documentation of a problem type, which is also its `type` (decisions 2). */
export function problemUrl(baseUrl: string, code: string): string {
  return `${baseUrl}/docs/problems/${code}`;
}

type TypedLink = { readonly rel: string; readonly link: Link };

/** The value of a Link header (RFC 8288); titles in the form of RFC 8187, whatever they hold. */
export function linkHeader(links: readonly TypedLink[]): string {
  return links.map(({ rel, link }) => `<${link.href}>; rel="${rel}"${titleOf(link)}`).join(', ');
}

function titleOf({ title }: Link): string {
  return title === undefined ? '' : `; title*=UTF-8''${escapeExtended(title)}`;
}

/**
 * encodeURIComponent leaves some marks bare that RFC 8187 does not allow, and throws on half a
 * surrogate pair: through UTF-8 and back, half a pair becomes U+FFFD.
 */
function escapeExtended(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
