import type { Command } from 'commander';
import { expectedNow } from '../../client/articles.ts';
import type {
  Article,
  ArticleReference,
  BlogClient,
  Validators,
} from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { printableLine } from '../../terminal/text.ts';
import type { RunJournal } from '../../importing/runs/runs.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { articleReferences } from '../arguments.ts';
import { type Address, addressing } from './article-view.ts';
import { showsFields } from '../lazy-command.ts';
import { createAttempts, type NamedArticle, resolveNamed } from './named-articles.ts';
import { entityTags } from './update.ts';
import { runsFolder, targetName } from '../../settings/target.ts';

type DeleteFlags = { readonly ignoreMissing?: boolean; readonly ifMatch?: string };
type DeleteOptions = DeleteFlags & { readonly articles: readonly NamedArticle[] };

export function define(command: Command, context: Context, run = deleteArticles): void {
  showsFields(command, ['id', 'result', 'url', 'address'])
    .argument('<article...>', 'id, URL, or - for one a line on stdin', articleReferences)
    .option('--ignore-missing', 'an article that is not there is no failure')
    .option('--if-match <etag>', 'only if it still has this ETag (one article)', entityTags)
    .addHelpText(
      'after',
      `
Asks first; -y answers yes, and is needed where nobody can be asked.

Examples:
  blogctl articles delete 7
  blogctl articles delete 7 8 9 -y --ignore-missing
  blogctl articles list --format ids | blogctl articles delete - -y`,
    )
    .action((articles: readonly NamedArticle[], flags: DeleteFlags) =>
      run({ ...flags, articles }, context),
    );
}

type Result = Address & {
  readonly id?: number;
  readonly result: 'deleted' | 'missing';
};

/** What was found where an article was named: the version to delete, or nothing. */
type FoundArticle =
  | {
      readonly kind: 'article';
      readonly reference: ArticleReference;
      readonly article: Article;
      readonly validators: Validators;
      readonly readAt: string;
      /** Given with the line, not read. */
      readonly ifMatch: string | undefined;
    }
  | { readonly kind: 'missing'; readonly reference: ArticleReference };

/**
 * Reads what is to be deleted, asks with its titles, and deletes on condition that nobody changed
 * it meanwhile (interface, Endpoints, rule 9).
 */
async function deleteArticles(options: DeleteOptions, context: Context): Promise<void> {
  const { terminal } = context;
  requireOneKind(options);
  const references = await resolveNamed(options.articles, context);
  requireOneForTag(options, references);
  const client = await context.client();
  const attempts = createAttempts(references.length, terminal);
  const found: FoundArticle[] = [];
  for (const reference of references) {
    const each = await attempts.attempt(() => look(reference, options, client));
    if (each !== undefined && !found.some((other) => isSame(each, other))) found.push(each);
  }
  await confirm(found, context);
  const record = await recordOf(found, context);
  const addressOf = await addressing(context);
  const isInFile = found.some(
    (each) => each.kind === 'article' && addressOf(each.article).address !== undefined,
  );
  const deleted: Result[] = [];
  const removed = async (each: FoundArticle) => {
    const result = await remove(each, { client, record, addressOf });
    if (result.result === 'deleted') deleted.push(result);
    return result;
  };
  await terminal.show({
    many: attempts.each(found, removed),
    columns: ['id', 'result', isInFile ? 'address' : 'url'],
    text: (result) => (result.result === 'deleted' ? 'Deleted ' : 'Not there: ') + labelOf(result),
    get done() {
      return deleted.length === 0
        ? undefined
        : (`Deleted all the same: ${deleted.map(labelOf).join(', ')}.` as const);
    },
  });
  await record?.end({ deleted: deleted.length });
  attempts.conclude();
}

/** What they were is kept, so that it can be brought back (`runs undo`). */
async function recordOf(
  found: readonly FoundArticle[],
  context: Context,
): Promise<RunJournal | undefined> {
  if (found.every(({ kind }) => kind === 'missing')) return undefined;
  const { openRunJournal } = await import('../../importing/runs/runs.ts');
  const { value: target } = await context.chosen();
  const blog = targetName(target);
  const run = {
    command: 'articles delete',
    blog,
    folder: context.folder,
    sources: [],
    options: {},
  };
  return openRunJournal(runsFolder(context), run);
}

