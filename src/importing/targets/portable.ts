import type { Article } from '../../client/blog-client.ts';

/**
 * What an import brings back: no id, for another blog gives its own. By its address the blog that it
 * comes from knows it again (decisions 55).
 */
export type PortableArticle = {
  readonly title: string;
  readonly content: string;
  readonly url: string;
};

/** An article without content leaves as an empty one: creating asks for a content (api.md, 2). */
export function portable({ title, content = '', url }: Article): PortableArticle {
  return { title, content, url };
}
