import type { Blog } from '../store/store.ts';
import { blogLinks } from './links.ts';
import type { Viewpoint } from './links.ts';
import { represent } from './representation.ts';
import type { Representation } from './representation.ts';

/** A blog (api.md, Blog). Its answers tell that POST honours an Idempotency-Key (decisions 38). */
export function representBlog(blog: Blog, viewpoint: Viewpoint, etag: string): Representation {
  const { id, title, description } = blog;
  const document = { id, title, description, _links: blogLinks(viewpoint) };
  const version = { etag, changedAt: blog.changedAt };
  return represent(Buffer.from(JSON.stringify(document)), version, {
    'Accept-Idempotency': 'key',
  });
}
