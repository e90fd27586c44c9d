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

function escapeText(text: string): string {
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

/** Takes XML as it comes and gives it on; what is not yet complete is kept until more comes. */
export type XmlFilter = { write(text: string): string; end(): string };

/** Where entities mean nothing: sections by how they start, and how each ends. */
const sectionStart = /<!\[CDATA\[|<!--|<\?/;
const sectionEnds: Readonly<Record<string, string>> = {
  '<![CDATA[': ']]>',
  '<!--': '-->',
  '<?': '?>',
};

/** Characters that no XML 1.0 document may hold, not even as a reference. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const forbiddenReference =
  /&#(?:x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef])|0*(?:[0-8]|1[124-9]|2\d|3[01]));/gi;
const strayAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/g;
const htmlEntity = /&(?!(?:amp|lt|gt|quot|apos);)([a-zA-Z][a-zA-Z\d]{1,40});/g;
/** What could be the beginning of a section or of an entity. */
const unfinished = /[<&][^<&;>\s]{0,45}$/;

/**
 * Removes what stands in front of the first `<` and control characters, gives entities of HTML their
 * characters and turns any other ampersand that begins no entity of XML into text. Where those mean
 * nothing, as in CDATA, only control characters are removed.
 *
 * @param decode The text with its entities of HTML as characters.
 */
export function createXmlRepair(decode: (entity: string) => string): XmlFilter {
  let isFirst = true;

  function mendMarkup(text: string): string {
    return text
      .replace(forbidden, '')
      .replace(forbiddenReference, '')
      .replace(htmlEntity, (entity) => escapeText(decode(entity)))
      .replace(strayAmpersand, '&amp;');
  }

  return createSectionFilter({
    markup: (text) => {
      const whole = isFirst ? text.replace(/^[\s\uFEFF]+/, '') : text;
      isFirst &&= whole === '';
      return mendMarkup(whole);
    },
    other: (text) => {
      isFirst = false;
      return text.replace(forbidden, '');
    },
  });
}

export type XmlSpot = { readonly line: number; readonly column: number; readonly found: string };

/** Where the first ampersand stands that begins no entity of XML. */
export async function findStrayAmpersand(
  texts: AsyncIterable<string>,
): Promise<XmlSpot | undefined> {
  let line = 1;
  let column = 1;
  let spot: XmlSpot | undefined;

  function pass(text: string): string {
    const lines = text.split('\n');
    line += lines.length - 1;
    column = (lines.length === 1 ? column : 1) + (lines.at(-1)?.length ?? 0);
    return '';
  }

  const filter = createSectionFilter({
    markup: (text) => {
      const at = spot === undefined ? text.search(strayAmpersand) : -1;
      if (at === -1) return pass(text);
      pass(text.slice(0, at));
      const [found = ''] = /^&[\w#]*;?/.exec(text.slice(at)) ?? [];
      spot = { line, column, found };
      return '';
    },
    other: pass,
  });
  for await (const text of texts) {
    filter.write(text);
    if (spot !== undefined) return spot;
  }
  filter.end();
  return spot;
}

/** Parts markup from sections, wherever chunks end, and passes each on by its own function. */
function createSectionFilter(
  pass: Readonly<Record<'markup' | 'other', (text: string) => string>>,
): XmlFilter {
  let kept = '';
  let sectionEnd: string | undefined;

  /** The first part of a text that is whole: markup up to a section, or a section to its end. */
  function firstPart(text: string): { passed: string; length: number } | undefined {
    if (sectionEnd !== undefined) {
      const at = text.indexOf(sectionEnd);
      if (at === -1) return undefined;
      const length = at + sectionEnd.length;
      sectionEnd = undefined;
      return { passed: pass.other(text.slice(0, length)), length };
    }
    const start = sectionStart.exec(text);
    if (start === null) return undefined;
    sectionEnd = sectionEnds[start[0]];
    const passed = pass.markup(text.slice(0, start.index)) + pass.other(start[0]);
    return { passed, length: start.index + start[0].length };
  }

  function passRest(text: string): string {
    return sectionEnd === undefined ? pass.markup(text) : pass.other(text);
  }

  return {
    write(text) {
      let rest = kept + text;
      let passed = '';
      for (let part = firstPart(rest); part !== undefined; part = firstPart(rest)) {
        passed += part.passed;
        rest = rest.slice(part.length);
      }
      kept =
        sectionEnd === undefined
          ? (unfinished.exec(rest)?.[0] ?? '')
          : rest.slice(Math.max(0, rest.length - sectionEnd.length + 1));
      return passed + passRest(rest.slice(0, rest.length - kept.length));
    },
    end() {
      return passRest(kept);
    },
  };
}
