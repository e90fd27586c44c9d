import type { Article } from '../../client/blog-client.ts';
import { printableLine, printableText } from '../../terminal/letters/printable.ts';
import { bold, dim, type Piece } from '../../terminal/letters/style.ts';
import type { OneView } from '../../terminal/showing/view.ts';

/** The members of an article that are shown, in this order. */
export type ArticleFields = Pick<Article, 'id' | 'title' | 'content' | 'url'>;

export function fieldsOf({ id, title, content, url }: Article): ArticleFields {
  return { id, title, ...(content !== undefined && { content }), url };
}

export const articleFields = ['id', 'title', 'content', 'url'] as const;

/** One article, for reading; as Markdown it is what an import takes. */
export function viewOf(article: Article, markdown: () => Promise<string>): OneView {
  return {
    one: fieldsOf(article),
    columns: ['id', 'title', 'content'],
    fields: articleFields,
    human: () => [...readable(article), '\n'],
    markdown,
  };
}

/** An article after a change: where it is, not the text that its writer has just seen. */
export function savedView(article: Article): OneView {
  const { id, title, url } = article;
  return {
    one: fieldsOf(article),
    columns: ['id', 'title', 'url'],
    fields: articleFields,
    human: () => `#${id}  ${printableLine(title)}\n${printableLine(url)}\n`,
  };
}

/** Title, where it stands, and the text, without the last line break. */
export function readable({ id, title, content, url }: ArticleFields): readonly Piece[] {
  const place = dim(`#${id}  ${printableLine(url)}`);
  const text = content === undefined ? dim('(no content)') : printableText(content).trimEnd();
  return [bold(printableLine(title)), '\n', place, '\n\n', text];
}
