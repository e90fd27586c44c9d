import type { decodeHTML, decodeHTMLStrict } from 'entities/decode';

import { createMarkupWriter, nameOf, type XmlTag } from './xml-markup.ts';

/** An element that stands directly in an item. */
export type XmlMember = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** What it says, without the elements inside of it. */
  readonly text: string;
  /** What it holds as markup, where there are elements inside of it. */
  readonly markup?: string | undefined;
};

export type XmlItem = {
  readonly name: 'item' | 'entry';
  readonly about?: string | undefined;
  readonly members: readonly XmlMember[];
  /** Where relative addresses begin. */
  readonly base: string;
  /** The address of the site, where the document names it before the item. */
  readonly site?: string | undefined;
};

/** Members that are read, and any that may say whether the item is public. */
const wanted =
  /^(?:title|link|guid|description|pubDate|content:encoded|dc:date|wp:post_(?:id|type|password|date|date_gmt)|atom:(?:title|id|link|content|summary|published|updated|category)|app:control|blogger:type|(?:[\w?]+:)?(?:status|draft|password|visibility))$/;

/** What is said of the site, the most trusted first. */
const siteNames = ['wp:base_blog_url', 'wp:base_site_url', 'link', 'atom:link'];

/** Images and input fields of a channel have links of their own. */
const sitePlaces = new Set(['channel', 'atom:feed']);

const roots = new Set(['rss', 'rdf:RDF', 'atom:feed', 'atom:entry']);

export type XmlCollector = {
  /** What is wrong with the document, where this cannot be its root. */
  open(tag: XmlTag): string | undefined;
  /** The characters that the item has until now. */
  text(text: string): number;
  close(tag: XmlTag): void;
};

/** Puts items together from what a parser reports. Only what stands directly in an item is read. */
export function createXmlCollector(take: (item: XmlItem) => void): XmlCollector {
  const path: string[] = [];
  const bases: string[] = [''];
  const site = new Map<string, string>();
  let item: { open: XmlItem; members: XmlMember[]; depth: number; size: number } | undefined;
  let member:
    | (XmlMember & { depth: number; writer: ReturnType<typeof createMarkupWriter> })
    | undefined;
  let siteText = '';

  function openInside(tag: XmlTag, name: string): void {
    if (item === undefined) return;
    if (member !== undefined) member.writer.open(tag);
    else if (path.length === item.depth + 1 && wanted.test(name)) {
      const attributes = attributesOf(tag);
      const isDiv = attributes['type'] === 'xhtml';
      member = {
        name,
        attributes,
        text: '',
        depth: path.length,
        writer: createMarkupWriter(isDiv),
      };
    }
  }

  function closeMember(): void {
    if (item === undefined || member === undefined) return;
    const { name, attributes, writer } = member;
    item.members.push({ name, attributes, ...writer.end() });
    member = undefined;
  }

  return {
    open(tag) {
      const name = nameOf(tag);
      if (path.length === 0 && !roots.has(name)) {
        return `its root <${tag.name}> is none of WordPress, RSS, RDF or Atom`;
      }
      path.push(name);
      bases.push(resolved(tag.attributes['xml:base']?.value ?? '', bases.at(-1) ?? ''));
      siteText = '';
      if (item !== undefined) openInside(tag, name);
      else if (name === 'item' || name === 'atom:entry') {
        const about = attributesOf(tag)['rdf:about'];
        const base = bases.at(-1) ?? '';
        const open = {
          name: name === 'item' ? 'item' : 'entry',
          about,
          members: [],
          base,
        } as const;
        item = { open, members: [], depth: path.length, size: 0 };
      } else if (name === 'atom:link') siteText = alternate(attributesOf(tag));
      return undefined;
    },
    text(text) {
      if (item === undefined) siteText += siteNames.includes(path.at(-1) ?? '') ? text : '';
      else if (member !== undefined) {
        member.writer.text(text);
        item.size += text.length;
      }
      return item?.size ?? siteText.length;
    },
    close(tag) {
      const name = path.pop() ?? '';
      bases.pop();
      if (item === undefined) addSite(name, siteText);
      else if (path.length < item.depth) {
        take({ ...item.open, members: item.members, site: siteOf() });
        item = undefined;
      } else if (member !== undefined && path.length < member.depth) closeMember();
      else member?.writer.close(tag);
      siteText = '';
    },
  };

  function addSite(name: string, address: string): void {
    const isOfSite = sitePlaces.has(path.at(-1) ?? '') && siteNames.includes(name);
    if (isOfSite && address.trim() !== '' && !site.has(name)) {
      site.set(name, address.trim());
    }
  }

  function siteOf(): string | undefined {
    return siteNames.map((name) => site.get(name)).find((address) => address !== undefined);
  }
}

/** The address of what an Atom link shows, if it is that kind of link. */
export function alternate({ rel = 'alternate', href = '' }: XmlMember['attributes']): string {
  return rel === 'alternate' ? href : '';
}

export function resolved(address: string, base: string): string {
  if (base === '' || address === '') return address || base;
  return URL.canParse(address, base) ? new URL(address, base).href : address;
}

function attributesOf({ attributes }: XmlTag): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, uri, local, prefix, value } of Object.values(attributes)) {
    values[prefix === '' ? local : prefix === 'xml' ? name : nameOf({ uri, local })] = value;
  }
  return values;
}

/** The library that knows the entities of HTML, loaded when a title needs it. */
export type Entities = {
  /** As a browser does: some names need no semicolon. */
  readonly decodeHTML: typeof decodeHTML;
  readonly decodeHTMLStrict: typeof decodeHTMLStrict;
};

/** Each ends at the next `<`, or takes what is left: a text of a megabyte is gone through once. */
const unseen = /<(script|style|template)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)|<!--[^]*?(?:-->|$)/gi;
const breaks = /<(?:br|hr|\/?(?:p|div|li|ul|ol|blockquote|figure|h[1-6]))\b[^<>]*>/gi;
const tags = /<[a-z/!?](?:[^"'<>]|"[^"]*"|'[^']*')*>/gi;

/** The lines that a reader of HTML sees, without tags, with characters for entities. */
export function linesOfHtml(html: string, entities: Entities | undefined): readonly string[] {
  return html
    .replaceAll(unseen, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(breaks, '\n')
    .replaceAll(tags, '')
    .split('\n')
    .map((line) => oneLine(entities?.decodeHTML(line) ?? line))
    .filter((line) => line !== '');
}

/** White space in a line of XML or HTML has no meaning of its own. */
export function oneLine(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').trim();
}
