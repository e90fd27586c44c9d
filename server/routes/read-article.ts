import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import { articleInView, idIn } from './route.ts';
import type { Route } from './route.ts';

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
    const { article, present } = articleInView(call, found);
    return answerRead(call, present.article(article));
  },
};
