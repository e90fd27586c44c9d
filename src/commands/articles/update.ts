import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  Article,
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
import { flagsOfBlog, nameOf } from './named-articles.ts';
import { fileInShell } from '../../terminal/text.ts';

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
  const whole = options.replace === true ? exactly(given) : undefined;
  const client = await context.client();
  // What is replaced whole is read to know its version, and that it is the article that was named.
  const { article: before, validators } = await client.article(reference);
  await requireOwn(given, { before, from: options.fromFile ?? '-', client }, context);
  const draft = whole ?? merged(given, options, before);
  const condition = conditionOf(options, validators);
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

function merged(
  given: PartialDraft,
  { clearContent }: UpdateOptions,
  before: ArticleDraft,
): ArticleDraft {
  const content = clearContent === true ? undefined : (given.content ?? before.content);
  return { title: given.title ?? before.title, ...(content !== undefined && { content }) };
}

type Updating = {
  readonly before: Article;
  /** The file that was given. */
  readonly from: string;
  readonly client: BlogClient;
};

/** The text of another article of the blog, by its own word, would be there twice, and this one lost. */
async function requireOwn(
  { address }: PartialDraft,
  { before, from, client }: Updating,
  context: Context,
): Promise<void> {
  if (address === undefined) return;
  const { articleAddress } = await import('../../importing/sources/identity.ts');
  const { createFindOwn } = await import('../../importing/sending/own-articles.ts');
  const { value: target } = await context.chosen();
  const findOwn = createFindOwn(client, target.kind === 'file' ? target : undefined);
  const named = articleAddress(address, resolve(context.folder, dirname(from)));
  const own = named === undefined ? undefined : await findOwn(named);
  if (own === undefined || own.id === before.id) return;
  const [given, file] = from === '-' ? ['stdin', from] : [from, fileInShell(from)];
  const message = `${given} says that it is article ${own.id}, not ${before.id} ("${before.title}").`;
  const line = `blogctl articles update ${own.id} ${await flagsOfBlog(context)} --from-file ${file}`;
  throw new BlogctlError('usage', message, {
    hint: `Run \`${line}\` to update that one. Where the text is meant for article ${before.id}, take out what names the other: ${address}.`,
  });
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
