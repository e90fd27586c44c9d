import type { Blog } from '../store/store.ts';
import { articleKeyTemplate, relationUrl } from './addresses.ts';
import { blogLinks } from './links.ts';
import type { Viewpoint } from './links.ts';
import { represent } from './representation.ts';
import type { Representation } from './representation.ts';

/**
 * A blog (interface, Blog). Its answers tell that POST honours an Idempotency-Key (decisions 38), and
 * where the article made with one is found (decisions 51; RFC 9652).
 */
export function representBlog(blog: Blog, viewpoint: Viewpoint, etag: string): Representation {
  const { id, title, description } = blog;
  const { baseUrl, blogId } = viewpoint;
  const document = { id, title, description, _links: blogLinks(viewpoint) };
  const version = { etag, changedAt: blog.changedAt };
  return represent(Buffer.from(JSON.stringify(document)), version, {
    'Accept-Idempotency': 'key',
    'Link-Template': `"${articleKeyTemplate(baseUrl, blogId)}"; rel="${relationUrl(baseUrl, 'articleKey')}"`,
  });
}
