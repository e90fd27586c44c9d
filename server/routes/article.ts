import { Refusal } from '../errors.ts';
import { noBody, type Response } from '../http/message.ts';
import { type ArticleInput, hashOfKey, parseArticle, parseJson } from '../policy/body.ts';
import { preferredReturn } from '../policy/negotiation.ts';
import { requireHolds } from '../policy/preconditions.ts';
import { apiPath, type LinkContext, halJson } from '../representations/representation.ts';
import { deletionLinkHeader, deletionResult } from '../representations/serializer.ts';
import type { Guard } from '../store/store.ts';
import {
  answerChange,
  answerRead,
  articleInView,
  etagIn,
  idIn,
  noBlog,
  refuseLocked,
  type Call,
  type Route,
} from './route.ts';

/** interface, Endpoints, rule 13. */
export const readArticleRoute: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/articles/{article_id}`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readArticle',
    summary: 'Read an article',
    successes: { 200: 'Article', 304: undefined },
    refusals: [404, 410, 412],
  },
  async answer(call) {
    const found = await call.store.read(idIn(call, 'blog_id'), idIn(call, 'article_id'));
    const { article, blog, present } = articleInView(call, found);
    return answerRead(call, present.article(article), blog.version);
  },
};

/**
 * The article that an Idempotency-Key made, as it is when read at its own address (decisions 51).
 * The key is its value, percent-encoded; what is no key at all was never used as one. The fingerprint
 * of the request that the key came with tells a client whether its own would be answered by this
 * article or be 422.
 */
export const readArticleByKey: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/article-keys/{key}`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readArticleByKey',
    summary: 'Read the article that was created with an Idempotency-Key',
    successes: { 200: 'Article', 304: undefined },
    refusals: [404, 410, 412],
  },
  async answer(call) {
    const key = decodeURIComponent(call.variables['key'] ?? '');
    const blogId = idIn(call, 'blog_id');
    const found = await call.store.readByKey(blogId, hashOfKey(key));
    if (found.kind === 'no-blog') throw noBlog(call);
    const present = call.present(found.blog);
    if (found.kind === 'article') {
      const answer = answerRead(call, present.article(found.article), found.blog.version);
      return {
        ...answer,
        headers: { ...answer.headers, 'Idempotency-Fingerprint': found.request },
      };
    }
    if (found.kind === 'gone') {
      throw new Refusal('gone', 'The article made with this Idempotency-Key was deleted.');
    }
    throw new Refusal('not-found', 'No article of this blog was made with this Idempotency-Key.');
  },
};

/** interface, Endpoints, rule 15: no upsert, and an id in the body is ignored (interface, Endpoints, rule 3; decisions 29). */
export const replaceArticle: Route = {
  method: 'PUT',
  path: `${apiPath}/blogs/{blog_id}/articles/{article_id}`,
  mediaTypes: [halJson],
  right: 'update',
  takesBody: true,
  described: {
    operationId: 'replaceArticle',
    summary: 'Replace an article; without content, its content is removed',
    body: 'ReplacingArticle',
    successes: { 200: 'Article', 204: undefined },
    refusals: [401, 403, 404, 410, 412, 422, 423, 503, 507],
  },
  async answer(call) {
    const body = await call.request.body(call.rules.maxBodyBytes);
    const input = await inputOf(call, body);
    const guard = guardOf(call);
    const [blogId, articleId] = [idIn(call, 'blog_id'), idIn(call, 'article_id')];
    const found = await call.store.replace(blogId, articleId, input, guard);
    const { article, present } = articleInView(call, found);
    return answerChange(call, { article, present, status: 200, statusWithoutBody: 204 });
  },
};

/** What is wrong with a body is told where the target and its preconditions let it count. */
async function inputOf(call: Call, body: Uint8Array): Promise<ArticleInput> {
  try {
    return parseArticle(parseJson(body), 'optional');
  } catch (refusal) {
    const found = await call.store.read(idIn(call, 'blog_id'), idIn(call, 'article_id'));
    const { article, present } = articleInView(call, found);
    const version = { etag: present.etag(article.tag), changedAt: article.updatedAt };
    requireHolds(call.request.headers, version, call.rules.requirePreconditions);
    throw refusal;
  }
}

/** interface, Endpoints, rule 16. */
export const deleteArticle: Route = {
  method: 'DELETE',
  path: `${apiPath}/blogs/{blog_id}/articles/{article_id}`,
  mediaTypes: [halJson],
  right: 'delete',
  described: {
    operationId: 'deleteArticle',
    summary: 'Delete an article',
    successes: { 200: 'DeletionResult', 204: undefined },
    refusals: [401, 403, 404, 410, 412, 423, 503, 507],
  },
  async answer(call) {
    const { headers } = call.request;
    const guard = guardOf(call);
    const [blogId, articleId] = [idIn(call, 'blog_id'), idIn(call, 'article_id')];
    const { present } = articleInView(call, await call.store.remove(blogId, articleId, guard));
    const wantsBody = preferredReturn(headers['prefer']) === 'representation';
    return wantsBody ? withResult(present.context) : withoutContent(present.context);
  },
};

/** HTTP knows no content on 204, and a length of what never comes breaks clients (decisions 1). */
function withoutContent(context: LinkContext): Response {
  return { status: 204, headers: headersOf(context), body: noBody };
}

function withResult(context: LinkContext): Response {
  const body = deletionResult(context);
  const headers = {
    ...headersOf(context),
    'Content-Length': String(body.length),
    'Preference-Applied': 'return=representation',
  };
  return { status: 200, headers, body };
}

function headersOf(context: LinkContext) {
  return {
    'Content-Type': halJson,
    'Cache-Control': 'no-store',
    Link: deletionLinkHeader(context),
  };
}

/**
 * What must be true of the newest version. It runs inside the store's change, so that of two
 * writers with the same If-Match only one passes.
 */
function guardOf(call: Call): Guard {
  const { request, rules } = call;
  const etag = etagIn(call);
  return (current, blog) => {
    const shown = { etag: etag(current.tag, blog), changedAt: current.updatedAt };
    requireHolds(request.headers, shown, rules.requirePreconditions);
    refuseLocked(rules.readOnly, blog, current);
  };
}

/** The link is required, what it leads to is not described (decisions 5). */
export const readComments: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/articles/{article_id}/comments`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readComments',
    summary: 'Read the comments of an article, which this service does not keep',
    successes: {},
    refusals: [404, 410, 501],
  },
  async answer(call) {
    const found = await call.store.read(idIn(call, 'blog_id'), idIn(call, 'article_id'));
    const { id } = articleInView(call, found).article;
    throw new Refusal(
      'not-implemented',
      `Comments (of article ${id}) are not part of this service.`,
    );
  },
};
