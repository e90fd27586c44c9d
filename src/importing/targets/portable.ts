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

/** An article without content leaves as an empty one: creating asks for a content (interface, Endpoints, rule 12). */
export function portable({ title, content = '', url }: Article): PortableArticle {
  return { title, content, url };
}

/** The same as a post, whose front matter says which article it is. */
export function portableMarkdown(article: Article): string {
  const { title, content, url } = portable(article);
  return `---\ntitle: ${quoted(title)}\narticle: ${quoted(url)}\n---\n${content}`;
}

/**
 * A text in front matter of any language. Double quotes keep white space and line breaks; what old
 * YAML folds or refuses is escaped.
 */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
