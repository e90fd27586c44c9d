import { z } from 'zod';
import { BlogctlError } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';

const id = z.int().positive();

/** api.md, Blog. A description that is left out is read as an empty one. */
export const BlogResource = z.object({
  id,
  title: z.string(),
  description: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
});

/** api.md, Article. Content is absent after a PUT without it (Endpoints, rule 4). */
export const ArticleResource = z.object({
  id,
  title: z.string(),
  content: z
    .string()
    .nullish()
    .transform((text) => text ?? undefined),
});
export type ArticleResource = z.infer<typeof ArticleResource>;

const member = z.record(z.string(), z.unknown());

/**
 * api.md, Page of articles, whose oddities end here: `_embedded` is a bare array there; the object
 * of arrays that HAL describes is read as well, if it holds one array.
 */
export const PageResource = z.object({
  pageIndex: z.int().positive(),
  pageSize: z.int().nonnegative(),
  totalPages: z.int().nonnegative(),
  totalArticles: z.int().nonnegative(),
  _embedded: z
    .union([z.array(member), z.record(z.string(), z.array(member))])
    .transform((value) => (Array.isArray(value) ? value : Object.values(value).flat())),
});
export type PageResource = z.infer<typeof PageResource>;

/** The checked members of a document, or `broken-contract` naming each member that is wrong. */
export function check<T>(schema: z.ZodType<T>, document: HalDocument, what: string): T {
  const result = schema.safeParse(document.body);
  if (result.success) return result.data;
  throw new BlogctlError('broken-contract', `What came from ${document.url} is not ${what}.`, {
    url: document.url,
    hint: 'the address must be that of a blog, like https://host/api/v1.2/blogs/1',
    details: result.error.issues.map((issue) => ({
      pointer: `/${issue.path.map(String).join('/')}`,
      detail: issue.message,
    })),
  });
}
