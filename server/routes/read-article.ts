import { findArticle } from '../articles/find.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import { idIn } from './route.ts';
import type { Route } from './route.ts';

/** Endpoint 3 of api.md. */
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
    const { blog, present } = await call.blog();
    const article = await findArticle(call.store, blog, idIn(call, 'article_id'));
    return answerRead(call, present.article(article));
  },
};
