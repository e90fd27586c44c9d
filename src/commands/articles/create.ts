import type { Command } from 'commander';
import type { ArticleDraft } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { savedView } from './article-view.ts';
import { addDraftFlags, type DraftFlags, type PartialDraft, readDraft } from './draft-input.ts';

export type CreateOptions = DraftFlags & {
  readonly idempotencyKey?: string;
  /** What was given is the beginning; the rest is written in an editor. */
  readonly editor?: boolean;
};

export function define(command: Command, context: Context, run = createArticle): void {
  addDraftFlags(command);
  command
    .option('--editor', 'write it in $EDITOR')
    .option('--idempotency-key <key>', 'the same key again creates no second article')
    .addHelpText(
      'after',
      `
Examples:
  blogctl articles create --title "Hello" --content "First words"
  blogctl articles create --title "Notes" --content-file notes.md
  generate-post | blogctl articles create --from-file - --format ids`,
    )
    .action((options: CreateOptions) => run(options, context));
}

/** Creates one article and shows it as the service stored it. */
export async function createArticle(options: CreateOptions, context: Context): Promise<void> {
  const given = await readDraft(options, context);
  if (options.editor !== true) return send(complete(given), options, context);
  const { writeInEditor } = await import('./new-text.ts');
  await writeInEditor(given, context, (draft) => send(draft, options, context));
}

async function send(
  draft: ArticleDraft,
  { idempotencyKey }: CreateOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const client = await context.client({ missing: 'make' });
  if (idempotencyKey !== undefined && !(await client.blog()).honoursIdempotencyKey) {
    await terminal.warn('This service knows no Idempotency-Key; the key has no effect.');
  }
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const { article, replayed } = await client.create(draft, key);
  const { id } = article;
  await terminal.notice(
    replayed ? `Article ${id} was created before with this key.` : `Created article ${id}.`,
  );
  await terminal.show(savedView(article));
}

/** A new article has a title and a content, which may be empty (api.md, Endpoint 2). */
function complete({ title, content }: PartialDraft): ArticleDraft {
  if (title === undefined) {
    throw new BlogctlError('usage', 'An article needs a title.', { hint: 'give --title <text>' });
  }
  if (content === undefined) {
    throw new BlogctlError('usage', 'An article needs a content.', {
      hint: 'give --content <text> or --content-file <file>; --content "" for an empty one',
    });
  }
  return { title, content };
}
