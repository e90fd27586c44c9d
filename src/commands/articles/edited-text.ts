import type { ArticleDraft } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import { readPost } from '../../importing/sources/posts/post.ts';
import { Flaw } from '../../importing/sources/source.ts';

/** An article as Markdown: the title in front matter, then the content to the letter. */
export function toMarkdown({ title, content = '' }: ArticleDraft): string {
  return `---\ntitle: ${isPlainYaml.test(title) ? title : JSON.stringify(title)}\n---\n${content}`;
}

/** What YAML reads as these very characters without quotation marks. */
const isPlainYaml = /^\p{L}(?:[\p{L}\p{N} ,.;()/?!+=*~-]*[\p{L}\p{N}.)?!])?$/u;

/** Title and content of such a text, read like a post that is imported. */
export function fromMarkdown(text: string, name: string): Required<ArticleDraft> {
  try {
    const { title, content } = readPost(text, name, undefined);
    return { title, content };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    throw new BlogctlError('unusable-input', `${name}: ${error.message}`, {
      hint: 'it begins with a line ---, a line "title: …" and a line ---',
      cause: error.cause,
    });
  }
}

/**
 * What an edited text says of the article it came from. A last line break that only the editor has
 * added is taken away, and content that was not there and is still empty stays absent.
 */
export function fromEdited(text: string, name: string, before: ArticleDraft): ArticleDraft {
  const { title, content } = fromMarkdown(text, name);
  const had = before.content ?? '';
  const same = had.endsWith('\n') ? content : content.replace(/\r?\n$/, '');
  const isAbsent = before.content === undefined && same === '';
  return { title, ...(!isAbsent && { content: same }) };
}
