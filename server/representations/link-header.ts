import type { Link } from './links.ts';

export type TypedLink = { readonly rel: string; readonly link: Link };

/** The value of a Link header (RFC 8288); titles in the form of RFC 8187, whatever they hold. */
export function linkHeader(links: readonly TypedLink[]): string {
  return links.map(({ rel, link }) => `<${link.href}>; rel="${rel}"${titleOf(link)}`).join(', ');
}

function titleOf({ title }: Link): string {
  return title === undefined ? '' : `; title*=UTF-8''${escapeExtended(title)}`;
}

/**
 * encodeURIComponent leaves some marks bare that RFC 8187 does not allow, and throws on half a
 * surrogate pair: through UTF-8 and back, half a pair becomes U+FFFD.
 */
function escapeExtended(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
