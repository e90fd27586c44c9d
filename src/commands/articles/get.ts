import { dirname } from 'node:path';
import type { Command } from 'commander';
import type {
  Article,
  ArticleReference,
  BlogClient,
  VersionedArticle,
} from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { articleReferences } from '../arguments.ts';
import {
  addressing,
  articleFields,
  asksForDates,
  type ContentView,
  dated,
  type Dated,
  fieldsOf,
  readable,
  viewOf,
} from './article-view.ts';
import { showsFields } from '../lazy-command.ts';
import { createAttempts, type NamedArticle, resolveNamed } from './named-articles.ts';
import { chosenStore } from '../open-file.ts';
import { storeFlag } from '../store-file.ts';

type GetFlags = { readonly web?: boolean };
type GetOptions = GetFlags & { readonly articles: readonly NamedArticle[] };

export function define(command: Command, context: Context, run = getArticles): void {
  showsFields(command, [...articleFields, 'updated'])
    .argument('<article...>', 'id, URL, or - for one a line on stdin', articleReferences)
    .option('-w, --web', 'open it in a browser, on the pages that blogctl serve has')
    .addHelpText(
      'after',
      `
On a terminal Markdown is shown as it is meant; --field content is the text itself.

Examples:
  blogctl articles get 7
  blogctl articles get 7 8 --format ndjson
  blogctl articles list --format ids | blogctl articles get - --json`,
    )
    .action((articles: readonly NamedArticle[], flags: GetFlags) =>
      run({ ...flags, articles }, context),
    );
}

/** Reads one article as a document, several as a list in the order they were named. */
async function getArticles({ articles, web }: GetOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const references = await resolveNamed(articles, context);
  const client = await context.client();
  const addressOf = await addressing(context);
  const [only] = articles;
  const isDated = asksForDates(context);
  const shown = ({ article, validators }: VersionedArticle): Dated => {
    const fields = fieldsOf(article, addressOf(article));
    return isDated ? dated(fields, validators) : fields;
  };
  const body = await bodyFor(terminal);
  if (web === true) return openPages(references, client, context);
  if (articles.length === 1 && only !== undefined && only !== '-') {
    const found = await client.article(only);
    return terminal.show(viewOf(shown(found), body, () => markdownOf(found.article, context)));
  }
  const attempts = createAttempts(references.length, terminal);
  await terminal.show({
    many: attempts.each(references, async (each) => shown(await client.article(each))),
    columns: ['id', 'title', 'content'],
    fields: [...articleFields, 'updated'],
    text: (row) => [...readable(row, body), '\n'],
  });
  attempts.conclude();
}

const widestText = 100;

/** Only a person is shown Markdown as it is meant. */
async function bodyFor(terminal: Terminal): Promise<ContentView> {
  if (terminal.format !== 'table') return (content) => [content];
  const { renderMarkdown } = await import('../../terminal/rendered-markdown.ts');
  const width = Math.min(terminal.columns(), widestText);
  return (content) => renderMarkdown(content, width);
}

/**
 * The pages of a service are at its root, and show what stands behind the `#`. A browser is led nowhere
 * else by what an article says of its place: only who serves a file of ours knows its public address.
 */
async function openPages(
  references: readonly ArticleReference[],
  client: BlogClient,
  context: Context,
): Promise<void> {
  const { openInBrowser } = await import('../../terminal/subprocess.ts');
  const addressOf = await addressing(context);
  const { value: target } = await context.chosen();
  for (const reference of references) {
    const { article, readAt = article.url } = await client.article(reference);
    const { url } = addressOf(target.kind === 'file' ? article : { ...article, url: readAt });
    if (url === undefined) throw nobodyServes(article, (await chosenStore(context)) ?? '');
    const { origin, pathname } = new URL(url);
    const page = `${origin}/#${pathname}`;
    await context.terminal.notice(`Opening ${page}`);
    await openInBrowser(page, context);
  }
}

function nobodyServes({ id }: Article, store: string): BlogctlError {
  return new BlogctlError('usage', `Nobody serves the file of article ${id} at present.`, {
    hint: `Serve it with blogctl serve ${storeFlag(store)}; then run the same again.`,
  });
}

/** As an export writes it: known again by the blog it comes from. */
async function markdownOf(article: Article, context: Context): Promise<string> {
  const { portableAddresses } = await import('./article-view.ts');
  const { portableMarkdown } = await import('../../exporting.ts');
  const addressOf = await portableAddresses(dirname(context.flags.output ?? '-'), context);
  return portableMarkdown({ ...article, url: addressOf(article) });
}
