import { findArticle, requireArticle } from '../articles/find.ts';
import { guardOf } from '../articles/guard.ts';
import { readArticle, replacingArticle } from '../policy/article-input.ts';
import { parseJson } from '../policy/json-body.ts';
import { requireHolds } from '../policy/preconditions.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerChange } from './answers.ts';
import { idIn } from './route.ts';
import type { Route } from './route.ts';

/** Endpoint 5 of api.md: no upsert, and an id in the body is ignored (rule 3, decisions 29). */
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
    const { blog, present } = await call.blog();
    const { headers } = call.request;
    const body = await call.request.body(call.rules.maxBodyBytes);
    const articleId = idIn(call, 'article_id');
    const stored = await findArticle(call.store, blog, articleId);
    requireHolds(headers, present.article(stored), call.rules.requirePreconditions);
    const input = readArticle(replacingArticle, parseJson(body));
    const guard = guardOf(blog, { headers, etag: present.etag, rules: call.rules });
    const found = await call.writes.replace(blog.id, articleId, input, guard);
    const article = requireArticle(found, articleId);
    return answerChange(call, { article, present, status: 200, statusWithoutBody: 204 });
  },
};
