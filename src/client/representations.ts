import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { BlogctlError } from '../errors.ts';
import { type HalDocument, isObject } from '../hal/document.ts';

z.config(en());

const id = z.int().check(z.positive());
const count = z.int().check(z.nonnegative());

/** interface, Blog. A description that is left out is read as an empty one. */
export const BlogResource = z.object({
  id,
  title: z.string(),
  description: z.pipe(
    z.nullish(z.string()),
    z.transform((text) => text ?? ''),
  ),
});

/** interface, Article. Content is absent after a PUT without it (interface, Endpoints, rule 4). */
export const ArticleResource = z.object({
  id,
  title: z.string(),
  content: z.pipe(
    z.nullish(z.string()),
    z.transform((text) => text ?? undefined),
  ),
});
export type ArticleResource = z.infer<typeof ArticleResource>;

/** Looked at when its article is read: to copy it would cost as much. */
const member = z.custom<Readonly<Record<string, unknown>>>(
  isObject,
  'Invalid input: expected object',
);

/**
 * interface, Page of articles, whose oddities end here: `_embedded` is a bare array there; the object
 * of arrays that HAL describes is read as well, if it holds one array.
 */
export const PageResource = z.object({
  pageIndex: z.int().check(z.positive()),
  pageSize: count,
  totalPages: count,
  totalArticles: count,
  _embedded: z.pipe(
    z.union([z.array(member), z.record(z.string(), z.array(member))]),
    z.transform((value) => (Array.isArray(value) ? value : Object.values(value).flat())),
  ),
});
export type PageResource = z.infer<typeof PageResource>;

/** The checked members of a document, or `broken-contract` naming each member that is wrong. */
export function check<T>(schema: z.ZodMiniType<T>, document: HalDocument, what: string): T {
  const result = schema.safeParse(document.body);
  if (result.success) return result.data;
  throw new BlogctlError('broken-contract', `What came from ${document.url} is not ${what}.`, {
    url: document.url,
    hint: 'The address must be that of a blog: https://host/api/v1.2/blogs/1, for example.',
    details: result.error.issues.map((issue) => ({
      pointer: `/${issue.path.map(String).join('/')}`,
      detail: issue.message,
    })),
  });
}
