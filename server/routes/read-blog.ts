import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import { blogInView } from './route.ts';
import type { Route } from './route.ts';

/** interface, Endpoints, rule 11. */
export const readBlog: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readBlog',
    summary: 'Read a blog',
    successes: { 200: 'Blog', 304: undefined },
    refusals: [404, 412],
  },
  async answer(call) {
    const { blog, present } = await blogInView(call);
    return answerRead(call, present.blog(blog));
  },
};
