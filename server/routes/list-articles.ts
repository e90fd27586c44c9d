import { noBlog } from '../articles/find.ts';
import { firstOf, parsePaging } from '../policy/paging.ts';
import type { PageRange } from '../policy/paging.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import { blogInView, idIn } from './route.ts';
import type { Call, Route } from './route.ts';

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
    if (page === undefined) throw noBlog(blogId);
    return answerRead(call, call.present(page.blog).page(page, range));
  },
};

/** A blog that is not there is told before what is wrong with the query. */
async function rangeOf(call: Call): Promise<PageRange> {
  try {
    return parsePaging(call.query, call.rules.maxPageSize);
  } catch (refusal) {
    await blogInView(call);
    throw refusal;
  }
}
