import type { ArticleDraft } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { PartialDraft } from './draft-input.ts';
import { fromMarkdown } from './edited-text.ts';
import { keepText } from './kept-text.ts';

/** Opens an editor on a new text and sends what was written; whatever fails, the text is kept. */
export async function writeInEditor(
  { title = '', content = '' }: PartialDraft,
  context: Context,
  send: (draft: ArticleDraft) => Promise<void>,
): Promise<void> {
  const before = `---\ntitle: ${title === '' ? '' : JSON.stringify(title)}\n---\n${content}`;
  const text = await keepText('new-article', before, context);
  try {
    const { editFile } = await import('../../terminal/programs.ts');
    await editFile(text.path, context.env, context.platform);
    const written = await text.read();
    if (written === before) {
      await text.remove();
      throw new BlogctlError('cancelled', 'Cancelled: nothing was written.');
    }
    await send(fromMarkdown(written, text.path));
    await text.remove();
  } catch (error) {
    const isKept = error instanceof BlogctlError && error.code !== 'cancelled';
    throw isKept ? text.mention(error) : error;
  }
}
