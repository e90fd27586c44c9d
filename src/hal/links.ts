import { parseTemplate } from 'url-template';
import { BlogctlError } from '../errors.ts';
import { type HalDocument, isObject } from './document.ts';

export type Link = {
  readonly rel: string;
  /** Absolute, unless a URI template (RFC 6570). */
  readonly href: string;
  readonly templated: boolean;
  readonly title?: string;
  readonly name?: string;
};

/** The links under `_links` and under the page's `_link` (interface, Page of articles), in order. */
export function linksOf(document: HalDocument): readonly Link[] {
  return groupsOf(document).flatMap((group) =>
    Object.entries(group).flatMap(([rel, value]) => readLinks(rel, value)),
  );
}

export function findLink(document: HalDocument, rel: string): Link | undefined {
  for (const group of groupsOf(document)) {
    const value = Object.hasOwn(group, rel) ? group[rel] : undefined;
    const first = Array.isArray(value) ? readLinks(rel, value)[0] : readLink(rel, value);
    if (first !== undefined) return first;
  }
  return undefined;
}

/** The link, or `broken-contract` with the links that are there. */
export function requireLink(document: HalDocument, rel: string): Link {
  const link = findLink(document, rel);
  if (link !== undefined) return link;
  const rels = new Set(linksOf(document).map((each) => each.rel));
  // It names what relations mean, and leads nowhere.
  rels.delete('curies');
  const offered = [...rels].join(', ') || 'none';
  throw new BlogctlError('broken-contract', `No "${rel}" link at ${document.url}.`, {
    url: document.url,
    hint: `Links offered there: ${offered}.`,
  });
}

/** The address a link leads to, its template expanded with the values (RFC 6570). */
export function targetOf(
  document: HalDocument,
  link: Link,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const reference = link.templated ? parseTemplate(link.href).expand(values) : link.href;
  const isOpen = link.templated && /[{}]/.test(link.href.replaceAll(/\{[^{}]*\}/g, ''));
  if (!isOpen && URL.canParse(reference, document.url)) {
    return new URL(reference, document.url).href;
  }
  throw new BlogctlError(
    'broken-contract',
    `The "${link.rel}" link at ${document.url} is no address: ${link.href}`,
    { url: document.url },
  );
}

function groupsOf({ body }: HalDocument): Readonly<Record<string, unknown>>[] {
  return [body['_links'], body['_link']].filter(isObject);
}

function readLinks(rel: string, value: unknown): readonly Link[] {
  return (Array.isArray(value) ? value : [value]).flatMap((link) => readLink(rel, link) ?? []);
}

function readLink(rel: string, value: unknown): Link | undefined {
  if (!isObject(value) || typeof value['href'] !== 'string') return undefined;
  const { href, templated, title, name } = value;
  return {
    rel,
    href,
    // A brace is no character of an address: such an href is a template, announced or not.
    templated: templated === true || href.includes('{'),
    ...(typeof title === 'string' && { title }),
    ...(typeof name === 'string' && { name }),
  };
}

/** A step of a walk: a relation, or one of several links of it by its place, from 0. */
export type Step = { readonly rel: string; readonly index: number };

/** Reads `doc:articles` or `item[2]`. */
export function readStep(text: string): Step {
  const [, rel, index] = /^(.+?)(?:\[(\d+)\])?$/.exec(text) ?? [];
  return { rel: rel ?? text, index: Number(index ?? 0) };
}

/**
 * The address a step leads to from a document: its template expanded with the values, each of which it
 * has to have; without a template they become its query.
 */
export function addressOfStep(
  document: HalDocument,
  { rel: named, index }: Step,
  values: Readonly<Record<string, string>> = {},
): string {
  const rel = wholeName(named, document);
  const first = requireLink(document, rel);
  const link = index === 0 ? first : linksOf(document).filter((each) => each.rel === rel)[index];
  if (link?.templated === true) {
    const variables =
      link.href
        .match(/\{[^}]*\}/g)
        ?.join()
        .match(/\w+/g) ?? [];
    refuseOthers(values, variables, link.href);
    return targetOf(document, link, values);
  }
  if (link !== undefined) return withQuery(targetOf(document, link), values);
  throw new BlogctlError('broken-contract', `No "${rel}[${index}]" link at ${document.url}.`, {
    url: document.url,
    hint: 'They are counted from 0; blogctl links shows them.',
  });
}

