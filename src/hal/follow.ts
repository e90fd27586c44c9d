import { BlogctlError } from '../errors.ts';
import type { HalDocument } from './document.ts';
import { linksOf, requireLink, targetOf } from './links.ts';

/** A step of a walk: a relation, or one of several links of it by its place, from 0. */
export type Step = { readonly rel: string; readonly index: number };

/** Reads `doc:articles` or `item[2]`. */
export function readStep(text: string): Step {
  const [, rel, index] = /^(.+?)(?:\[(\d+)\])?$/.exec(text) ?? [];
  return { rel: rel ?? text, index: Number(index ?? 0) };
}

/**
 * The address a step leads to from a document: its template expanded with the values; without a
 * template they become its query.
 */
export function addressOfStep(
  document: HalDocument,
  { rel, index }: Step,
  values: Readonly<Record<string, string>> = {},
): string {
  const first = requireLink(document, rel);
  const link = index === 0 ? first : linksOf(document).filter((each) => each.rel === rel)[index];
  if (link?.templated === true) return targetOf(document, link, values);
  if (link !== undefined) return withQuery(targetOf(document, link), values);
  throw new BlogctlError('broken-contract', `No "${rel}[${index}]" link at ${document.url}.`, {
    url: document.url,
    hint: 'they are counted from 0; blogctl links shows them',
  });
}

export function withQuery(address: string, values: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}
