import type { Article } from '../../client/blog-client.ts';

/** What an import brings back: no id and no address, for another blog gives its own. */
export type PortableArticle = { readonly title: string; readonly content: string };

/** An article without content leaves as an empty one: creating asks for a content (api.md, 2). */
export function portable({ title, content = '' }: Article): PortableArticle {
  return { title, content };
}