/** A relation may be named without its curie, where no other has that name: `articles`. */
function wholeName(rel: string, document: HalDocument): string {
  const [only = rel, ...others] = new Set(
    linksOf(document).flatMap((each) => (each.rel.endsWith(`:${rel}`) ? [each.rel] : [])),
  );
  return findLink(document, rel) === undefined && others.length === 0 ? only : rel;
}

/** An address that is no template takes what every list is asked by (interface, Endpoints, rule 2). */
export function withQuery(address: string, values: Readonly<Record<string, string>>): string {
  refuseOthers(values, ['pageIndex', 'pageSize'], address);
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}

/** What an address has no place for would be dropped without a word: it was meant for a body. */
function refuseOthers(values: object, known: readonly string[], address: string): void {
  const other = Object.keys(values).find((name) => !known.includes(name));
  if (other === undefined) return;
  const [, id] = /\/articles\/(\d+)$/.exec(address) ?? [];
  throw new BlogctlError('usage', `A GET of ${address} has no place for "${other}".`, {
    hint:
      id === undefined
        ? 'Give -X POST to send it, or write it into the address, as ?name=value.'
        : `\`blogctl articles update ${id} --title <text>\` changes one member; -X PUT replaces title and content.`,
  });
}

/** `rel` and URI template of each link of a Link-Template field (RFC 9652). */
type LinkTemplate = { readonly rel: string; readonly template: string };

const text = String.raw`"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"`;
const parameter = String.raw`;[ ]*([a-z*][a-z0-9_.*-]*)(?:=(?:${text}|([^\s";,]+)))?`;
const member = new RegExp(
  String.raw`[ \t]*${text}((?:${parameter.replaceAll(/\((?!\?)/g, '(?:')})*)[ \t]*(,|$)`,
  'y',
);

/** The links of the field, a list of strings (RFC 9651); one that cannot be read holds none. */
export function readLinkTemplates(field: string): readonly LinkTemplate[] {
  const links: LinkTemplate[] = [];
  member.lastIndex = 0;
  for (;;) {
    const [, template, parameters = '', next] = member.exec(field) ?? [];
    if (template === undefined) return [];
    const rel = parametersOf(parameters).get('rel');
    if (rel !== undefined) links.push({ rel, template: unescaped(template) });
    if (next === '') return links;
  }
}

/** Of a name that stands there twice the last counts (RFC 9651, 3.1.2). */
function parametersOf(parameters: string): ReadonlyMap<string, string> {
  const found = [...parameters.matchAll(new RegExp(parameter, 'g'))];
  return new Map(
    found.map(([, name = '', quoted, bare = '']) => [
      name,
      quoted === undefined ? bare : unescaped(quoted),
    ]),
  );
}

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}

/** Where a relation like `doc:articles` is documented: its curie expanded (HAL, section 8.2). */
export function documentationOf(document: HalDocument, rel: string): string | undefined {
  const [prefix, ...rest] = rel.split(':');
  if (rest.length === 0) return undefined;
  const curie = linksOf(document).find((link) => link.rel === 'curies' && link.name === prefix);
  if (curie === undefined) return undefined;
  const reference = parseTemplate(curie.href).expand({ rel: rest.join(':') });
  return URL.canParse(reference, document.url) ? new URL(reference, document.url).href : undefined;
}

/** The curie `doc`, where it is right. */
export function docOf(document: HalDocument | undefined) {
  const links = document?.body['_links'];
  const curies = isObject(links) ? links['curies'] : undefined;
  const list = Array.isArray(curies) ? curies.filter(isObject) : [];
  return list.find(
    ({ name, href, templated }) =>
      name === 'doc' && String(href).includes('{rel}') && templated === true,
  );
}

/** Where its self leads, if that is an address. */
export function selfOf(document: HalDocument): string | undefined {
  const self = findLink(document, 'self');
  return self && URL.canParse(self.href, document.url) ? targetOf(document, self) : undefined;
}
