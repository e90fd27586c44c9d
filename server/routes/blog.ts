import { Refusal } from '../errors.ts';
import { identify, parseArticle, parseJson, readKey } from '../policy/body.ts';
import { defaultRange, firstOf, type PageRange, parsePaging } from '../policy/negotiation.ts';
import { isGuarded, requireHolds } from '../policy/preconditions.ts';
import { apiPath, articleUrl, halJson } from '../representations/representation.ts';
import type { Article, Blog, CreateGuard, Creation, Page } from '../store/store.ts';
import {
  answerChange,
  answerRead,
  blogInView,
  type Call,
  idIn,
  noBlog,
  refusedInView,
  refuseLocked,
  type Route,
} from './route.ts';

/** interface, Endpoints, rule 11. */
export const readBlog: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readBlog',
    summary: 'Read a blog',
    successes: { 200: 'Blog', 304: undefined },
    refusals: [404, 412],
  },
  async answer(call) {
    const { blog, present } = await blogInView(call);
    return answerRead(call, present.blog(blog), blog.version);
  },
};

/** interface, Endpoints, rule 14. */
export const listArticles: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/articles`,
  mediaTypes: [halJson],
  described: {
    operationId: 'listArticles',
    summary: 'Read a page of articles',
    paged: true,
    successes: { 200: 'ArticlePage', 304: undefined },
    refusals: [404, 412],
  },
  async answer(call) {
    const range = await rangeOf(call);
    const blogId = idIn(call, 'blog_id');
    const page = await call.store.page(blogId, firstOf(range), range.pageSize);
    if (page === undefined) throw noBlog(call);
    return answerRead(call, call.present(page.blog).page(page, range), page.blog.version);
  },
};

async function rangeOf(call: Call): Promise<PageRange> {
  return refusedInView(call, async () => parsePaging(call.query, call.rules.maxPageSize));
}

/** interface, Endpoints, rule 12; with a guard, the tag of the collection's first page counts (decisions 17). */
export const createArticleRoute: Route = {
  method: 'POST',
  path: `${apiPath}/blogs/{blog_id}/articles`,
  mediaTypes: [halJson],
  right: 'create',
  takesBody: true,
  described: {
    operationId: 'createArticle',
    summary: 'Create an article',
    body: 'NewArticle',
    successes: { 201: 'Article' },
    refusals: [401, 403, 404, 409, 410, 412, 422, 423, 503, 507],
  },
  async answer(call) {
    const body = await call.request.body(call.rules.maxBodyBytes);
    const { article, blog, replayed } = await refusedInView(call, () => created(call, body));
    return answerChange(call, {
      article,
      present: call.present(blog),
      status: 201,
      statusWithoutBody: 201,
      headers: {
        Location: articleUrl(call.baseUrl, blog.id, article.id),
        ...(replayed && { 'Idempotency-Replayed': 'true' }),
      },
    });
  },
};

async function created(call: Call, body: Uint8Array): Promise<Created> {
  const { headers } = call.request;
  const blogId = idIn(call, 'blog_id');
  const count = isGuarded(headers) ? firstPage(call).pageSize : 0;
  const seen = count === 0 ? undefined : await call.store.page(blogId, 0, count);
  const failed = seen && failedGuard(call, seen);
  // What was made by this key before has changed the tag itself.
  if (failed !== undefined && headers['idempotency-key'] === undefined) throw failed;
  const { input, idempotency } = readBody(headers, body, failed);
  const guard = guardOf(call, count);
  return requireCreated(await call.store.create(blogId, input, { idempotency, guard }), call);
}

/** What is wrong with a body is told where the precondition lets it count. */
function readBody(
  headers: Call['request']['headers'],
  body: Uint8Array,
  failed: Refusal | undefined,
) {
  try {
    const key = readKey(headers['idempotency-key']);
    const input = parseArticle(parseJson(body), 'required');
    return { input, idempotency: key === undefined ? undefined : identify(key, input) };
  } catch (refusal) {
    throw failed ?? refusal;
  }
}

function failedGuard(call: Call, page: Page): Refusal | undefined {
  try {
    requirePage(call, page);
    return undefined;
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal;
    throw refusal;
  }
}

/** Asked again inside the change, so that of two writers with the same tag only one passes. */
function guardOf(call: Call, count: number): CreateGuard {
  return {
    count,
    holds: (page) => {
      if (count > 0) requirePage(call, page);
      refuseLocked(call.rules.readOnly, page.blog);
    },
  };
}

function requirePage(call: Call, page: Page): void {
  const shown = call.present(page.blog).page(page, firstPage(call));
  requireHolds(call.request.headers, shown);
}

function firstPage({ rules }: Call) {
  return defaultRange(rules.maxPageSize);
}

type Created = {
  readonly article: Article;
  readonly blog: Blog;
  readonly replayed: boolean;
};

/** One article more, or the one an earlier request with the same key made (decisions 38). */
function requireCreated(creation: Creation, call: Call): Created {
  if (creation.kind === 'created' || creation.kind === 'replayed') {
    const { article, blog, kind } = creation;
    return { article, blog, replayed: kind === 'replayed' };
  }
  if (creation.kind === 'no-blog') throw noBlog(call);
  if (creation.kind === 'key-reused') throw keyReused(creation.id);
  throw refusalOf[creation.kind]();
}

function keyReused(article: number): Refusal {
  const what = 'This Idempotency-Key was sent before with another article.';
  return new Refusal('idempotency-key-reused', what, { article });
}

const refusalOf = {
  'key-in-flight': () =>
    new Refusal('conflict', 'The first request with this Idempotency-Key still runs.'),
  gone: () => new Refusal('gone', 'The article made with this Idempotency-Key was deleted.'),
};
