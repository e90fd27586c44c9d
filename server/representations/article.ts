import type { Article } from '../store/store.ts';
import { articleLinks } from './links.ts';
import type { Viewpoint } from './links.ts';
import { represent } from './representation.ts';
import type { Representation } from './representation.ts';

/**
 * An article (api.md, Article): the stored bytes with `_links` before their closing brace, so
 * that a text is never parsed or escaped again.
 */
export function representArticle(
  article: Article,
  viewpoint: Viewpoint,
  etag: string,
): Representation {
  const links = JSON.stringify(articleLinks(viewpoint, article.id));
  const members = article.json.subarray(0, -1);
  const body = Buffer.concat([members, Buffer.from(`,"_links":${links}}`)]);
  return represent(body, { etag, changedAt: article.updatedAt });
}
