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

/**
 * Title and content of such a text, read like a post that is imported. A title that is no YAML, such
 * as `Go: a tour`, is taken as it stands; where `hasTitle`, the text needs none.
 */
export function fromMarkdown(text: string, name: string, hasTitle = false): Required<ArticleDraft> {
  try {
    return draftOf(text, name, hasTitle);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    const quoted = text.replace(
      plainTitle,
      (_line, title: string) => `title: ${JSON.stringify(title)}`,
    );
    const again = orUndefined(() => draftOf(quoted, name, hasTitle));
    if (again !== undefined) return again;
    if (orUndefined(() => draftOf(text, name, true)) !== undefined) throw untitled(name, error);
    throw new BlogctlError('unusable-input', `${name}: ${error.message}`, {
      hint: 'it begins with a line ---, a line "title: …" and a line ---',
      cause: error.cause,
    });
  }
}

const plainTitle = /^title:[ \t]+(?!["'|>&*!])(.*\S)[ \t]*$/m;

function draftOf(text: string, name: string, hasTitle: boolean): Required<ArticleDraft> {
  const { title, content } = readPost(text, name, hasTitle ? 'filename' : undefined);
  return { title, content };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Flaw) return undefined;
    throw error;
  }
}

function untitled(name: string, cause: Flaw): BlogctlError {
  return new BlogctlError('unusable-input', `${name} has no title in its front matter.`, {
    hint: 'give --title <text>, or begin it with a line ---, a line "title: …" and a line ---',
    cause: cause.cause,
  });
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
