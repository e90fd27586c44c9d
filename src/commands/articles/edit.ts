import type { Command } from 'commander';
import { expectedNow, hasCondition } from '../../client/articles.ts';
import type {
  Article,
  ArticleDraft,
  ArticleReference,
  BlogClient,
  VersionedArticle,
} from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { changesOf, diffLines } from '../../terminal/diff.ts';
import { green, inShell, red } from '../../terminal/text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { articleReference } from '../arguments.ts';
import { articleFields, savedView, tellIfOther } from './article-view.ts';
import { showsFields } from '../lazy-command.ts';
import {
  editUntilRead,
  fromEdited,
  keepText,
  type KeptText,
  requireEditor,
  toMarkdown,
} from './edited-text.ts';

type EditOptions = { readonly article: ArticleReference };

export function define(command: Command, context: Context, run = editArticle): void {
  showsFields(command, articleFields)
    .argument('<article>', 'id or URL of the article', articleReference)
    .addHelpText(
      'after',
      `
Opens the article in $BLOGCTL_EDITOR, $VISUAL or $EDITOR, shows what changed and asks before it
is saved. Whatever fails, your text is kept and its path is printed.

Examples:
  blogctl articles edit 7
  EDITOR="code --wait" blogctl articles edit 7`,
    )
    .action((article: ArticleReference) => run({ article }, context));
}

/** Edits an article; it is saved on condition that nobody changed it meanwhile. */
async function editArticle({ article }: EditOptions, context: Context): Promise<void> {
  const { terminal } = context;
  requireSomebody(context);
  terminal.requireFields(articleFields);
  const reader = await context.client();
  const base = await reader.article(article);
  const isReleased = await context.release();
  const before = toMarkdown(base.article);
  const { id } = base.article;
  const guard = guardOf(base);
  const kept = { name: `article-${id}`, text: before, save: `update ${id}`, guard };
  const text = await keepText(kept, context);
  try {
    const draft = await editUntilRead(text, context, (edited) =>
      edited === before ? base.article : fromEdited(edited, text.path, base.article),
    );
    if (isSame(draft, base.article)) {
      await text.remove();
      return await terminal.notice('Nothing was changed.');
    }
    await ask(draft, base, terminal);
    const client = isReleased ? await context.client() : reader;
    const saved = await save(draft, { base, article, client }).catch((error: unknown) =>
      explainConflict(error, { text, base, article }, context),
    );
    if (!hasCondition(base.validators)) await terminal.notice(unversioned);
    await text.remove();
    await terminal.notice(`Updated article ${saved.id}.`);
    await tellIfOther(draft, saved, context);
    await terminal.show(await savedView(saved, context));
  } catch (error) {
    throw error instanceof BlogctlError ? text.mention(error) : error;
  }
}

/** Found out before the editor opens, not after an hour of writing. */
function requireSomebody(context: Context): void {
  const { terminal, flags } = context;
  if (terminal.mayAsk) return;
  if (flags.yes === true) return requireEditor(context, 'Use blogctl articles update');
  throw new BlogctlError('usage', 'Nobody can be asked here whether to save.', {
    hint: 'Give -y to save without a question, or use blogctl articles update.',
  });
}

function isSame(draft: ArticleDraft, { title, content }: ArticleDraft): boolean {
  return draft.title === title && draft.content === content;
}

async function ask(
  draft: ArticleDraft,
  { article }: VersionedArticle,
  terminal: Terminal,
): Promise<void> {
  const shown = {
    same: (line: string) => `  ${line}`,
    removed: (line: string) => red(`- ${line}`),
    added: (line: string) => green(`+ ${line}`),
  };
  for (const { kind, text } of changesOf(diffLines(toMarkdown(article), toMarkdown(draft)))) {
    await terminal.notice(shown[kind](text));
  }
  if (await terminal.confirm(`Save article ${article.id}?`)) return;
  throw new BlogctlError('cancelled', 'Cancelled: the article is unchanged.');
}

function guardOf({ validators: { etag } }: VersionedArticle): string {
  return etag === undefined || etag.startsWith('W/') ? '' : ` --if-match ${inShell(etag)}`;
}

const unversioned =
  'This service names no versions: the article was read again just before it was saved.';

type Saving = Omit<Conflict, 'text'> & { readonly client: BlogClient };

/** On condition that the article still is what was edited. */
async function save(draft: ArticleDraft, { base, article, client }: Saving): Promise<Article> {
  const read = { text: base.article, validators: base.validators };
  const expected = await expectedNow(read, async () => (await client.article(article)).article);
  if (expected === undefined) {
    throw new BlogctlError('precondition-failed', 'The article was changed since it was read.');
  }
  return (await client.replace(article, draft, expected)).article;
}

type Conflict = {
  readonly text: KeptText;
  readonly base: VersionedArticle;
  readonly article: ArticleReference;
};

/** Somebody was faster: their version and the one we began with are put beside ours. */
async function explainConflict(
  error: unknown,
  { text, base, article }: Conflict,
  context: Context,
): Promise<never> {
  if (!(error instanceof BlogctlError) || error.code !== 'precondition-failed') throw error;
  const client = await context.client();
  const theirs = await client.article(article);
  const paths = {
    base: await text.beside('base', toMarkdown(base.article)),
    theirs: await text.beside('theirs', toMarkdown(theirs.article)),
  };
  const { id } = base.article;
  throw new BlogctlError('precondition-failed', `Article ${id} was changed while you edited it.`, {
    ...error.context,
    details: [
      { detail: `yours:  ${text.path}` },
      { detail: `theirs: ${paths.theirs}` },
      { detail: `before: ${paths.base}` },
    ],
    hint: `Merge them, for example with git merge-file, and save with ${text.saving}${guardOf(theirs)} --from-file <file>.`,
  });
}
