import { type Answer, exchange } from '../client/exchange.ts';
import type { Connection } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import {
  addressOfStep,
  documentationOf,
  linksOf,
  readStep,
  type Step,
  withQuery,
} from '../hal/links.ts';
import type { HalDocument } from '../hal/document.ts';
import { asPaths } from '../settings/target.ts';
import type { ManyView } from '../terminal/view.ts';

/** Which relations a walk follows from the blog on, or from the place that the first step names. */
type Walk = {
  readonly steps: readonly string[];
  /** Fills the template of the last step, or becomes the query where there is none. */
  readonly values?: Readonly<Record<string, string>>;
};

/** The address a walk ends at; every document on the way is read, the last is not. */
export async function walk(
  { steps: [first, ...others], values = {} }: Walk,
  { transport, blogUrl }: Connection,
): Promise<string> {
  const place = first === undefined ? undefined : placeOf(first, blogUrl);
  const begin = place === undefined ? blogUrl : addressOfStart(place, blogUrl);
  const rels = first === undefined || place !== undefined ? others : [first, ...others];
  let url = rels.length === 0 ? withQuery(begin, values) : begin;
  const parsed: readonly Step[] = rels.map(readStep);
  for (const [at, step] of parsed.entries()) {
    const answer: Answer = await exchange(transport, { method: 'GET', url });
    const isLast = at === parsed.length - 1;
    url = addressOfStep(answer.document(), step, isLast ? values : {});
  }
  return url;
}

/**
 * A URL of the blog's origin or a path there, where no relation is named; and as gh and json-server
 * name it from the blog on: `articles/6` or 6, `/articles?page=2`, `blogs/2`.
 */
function placeOf(text: string, blogUrl: string): string | undefined {
  if (/^#?[1-9]\d*$/.test(text)) return placeOf(`articles/${text.replace('#', '')}`, blogUrl);
  const [, id, rest = ''] = /^\/?(?:blogs\/(\d+)\/?)?(articles(?:[/?].*)?)?$/.exec(text) ?? [];
  const [, root, own] = /^(.*\/blogs\/)(\d+)$/.exec(new URL(blogUrl).pathname) ?? [];
  if (root === undefined || (id === undefined && rest === '') || text === 'articles') {
    return text.startsWith('/') || /^https?:\/\//i.test(text) ? text : undefined;
  }
  const asked = rest
    .replace(/([?&])_?page=/, '$1pageIndex=')
    .replace(/([?&])_?(?:per_page|limit)=/, '$1pageSize=');
  return `${root}${id ?? own}${rest === '' ? '' : `/${asked}`}`;
}

function addressOfStart(text: string, blogUrl: string): string {
  const reference = text.startsWith('//') ? `.${text}` : text;
  if (URL.canParse(reference, blogUrl))
    return sameOrigin(new URL(reference, blogUrl).href, blogUrl);
  throw new BlogctlError('usage', `"${text}" is no address.`, {
    hint: 'Give an absolute URL, a path from /, or a relation like doc:articles.',
  });
}

/** A token and a blog go with one origin; links are looked at where requests are sent. */
function sameOrigin(url: string, blogUrl: string): string {
  const { origin } = new URL(blogUrl);
  if (new URL(url).origin === origin) return url;
  throw new BlogctlError('usage', `${url} is not of ${origin}.`, {
    hint: 'Name the blog it belongs to with --blog <url>, or use another client.',
  });
}

function shownPlace(address: string | undefined): string | undefined {
  return address === undefined ? undefined : asPaths(address);
}

/** What can be followed from a document, and where each relation is explained. */
export function linkView(document: HalDocument): ManyView {
  const links = linksOf(document).filter(({ rel }) => rel !== 'curies');
  return {
    many: links.map(({ rel, href, templated, title }) => ({
      rel,
      href: asPaths(href),
      templated,
      ...(title !== undefined && { title }),
      documentation: shownPlace(documentationOf(document, rel)),
    })),
    columns: ['rel', 'href', 'title', 'documentation'],
    fields: ['rel', 'href', 'templated', 'title', 'documentation'],
    id: 'rel',
    isWhole: true,
  };
}
