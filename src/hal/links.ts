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
    const [first] = Object.hasOwn(group, rel) ? readLinks(rel, group[rel]) : [];
    if (first !== undefined) return first;
  }
  return undefined;
}

/** The link, or `broken-contract` with the links that are there. */
export function requireLink(document: HalDocument, rel: string): Link {
  const link = findLink(document, rel);
  if (link !== undefined) return link;
  const offered = [...new Set(linksOf(document).map((each) => each.rel))].join(', ') || 'none';
  throw new BlogctlError('broken-contract', `No "${rel}" link at ${document.url}.`, {
    url: document.url,
    hint: `links offered there: ${offered}`,
  });
}

/** The address a link leads to, its template expanded with the values (RFC 6570). */
export function targetOf(
  document: HalDocument,
  link: Link,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const reference = link.templated ? parseTemplate(link.href).expand(values) : link.href;
  try {
    return new URL(reference, document.url).href;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BlogctlError(
      'broken-contract',
      `The "${link.rel}" link at ${document.url} is no address: ${link.href}`,
      { url: document.url },
    );
  }
}

function groupsOf({ body }: HalDocument): Readonly<Record<string, unknown>>[] {
  return [body['_links'], body['_link']].filter(isObject);
}

function readLinks(rel: string, value: unknown): Link[] {
  return (Array.isArray(value) ? value : [value]).flatMap((link) => readLink(rel, link));
}

function readLink(rel: string, value: unknown): Link[] {
  if (!isObject(value) || typeof value['href'] !== 'string') return [];
  const { href, templated, title, name } = value;
  return [
    {
      rel,
      href,
      // A brace is no character of an address: such an href is a template, announced or not.
      templated: templated === true || href.includes('{'),
      ...(typeof title === 'string' && { title }),
      ...(typeof name === 'string' && { name }),
    },
  ];
}
