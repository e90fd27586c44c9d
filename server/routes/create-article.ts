import { requireCreated } from '../articles/create.ts';
import { refuseLocked } from '../articles/locks.ts';
import { readArticle } from '../policy/article-input.ts';
import { identify, readKey } from '../policy/idempotency.ts';
import { parseJson } from '../policy/json-body.ts';
import { defaultRange } from '../policy/paging.ts';
import { isGuarded, requireHolds } from '../policy/preconditions.ts';
import { apiPath, articleUrl } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import type { CreateGuard, Page } from '../store/store.ts';
import { answerChange } from './answers.ts';
import { blogInView } from './route.ts';
import type { Call, Route } from './route.ts';

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
    const { blog } = await blogInView(call);
    const { headers } = call.request;
    const body = await call.request.body(call.rules.maxBodyBytes);
    const count = isGuarded(headers) ? firstPage(call).pageSize : 0;
    const seen = count === 0 ? undefined : await call.store.page(blog.id, 0, count);
    if (seen !== undefined) requirePage(call, seen);
    const key = readKey(headers['idempotency-key']);
    const input = readArticle(parseJson(body), 'required');
    const idempotency = key === undefined ? undefined : identify(key, input);
    const guard = guardOf(call, count);
    const creation = await call.store.create(blog.id, input, { idempotency, guard });
    const created = requireCreated(creation, blog.id);
    return answerChange(call, {
      article: created.article,
      present: call.present(created.blog),
      status: 201,
      statusWithoutBody: 201,
      headers: {
        Location: articleUrl(call.baseUrl, blog.id, created.article.id),
        ...(created.replayed && { 'Idempotency-Replayed': 'true' }),
      },
    });
  },
};

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
