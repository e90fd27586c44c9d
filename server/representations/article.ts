import type { Article } from '../store/store.ts';
import { articleLinks } from './links.ts';
import type { Viewpoint } from './links.ts';
import { represent } from './representation.ts';
import type { Representation } from './representation.ts';

/** An article (api.md, Article). */
export function representArticle(
  article: Article,
  viewpoint: Viewpoint,
  etag: string,
): Representation {
  const body = Buffer.concat(articleBytes(article, viewpoint));
  return represent(body, { etag, changedAt: article.updatedAt });
}

/**
 * The bytes of an article, alone or in a page: those stored with `_links` before their closing
 * brace, so that a text is never parsed or escaped again.
 */
export function articleBytes(article: Article, viewpoint: Viewpoint): readonly Uint8Array[] {
  const links = JSON.stringify(articleLinks(viewpoint, article.id));
  return [article.json.subarray(0, -1), Buffer.from(`,"_links":${links}}`)];
}
