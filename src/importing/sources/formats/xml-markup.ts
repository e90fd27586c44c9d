export type XmlTag = {
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly attributes: Readonly<
    Record<
      string,
      {
        readonly name: string;
        readonly local: string;
        readonly prefix: string;
        readonly uri: string;
        readonly value: string;
      }
    >
  >;
};

const voidElements = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
/** Their text is not escaped in HTML. */
const rawElements = new Set(['script', 'style']);

/**
 * Writes what stands inside of an element: its text alone, and as HTML, which knows no namespaces,
 * where it holds elements. An Atom text of type xhtml is what its one `div` holds, not the `div` itself (RFC 4287, 3.1.1.3).
 */
export function createMarkupWriter(isInDiv: boolean) {
  const names: string[] = [];
  let text = '';
  let markup: string | undefined;
  let div: 'none' | 'open' | 'closed' = 'none';

  return {
    open({ local, uri, attributes }: XmlTag): void {
      markup ??= escapeText(text);
      if (isInDiv && names.length === 0 && local === 'div' && uri === xhtml) {
        div = 'open';
        text = '';
        markup = '';
      } else markup += `<${local}${written(attributes)}>`;
      names.push(local);
    },
    text(more: string): void {
      if (div === 'closed') return;
      text += more;
      if (markup === undefined) return;
      markup += rawElements.has(names.at(-1) ?? '') ? more : escapeText(more);
    },
    close({ local }: XmlTag): void {
      names.pop();
      if (div === 'open' && names.length === 0) div = 'closed';
      else if (!voidElements.has(local)) markup += `</${local}>`;
    },
    end: () => ({ text, markup }),
  };
}

function written(attributes: XmlTag['attributes']): string {
  return Object.values(attributes)
    .filter(({ name, prefix }) => name !== 'xmlns' && prefix !== 'xmlns')
    .map(({ name, value }) => ` ${name === 'xml:lang' ? 'lang' : name}="${escapeValue(value)}"`)
    .join('');
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeValue(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}

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
