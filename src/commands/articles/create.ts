import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { NewArticle } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { articleFields, articleFieldsIn, savedView, tellIfOther } from './article-view.ts';
import { showsFields } from '../lazy-command.ts';
import { addDraftFlags, type DraftFlags, type PartialDraft, readDraft } from './draft-input.ts';
import { inShell } from '../../terminal/text.ts';

type CreateOptions = DraftFlags & {
  readonly idempotencyKey?: string;
  /** What was given is the beginning; the rest is written in an editor. */
  readonly editor?: boolean;
};

export function define(command: Command, context: Context, run = createArticle): void {
  addDraftFlags(command);
  showsFields(command, articleFields)
    .option('--editor', 'write it in $EDITOR')
    .option('--idempotency-key <key>', 'the same key again creates no second article', keyText)
    .addHelpText(
      'after',
      `
On a terminal what is not given is asked for.

Examples:
  blogctl articles create
  blogctl articles create --title "Hello" --content "First words"
  blogctl articles create --title "Notes" --content-file notes.md
  generate-post | blogctl articles create --from-file - --format ids`,
    )
    .action((options: CreateOptions) => run(options, context));
}

/** What a header field can carry; the rest is for the service to say. */
function keyText(text: string): string {
  if (/^[ -~]+$/.test(text)) return text;
  throw new InvalidArgumentError('A key has visible ASCII characters alone.');
}

/** Creates one article and shows it as the service stored it. */
export async function createArticle(options: CreateOptions, context: Context): Promise<void> {
  const { terminal } = context;
  terminal.requireFields(await articleFieldsIn(context));
  if (options.editor === true) {
    const { requireEditor } = await import('./edited-text.ts');
    requireEditor(context, 'Give --content or --content-file');
  }
  const given = await readDraft(options, context);
  const draft = options.editor === true ? given : await askFor(given, options, context);
  if (options.editor !== true && draft.content !== undefined) {
    return send(complete(draft), options, context);
  }
  const { writeInEditor } = await import('./edited-text.ts');
  await writeInEditor(draft, context, (written) => send(written, options, context));
}

/**
 * Asks a person for what was not given; without a line of content it is written in an editor. Where
 * nobody can be asked, what was given has to do.
 */
async function askFor(
  given: PartialDraft,
  { contentFile, fromFile }: CreateOptions,
  { terminal }: Context,
): Promise<PartialDraft> {
  const isWhole = given.title !== undefined && given.content !== undefined;
  if (isWhole || !terminal.mayAsk || contentFile === '-' || fromFile === '-')
    return complete(given);
  let title = given.title ?? (await terminal.ask({ text: 'Title: ' }));
  const text = 'Content (empty to write it in your editor): ';
  const content = given.content ?? (await terminal.ask({ text, isText: true }));
  if (given.content === undefined && content === '') return { title };
  // No service takes an article without one, and what was typed would be lost.
  while (title.trim() === '') title = await terminal.ask({ text: 'A title is needed: ' });
  return { title, content };
}

async function send(
  draft: NewArticle,
  { idempotencyKey }: CreateOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const client = await context.client({ missing: 'make' });
  const { honoursIdempotencyKey } = await client.blog();
  if (idempotencyKey !== undefined && !honoursIdempotencyKey) {
    await terminal.warn('This service knows no Idempotency-Key; the key has no effect.');
  }
  // With a key of its own the request can be repeated until it is answered, and creates one article.
  const key = idempotencyKey ?? randomUUID();
  const { article, replayed } = await client
    .create(draft, { idempotencyKey: key })
    .catch((error: unknown) => {
      throw honoursIdempotencyKey ? namingKey(key, error, idempotencyKey !== undefined) : error;
    });
  const { id } = article;
  const isOlder = replayed && idempotencyKey !== undefined;
  await terminal.notice(
    isOlder ? `Article ${id} was created before with this key.` : `Created article ${id}.`,
  );
  if (!isOlder) await tellIfOther(draft, article, context);
  await terminal.show(await savedView(article, context));
}

/** Failures that leave open whether the article was created. */
const unclear: ReadonlySet<string> = new Set([
  'unreachable',
  'service-failed',
  'interrupted',
  'terminated',
]);

/**
 * The failure, with the way to try again that cannot create a second article: without a key that somebody
 * gave, the same command would.
 */
function namingKey(key: string, error: unknown, isGiven: boolean): unknown {
  if (!(error instanceof BlogctlError)) return error;
  const { code, message, context } = error;
  const isUnclear = context.afterUnclearAnswer === true || context.maybeDone === true;
  if (!unclear.has(code) && !isUnclear) return error;
  const retryable = isGiven && context.retryable === true;
  return new BlogctlError(code, message, { ...context, retryable }).hinting(
    `The same again with --idempotency-key ${inShell(key)} creates no second article.`,
  );
}

/** A new article has a title and a content, which may be empty (interface, Endpoints, rule 12). */
function complete({ title, content }: PartialDraft): NewArticle {
  if (title === undefined) {
    throw new BlogctlError('usage', 'An article needs a title.', {
      hint: 'Give --title <text>, or --from-file <file>, which is - for JSON on stdin.',
    });
  }
  if (content === undefined) {
    throw new BlogctlError('usage', 'An article needs a content.', {
      hint: 'Give --content <text> or --content-file <file>, - for stdin; --content "" for an empty one.',
    });
  }
  return { title, content };
}
