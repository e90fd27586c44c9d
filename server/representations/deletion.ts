import { relationUrl } from './addresses.ts';
import { linkHeader } from './link-header.ts';
import { deletionLinks, linkToBlog } from './links.ts';
import type { Viewpoint } from './links.ts';

/** The body of a deletion, for those who asked for one (interface, Deletion result). */
export function deletionResult(viewpoint: Viewpoint): Uint8Array {
  return Buffer.from(JSON.stringify({ _links: deletionLinks(viewpoint) }));
}

/** The same link as a header, since a 204 has no body (decisions 1). */
export function deletionLinkHeader(viewpoint: Viewpoint): string {
  const rel = relationUrl(viewpoint.baseUrl, 'blog');
  return linkHeader([{ rel, link: linkToBlog(viewpoint) }]);
}
