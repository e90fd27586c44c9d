import { createArticle } from '../articles/create.ts';
import { refuseLocked } from '../articles/locks.ts';
import { newArticle, readArticle } from '../policy/article-input.ts';
import { identify, readKey } from '../policy/idempotency.ts';
import { parseJson } from '../policy/json-body.ts';
import { defaultRange } from '../policy/paging.ts';
import { isGuarded, requireHolds } from '../policy/preconditions.ts';
import { apiPath, articleUrl } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import type { Response } from '../http/message.ts';
import type { Store } from '../store/store.ts';
import { answerChange } from './answers.ts';
import { pageInView } from './list-articles.ts';
import type { BlogInView, Call, Route } from './route.ts';

/** Endpoint 2 of api.md; with a guard, the tag of the collection's first page counts (decisions 17). */
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
    const view = await call.blog();
    const body = await call.request.body(call.rules.maxBodyBytes);
    if (!isGuarded(call.request.headers)) return create(call, view, body);
    return call.writes.alone(async () => {
      const range = defaultRange(call.rules.maxPageSize);
      requireHolds(call.request.headers, await pageInView(call, view, range));
      return create({ ...call, writes: call.store }, view, body);
    });
  },
};

async function create(
  call: Omit<Call, 'writes'> & { readonly writes: Pick<Store, 'create'> },
  { blog, present }: BlogInView,
  body: Uint8Array,
): Promise<Response> {
  const { headers } = call.request;
  const key = readKey(headers['idempotency-key']);
  const input = readArticle(newArticle, parseJson(body));
  refuseLocked(call.rules.readOnly, blog);
  const idempotency = key === undefined ? undefined : identify(key, input);
  const store: Store['create'] = (...details) => call.writes.create(...details);
  const { article, replayed } = await createArticle(store, blog, { input, idempotency });
  return answerChange(call, {
    article,
    present,
    status: 201,
    statusWithoutBody: 201,
    headers: {
      Location: articleUrl(call.baseUrl, blog.id, article.id),
      ...(replayed && { 'Idempotency-Replayed': 'true' }),
    },
  });
}
