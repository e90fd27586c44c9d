import { firstOf, parsePaging } from '../policy/paging.ts';
import type { PageRange } from '../policy/paging.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import type { Representation } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import type { BlogInView, Call, Route } from './route.ts';

/** Endpoint 4 of api.md. */
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
    const view = await call.blog();
    const range = parsePaging(call.query, call.rules.maxPageSize);
    return answerRead(call, await pageInView(call, view, range));
  },
};

export async function pageInView(
  { store }: Pick<Call, 'store'>,
  { blog, present }: BlogInView,
  range: PageRange,
): Promise<Representation> {
  return present.page(await store.page(blog.id, firstOf(range), range.pageSize), range);
}
