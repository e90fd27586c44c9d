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
import type { ManyView } from '../terminal/view.ts';

/** Where a walk begins and which relations it follows from there. */
type Walk = {
  /** An absolute URL of the blog's origin, a path there, or absent for the blog itself. */
  readonly start?: string;
  readonly steps: readonly string[];
  /** Fills the template of the last step, or becomes the query where there is none. */
  readonly values?: Readonly<Record<string, string>>;
};

/** The address a walk ends at; every document on the way is read, the last is not. */
export async function walk(
  { start, steps, values = {} }: Walk,
  { transport, blogUrl }: Connection,
): Promise<string> {
  const begin = start === undefined ? blogUrl : addressOfStart(start, blogUrl);
  let url = steps.length === 0 ? withQuery(begin, values) : begin;
  const parsed: readonly Step[] = steps.map(readStep);
  for (const [at, step] of parsed.entries()) {
    const answer: Answer = await exchange(transport, { method: 'GET', url });
    const isLast = at === parsed.length - 1;
    url = addressOfStep(answer.document(), step, isLast ? values : {});
  }
  return url;
}

/** Whether an argument names a place, and not a relation. */
export function isPlace(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
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

/** What can be followed from a document, and where each relation is explained. */
export function linkView(document: HalDocument): ManyView {
  const links = linksOf(document).filter(({ rel }) => rel !== 'curies');
  return {
    many: links.map(({ rel, href, templated, title }) => ({
      rel,
      href,
      templated,
      ...(title !== undefined && { title }),
      documentation: documentationOf(document, rel),
    })),
    columns: ['rel', 'href', 'title', 'documentation'],
    fields: ['rel', 'href', 'templated', 'title', 'documentation'],
    id: 'rel',
  };
}
