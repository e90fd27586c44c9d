import { apiPath, represent } from '../../server/representations/representation.ts';
import { answerRead, blogInView, type Route } from '../../server/routes/route.ts';

/** The title of a blog, as text. */
export const readTitle: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/title`,
  mediaTypes: ['text/plain'],
  async answer(call) {
    const { blog, present } = await blogInView(call);
    const version = { etag: present.etag(blog.tag), changedAt: blog.changedAt };
    const type = { 'Content-Type': 'text/plain; charset=utf-8' };
    const shown = represent(Buffer.from(blog.title), version, type);
    return answerRead(call, shown, blog.version);
  },
};
