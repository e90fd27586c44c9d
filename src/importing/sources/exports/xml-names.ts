/** Prefixes by which we call namespaces, and those that documents use without declaring them. */
export const prefixes = {
  atom: 'http://www.w3.org/2005/Atom',
  content: 'http://purl.org/rss/1.0/modules/content/',
  dc: 'http://purl.org/dc/elements/1.1/',
  wp: 'http://wordpress.org/export/1.2/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
};

export const xhtml = 'http://www.w3.org/1999/xhtml';

/** RSS has none; RSS 1.0, and some who write 2.0, have one. */
const rss = new Set([
  '',
  'http://purl.org/rss/1.0/',
  'http://my.netscape.com/rdf/simple/0.9/',
  'http://channel.netscape.com/rdf/simple/0.9/',
  'http://backend.userland.com/rss2',
  'http://blogs.law.harvard.edu/tech/rss',
]);

const others: ReadonlyMap<string, string> = new Map([
  ...Object.entries(prefixes).map(([prefix, uri]): [string, string] => [uri, prefix]),
  ['http://purl.org/dc/terms/', 'dc'],
  ['http://www.w3.org/2007/app', 'app'],
  ['http://purl.org/atom/app#', 'app'],
  ['http://schemas.google.com/blogger/2018', 'blogger'],
]);

/** An element's name with our prefix for its namespace, whatever the document's own is. */
export function nameOf({ uri, local }: { readonly uri: string; readonly local: string }): string {
  if (rss.has(uri)) return local;
  const prefix = uri.startsWith('http://wordpress.org/export/') ? 'wp' : others.get(uri);
  return `${prefix ?? '?'}:${local}`;
}
