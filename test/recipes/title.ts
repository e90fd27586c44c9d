import { apiPath, blogLinks, represent } from '../../server/representations/representation.ts';
import { answerRead, blogInView, type Route } from '../../server/routes/route.ts';

/** The title of a blog, with the links of the blog. */
export const readTitle: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/title`,
  mediaTypes: ['application/hal+json'],
  async answer(call) {
    const { blog, present } = await blogInView(call);
    const version = { etag: present.etag(blog.tag), changedAt: blog.changedAt };
    const document = { title: blog.title, _links: blogLinks(present.context) };
    const shown = represent(Buffer.from(JSON.stringify(document)), version);
    return answerRead(call, shown, blog.version);
  },
};
