import { guardOf } from '../articles/guard.ts';
import { readArticle } from '../policy/article-input.ts';
import { parseJson } from '../policy/json-body.ts';
import { requireHolds } from '../policy/preconditions.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerChange } from './answers.ts';
import { articleInView, blogInView, etagIn, idIn } from './route.ts';
import type { Route } from './route.ts';

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
    await blogInView(call);
    const { headers } = call.request;
    const body = await call.request.body(call.rules.maxBodyBytes);
    const [blogId, articleId] = [idIn(call, 'blog_id'), idIn(call, 'article_id')];
    const stored = articleInView(call, await call.store.read(blogId, articleId));
    const shown = stored.present.article(stored.article);
    requireHolds(headers, shown, call.rules.requirePreconditions);
    const input = readArticle(parseJson(body), 'optional');
    const guard = guardOf({ headers, etag: etagIn(call), rules: call.rules });
    const found = await call.store.replace(blogId, articleId, input, guard);
    const { article, present } = articleInView(call, found);
    return answerChange(call, { article, present, status: 200, statusWithoutBody: 204 });
  },
};
