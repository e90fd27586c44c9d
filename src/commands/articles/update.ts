import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  ArticleDraft,
  ArticleReference,
  BlogClient,
  Validators,
} from '../../client/blog-client.ts';
import { expectedAtOnce } from '../../client/articles.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { articleReference } from '../arguments.ts';
import { articleFields, savedView, tellIfOther } from './article-view.ts';
import { showsFields } from '../lazy-command.ts';
import { addDraftFlags, type DraftFlags, type PartialDraft, readDraft } from './draft-input.ts';
import { nameOf } from './named-articles.ts';

type UpdateFlags = DraftFlags & {
  readonly clearContent?: boolean;
  readonly replace?: boolean;
  readonly ifMatch?: string;
  readonly force?: boolean;
};

type UpdateOptions = UpdateFlags & { readonly article: ArticleReference };

export function define(command: Command, context: Context, run = updateArticle): void {
  showsFields(command, articleFields).argument(
    '<article>',
    'id or URL of the article',
    articleReference,
  );
  addDraftFlags(command);
  command
    .option('--clear-content', 'take the content away')
    .option('--replace', 'send exactly what is given: content not given is taken away')
    .addOption(
      new Option('--if-match <etag>', 'only if it still has this ETag')
        .argParser(entityTags)
        .conflicts('force'),
    )
    .option('--force', 'whatever was changed meanwhile')
    .addHelpText(
      'after',
      `
Examples:
  blogctl articles update 7 --title "A better title"
  blogctl articles update 7 --content-file text.md
  blogctl articles update 7 --clear-content`,
    )
    .action((article: ArticleReference, flags: UpdateFlags) => run({ ...flags, article }, context));
}

const tagList = /^(?:(?:W\/)?"[!#-~\u0080-\u00ff]*"[ \t]*(?:,[ \t]*|$))+$/;

/**
 * What If-Match can say of a version: `*`, or ETags of which one is strong (RFC 9110, 13.1.1). Anything else
 * never holds, and would be taken for a change that somebody made.
 */
export function entityTags(text: string): string {
  const given = text.trim();
  if (given === '*') return given;
  if (!tagList.test(given)) {
    throw new InvalidArgumentError(
      `Write an ETag as it was shown, with the quotes that are part of it: '"1-2eebd133"'.`,
    );
  }
  if (/(?:^|[\s,])"/.test(given)) return given;
  throw new InvalidArgumentError(
    'No change can go by a weak ETag (W/…). Without the flag it goes by the version that is read just before.',
  );
}

/**
 * Changes what was given and keeps the rest: reads the article, merges, and puts it back on
 * condition that nobody changed it meanwhile (interface, Endpoints, rules 3, 4 and 9).
 */
async function updateArticle(options: UpdateOptions, context: Context): Promise<void> {
  const { article: reference } = options;
  context.terminal.requireFields(articleFields);
  const given = await readDraft(options, context);
  requireChange(given, options);
  const client = await context.client();
  const { draft, expected } =
    options.replace === true
      ? { draft: exactly(given), expected: await versionToReplace(options, client) }
      : await merge(given, options, client);
  const condition = conditionOf(options, expected);
  await tellIfUnguarded(condition, options, context.terminal);
  const { article } = await client.replace(reference, draft, condition);
  await context.terminal.notice(`Updated article ${article.id}.`);
  await tellIfOther(draft, article, context);
  await context.terminal.show(await savedView(article, context));
}

function requireChange(given: PartialDraft, { article, clearContent }: UpdateOptions): void {
  if (given.title !== undefined || given.content !== undefined || clearContent === true) return;
  throw new BlogctlError('usage', `Nothing is given to change in ${nameOf(article)}.`, {
    hint: 'Give --title, --content, --content-file <file>, - for stdin, --from-file or --clear-content.',
  });
}

function exactly({ title, content }: PartialDraft): ArticleDraft {
  if (title === undefined) {
    throw new BlogctlError('usage', '--replace needs the title as well.', {
      hint: 'Give --title, or leave --replace out to keep what is not given.',
    });
  }
  return { title, ...(content !== undefined && { content }) };
}

type Version = { readonly draft: ArticleDraft; readonly expected: Validators };

async function merge(
  given: PartialDraft,
  { article: reference, clearContent }: UpdateOptions,
  client: BlogClient,
): Promise<Version> {
  const { article, validators } = await client.article(reference);
  const content = clearContent === true ? undefined : (given.content ?? article.content);
  return {
    draft: { title: given.title ?? article.title, ...(content !== undefined && { content }) },
    expected: validators,
  };
}

/** What is replaced whole is read to know its version, and that it is the article that was named. */
async function versionToReplace(options: UpdateOptions, client: BlogClient): Promise<Validators> {
  return (await client.article(options.article)).validators;
}

function conditionOf({ force, ifMatch }: UpdateOptions, read: Validators): Validators {
  if (force === true) return {};
  return ifMatch === undefined ? expectedAtOnce(read) : { etag: ifMatch };
}

async function tellIfUnguarded(
  { etag, lastModified }: Validators,
  { force }: UpdateOptions,
  terminal: Terminal,
): Promise<void> {
  if (force === true || etag !== undefined || lastModified !== undefined) return;
  await terminal.notice('This service names no versions: a change made meanwhile is not noticed.');
}
