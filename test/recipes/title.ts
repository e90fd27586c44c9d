import { apiPath } from '../../server/representations/links.ts';
import { blogInView, type Route } from '../../server/routes/route.ts';

/** The title of a blog, as text. */
export const readTitle: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/title`,
  mediaTypes: ['text/plain'],
  async answer(call) {
    const { blog } = await blogInView(call);
    const body = Buffer.from(blog.title);
    return { status: 200, headers: { 'Content-Type': 'text/plain' }, body };
  },
};
