import { Refusal } from '../errors.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { articleInView, idIn } from './route.ts';
import type { Route } from './route.ts';

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
