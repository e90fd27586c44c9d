import { Refusal } from '../errors.ts';
import { noBody, type Request, type Response } from '../http/message.ts';
import { preferredReturn } from '../policy/negotiation.ts';
import { httpDate, isCurrentCopy } from '../policy/preconditions.ts';
import { isWhole, type Representation } from '../representations/representation.ts';
import type { SchemaName } from '../documentation/openapi.ts';
import { type Serializer, wholeArticle } from '../representations/serializer.ts';
import type { Article, Blog, Found, FoundArticle, Store } from '../store/store.ts';
import type { Right } from '../store/tokens.ts';

/** One row of the endpoint table. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Template of the whole path; a variable that ends in `_id` stands for an id. */
  readonly path: string;
  /** What can be answered, the favourite first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** The right its token must grant; without it no token is needed. */
  readonly right?: Right;
  readonly takesBody?: true;
  /** What the description of the API says of it; absent = it is no part of the API. */
  readonly described?: Description;
  /** The target, its preconditions, the body's meaning and the change itself. */
  answer(call: Call): Promise<Response>;
};

type Description = {
  readonly operationId: string;
  readonly summary: string;
  readonly paged?: true;
  readonly body?: SchemaName;
  /** The schema of each successful status; none where it has no body. */
  readonly successes: Readonly<Record<number, SchemaName | undefined>>;
  /** Besides those every request can meet. */
  readonly refusals: readonly number[];
};

/** A request that passed every check that needs no resource. */
export type Call = {
  readonly request: Request;
  readonly baseUrl: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The one of the route's media types the client likes best. */
  readonly mediaType: string;
  /** Milliseconds since the epoch: a change may have waited for its turn. */
  readonly now: number;
  readonly store: Store;
  readonly rules: Rules;
  /** How a blog is shown to this client; what is refused from here on links to it. */
  present(blog: Blog): Serializer;
};

type BlogInView = { readonly blog: Blog; readonly present: Serializer };

/** What the operator of the service decided. */
export type Rules = {
  /** Articles on one page (decisions 8). */
  readonly maxPageSize: number;
  /** Decisions 30. */
  readonly maxBodyBytes: number;
  /** Nothing can be changed (decisions 33). */
  readonly readOnly: boolean;
  /** PUT and DELETE must say which version they are for (decisions 18). */
  readonly requirePreconditions: boolean;
};

/** The blog the path names, and how it is shown to this client; 404 without it. */
export async function blogInView(
  call: Pick<Call, 'variables' | 'store' | 'present'>,
): Promise<BlogInView> {
  const blogId = idIn(call, 'blog_id');
  const blog = await call.store.blog(blogId);
  if (blog === undefined) throw noBlog(call);
  return { blog, present: call.present(blog) };
}

/**
 * A blog that is not there is told before what is wrong with the rest, and what is refused links to it;
 * who is not refused waits for no look at it.
 */
export async function refusedInView<Result>(
  call: Pick<Call, 'variables' | 'store' | 'present'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (refusal) {
    await blogInView(call).catch((error: unknown) => {
      if (error instanceof Refusal) throw error;
    });
    throw refusal;
  }
}

/** The entity tag of a stored version as this client is shown it. */
export function etagIn({ present }: Pick<Call, 'present'>) {
  return (storedTag: string, blog: Blog): string => present(blog).etag(storedTag);
}

type ArticleInView = BlogInView & { readonly article: Article };

/** What a store found at the place that the path names; 404 or 410 where that is no article. */
export function articleInView(
  call: Pick<Call, 'variables' | 'present'>,
  found: Found,
): ArticleInView {
  if (found.kind === 'no-blog') throw noBlog(call);
  const { blog } = found;
  const present = call.present(blog);
  return { blog, present, article: requireArticle(found, call.variables['article_id']) };
}

export function idIn(call: Pick<Call, 'variables'>, name: 'blog_id' | 'article_id'): number {
  return Number(call.variables[name]);
}

/** As it was asked for: a number may not be exact. */
export function noBlog({ variables }: Pick<Call, 'variables'>): Refusal {
  const message = `There is no blog ${variables['blog_id']}; see / for those there are.`;
  return new Refusal('not-found', message);
}

/** Refuses with 404, or with 410 where the article existed before (decisions 7). */
function requireArticle(found: FoundArticle, articleId = ''): Article {
  if (found.kind === 'article') return found.article;
  if (found.kind === 'gone') throw new Refusal('gone', `Article ${articleId} was deleted.`);
  throw new Refusal('not-found', `There is no article ${articleId} in this blog.`);
}

type Lockable = { readonly locked: boolean };

/** What its operator locked is read, not changed (decisions 33): service, blog or article. */
export function refuseLocked(readOnly: boolean, blog: Lockable, article?: Lockable): void {
  if (readOnly) throw new Refusal('locked', 'This service is for reading only.');
  if (blog.locked) throw new Refusal('locked', 'This blog is locked by its operator.');
  if (article?.locked) throw new Refusal('locked', 'This article is locked by its operator.');
}

type ClientFields = Pick<Call, 'request' | 'now'>;

/** 200 with bytes made before, or 304 where the reader has them (interface, Endpoints, rules 8 and 9). */
export function answerRead(
  { request, now }: ClientFields,
  shown: Representation,
  version?: number,
): Response {
  const headers =
    shown.changedAt <= now ? shown.headers : { ...shown.headers, ...lastModified(now) };
  const { body } = shown;
  if (!isCurrentCopy(request.headers, shown)) return { status: 200, headers, body, version };
  const { 'Content-Type': _type, 'Content-Length': _length, ...kept } = headers;
  return { status: 304, headers: kept, body: noBody, version };
}

/** A clock that once ran ahead left dates in the future: now is sent instead (RFC 9110, 8.8.2.1). */
function lastModified(now: number): { 'Last-Modified': string } {
  return { 'Last-Modified': httpDate(now) };
}

type ChangeAnswer = {
  readonly article: Article;
  readonly present: Serializer;
  /** The status with a representation, and the one without (decisions 39). */
  readonly status: 200 | 201;
  readonly statusWithoutBody: 201 | 204;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * What a changed article now looks like, made only where it is wanted; no cache may keep an answer
 * to a write (decisions 22).
 */
export function answerChange({ request, now }: ClientFields, change: ChangeAnswer): Response {
  const preferred = preferredReturn(request.headers['prefer']);
  const applied = preferred && { 'Preference-Applied': `return=${preferred}` };
  const minimal = preferred === 'minimal';
  const { status, headers: own, body } = minimal ? withoutBody(change, now) : withBody(change, now);
  return { status, headers: Object.assign(own, change.headers, applied), body };
}

function withBody({ present, article, status }: ChangeAnswer, now: number) {
  const { headers, body: shown } = present.article(article);
  const body = isWhole(shown) ? shown : wholeArticle(article, present.context);
  const { 'Content-Type': type = '', 'Content-Length': length = '' } = headers;
  const own = { 'Content-Type': type, 'Content-Length': length };
  return { status, headers: Object.assign(own, versionFields(present, article, now)), body };
}

function withoutBody({ present, article, statusWithoutBody: status }: ChangeAnswer, now: number) {
  const length = status === 204 ? undefined : { 'Content-Length': '0' };
  return {
    status,
    headers: Object.assign(versionFields(present, article, now), length),
    body: noBody,
  };
}

function versionFields(
  present: Serializer,
  { tag, updatedAt }: Article,
  now: number,
): Record<string, string> {
  return {
    ETag: present.etag(tag),
    ...lastModified(Math.min(updatedAt, now)),
    'Cache-Control': 'no-store',
  };
}