/** Where stdin is empty, `1 - 3` would be two articles; and most mean those between as well. */
function requireOneKind({ articles }: DeleteOptions): void {
  if (!articles.includes('-') || articles.length === 1) return;
  throw new BlogctlError(
    'usage',
    '- stands for all lines of stdin, and others are named beside it.',
    {
      hint: 'Name each article on the line, or each on stdin.',
    },
  );
}

function requireOneForTag({ ifMatch }: DeleteFlags, references: readonly unknown[]): void {
  if (ifMatch === undefined || references.length === 1) return;
  throw new BlogctlError('usage', '--if-match goes with one article, not several.', {
    hint: 'Each article has an ETag of its own; without the flag the one just read is used.',
  });
}

async function look(
  reference: ArticleReference,
  { ignoreMissing, ifMatch }: DeleteFlags,
  client: BlogClient,
): Promise<FoundArticle> {
  try {
    const read = await client.article(reference);
    return { kind: 'article', reference, ifMatch, readAt: read.article.url, ...read };
  } catch (error) {
    if (ignoreMissing !== true || !isMissing(error)) throw error;
    return { kind: 'missing', reference };
  }
}

/** One article may be named by its id and by its address. */
function isSame(each: FoundArticle, other: FoundArticle): boolean {
  return each.kind === 'article' && other.kind === 'article' && each.readAt === other.readAt;
}

function isMissing(error: unknown): boolean {
  return error instanceof BlogctlError && (error.code === 'not-found' || error.code === 'gone');
}

/** So many are not deleted by a mere y. */
const many = 20;

async function confirm(found: readonly FoundArticle[], context: Context): Promise<void> {
  const { terminal } = context;
  const labels = found.flatMap((each) =>
    each.kind === 'article' ? [printableLine(`${each.article.id} "${each.article.title}"`)] : [],
  );
  const [only] = labels;
  if (only === undefined) return;
  const blog = await context.announceBlog();
  if (labels.length > 1 && terminal.mayAsk) await listOf(labels, terminal);
  const isSure =
    labels.length === 1
      ? await terminal.confirm(`Delete article ${only} of ${blog}?`)
      : await terminal.confirm(
          `Delete ${labels.length} articles of ${blog}?`,
          labels.length > many ? String(labels.length) : undefined,
        );
  if (!isSure) throw new BlogctlError('cancelled', 'Cancelled: nothing was deleted.');
}

async function listOf(labels: readonly string[], terminal: Terminal): Promise<void> {
  for (const label of labels.slice(0, many)) await terminal.notice(`  ${label}`);
  if (labels.length > many) await terminal.notice(`  and ${labels.length - many} more`);
}

type Removing = {
  readonly client: BlogClient;
  readonly record: RunJournal | undefined;
  readonly addressOf: (article: Pick<Article, 'id' | 'url'>) => Address;
};

async function remove(
  { reference, ...found }: FoundArticle,
  { client, record, addressOf }: Removing,
): Promise<Result> {
  if (found.kind === 'missing') {
    return 'id' in reference
      ? { id: reference.id, result: 'missing' }
      : { ...reference, result: 'missing' };
  }
  const { id, title, content } = found.article;
  const expected = await expectedOf(reference, found, client);
  // What was asked for, wherever the article says it is.
  const url = found.readAt;
  const { noteBefore } = await import('../../importing/runs/runs.ts');
  const deletion = { deleted: url, before: { title, ...(content !== undefined && { content }) } };
  await noteBefore(record, deletion, () => client.remove(reference, expected));
  return { id, ...addressOf({ id, url }), result: 'deleted' };
}

/** Somebody may have changed it while the question was there. */
async function expectedOf(
  reference: ArticleReference,
  { article, validators, ifMatch }: Omit<Extract<FoundArticle, { kind: 'article' }>, 'reference'>,
  client: BlogClient,
): Promise<Validators> {
  if (ifMatch !== undefined) return { etag: ifMatch };
  const again = async () => (await client.article(reference)).article;
  const expected = await expectedNow({ text: article, validators }, again);
  if (expected !== undefined) return expected;
  throw new BlogctlError('precondition-failed', `Article ${article.id} was changed meanwhile.`, {
    hint: 'See it as it is now with blogctl articles get, and delete it again.',
  });
}

function labelOf({ id, url }: Result): string {
  return id === undefined ? printableLine(url ?? '') : `article ${id}`;
}
