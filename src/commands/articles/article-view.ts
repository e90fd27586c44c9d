import { resolve } from 'node:path';
import { isOtherText, storedOtherwise } from '../../client/articles.ts';
import type { Article, ArticleDraft, BlogClient, Validators } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Change } from '../../importing/runs/journal-lines.ts';
import type { Undone } from '../../importing/runs/memory.ts';
import type { UndoWorld } from '../../importing/sending/undo.ts';
import { fileAddress, isOfProcess, type Target } from '../../settings/target.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { bold, counted, dim, inShell, type Piece, printableLine } from '../../terminal/text.ts';
import type { OneView } from '../../terminal/view.ts';

/** The members of an article that are shown, in this order. */
export type ArticleFields = Pick<Article, 'id' | 'title' | 'content'> & Address;

/** A URL where it can be opened; of an article in a file `file:blog.json#7`, which commands take. */
type Addressed = Pick<Article, 'url'> & { readonly id?: number };

export type Address = { readonly url?: string; readonly address?: string };

/** When it was last changed, in ISO 8601; absent where the service does not say it. */
export type Dated = ArticleFields & { readonly updated?: string };

export function fieldsOf({ id, title, content }: Article, address: Address): ArticleFields {
  return { id, title, ...(content !== undefined && { content }), ...address };
}

/** How the chosen blog is named, and its articles by their id. */
export async function addressing(context: Context): Promise<(of: Addressed) => Address> {
  const { value: target } = await context.chosen();
  if (target.kind === 'service') return ({ url }) => ({ url });
  return ({ id, url }) =>
    isOfProcess(url) ? { address: fileAddress(target, context, id) } : { url };
}

/** The same of an article by the address that was noted of it: of a file, whoever served it then. */
export function namingIn(target: Target, context: Context): (url: string) => string {
  if (target.kind === 'service') return (url) => url;
  return (url) => fileAddress(target, context, Number(url.replace(/^.*\//s, '')));
}

export const articleFields = ['id', 'title', 'content', 'url', 'address'] as const;

/** Those of the chosen blog: of the two names of a place its articles have one. */
export async function articleFieldsIn(context: Context) {
  const { value: target } = await context.chosen();
  const other = target.kind === 'service' ? 'address' : 'url';
  return articleFields.filter((name) => name !== other);
}

/** A date is read with each article alone, so it is shown to those who ask for it. */
export function asksForDates({ flags }: Context): boolean {
  return flags.field === 'updated' || flags.fields?.includes('updated') === true;
}

/** Its date (Last-Modified), where the service has one that can be read. */
export function dated(fields: ArticleFields, { lastModified = '' }: Validators): Dated {
  const date = new Date(lastModified);
  return Number.isNaN(date.getTime()) ? fields : { ...fields, updated: date.toISOString() };
}

const readAtOnce = 4;

/** Listings show no dates: each article is asked for its own. */
export async function datesOf(
  articles: readonly ArticleFields[],
  urls: ReadonlyMap<number, string>,
  { client, context: { terminal, signal } }: Asking,
): Promise<readonly Dated[]> {
  await terminal.notice(
    `The listing has no dates: ${articles.length} articles are read for theirs.`,
  );
  const found: Dated[] = [...articles];
  const waiting = articles.entries();
  const work = async () => {
    for (const [at, fields] of waiting) {
      signal.throwIfAborted();
      const { validators } = await client.article({ url: urls.get(fields.id) ?? '' });
      found[at] = dated(fields, validators);
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, work));
  const undated = found.filter(({ updated }) => updated === undefined).length;
  if (undated > 0) await terminal.warn(`The service has no date of ${undated} of these articles.`);
  return found;
}

type Asking = { readonly client: BlogClient; readonly context: Context };

/** One article, for reading; as Markdown it is what an import takes. */
export function viewOf(
  article: ArticleFields,
  body: ContentView,
  markdown: () => Promise<string>,
): OneView {
  return {
    one: article,
    columns: ['id', 'title', 'content'],
    // Of the two names of a place it has one.
    fields: [
      ...articleFields.filter((name) => !/^(?:url|address)$/.test(name) || name in article),
      'updated',
    ],
    human: () => [...readable(article, body), '\n'],
    markdown,
  };
}

/** Said where it is not what was sent that the service answers with. */
export async function tellIfOther(
  sent: ArticleDraft,
  stored: Article,
  { terminal }: Context,
): Promise<void> {
  if (isOtherText(sent, stored)) await terminal.warn(`Article ${stored.id}: ${storedOtherwise}`);
}

/** An article after a change: where it is, not the text that its writer has just seen. */
export async function savedView(article: Article, context: Context): Promise<OneView> {
  const { id, title } = article;
  const address = (await addressing(context))(article);
  return {
    one: fieldsOf(article, address),
    columns: ['id', 'title', address.url === undefined ? 'address' : 'url'],
    fields: articleFields,
    human: () => `#${id}  ${printableLine(title)}\n${printableLine(textOf(address))}\n`,
    done: `Article ${id} is saved all the same: blogctl articles get ${inShell(textOf(address))} shows it.`,
  };
}

function textOf({ url, address = '' }: Address): string {
  return url ?? address;
}

/** How a content is shown to a person. */
export type ContentView = (content: string) => readonly Piece[];

/** Title, where it stands, and the text, without the last line break. */
export function readable(
  { id, title, content, ...address }: ArticleFields,
  body: ContentView,
): readonly Piece[] {
  const place = dim(`#${id}  ${printableLine(textOf(address))}`);
  const text = content === undefined ? [dim('(no content)')] : body(content);
  const whole = text.at(-1) === '\n' ? text.slice(0, -1) : text;
  return [bold(printableLine(title)), '\n', place, '\n\n', ...whole];
}

/**
 * The addresses by which an import finds articles again that are written below a folder. A store file
 * is named by its path from there: what is written beside it may move with it.
 */
export async function portableAddresses(
  folder: string,
  context: Context,
): Promise<(of: Addressed) => string> {
  const { value: target } = await context.chosen();
  if (target.kind !== 'file') return ({ url }) => url;
  const from = { folder: resolve(context.folder, folder), mayLeadOut: true };
  return ({ id }) => fileAddress(target, from, id);
}

/** What an undo asks first, before it looks at what was changed or deleted since. */
export function undoQuestion(changes: readonly Change[], blog: string): string {
  const count = (name: 'created' | 'updated' | 'deleted') =>
    changes.filter((change) => name in change).length;
  const parts = [
    [count('created'), 'delete'],
    [count('updated'), 'put back'],
    [count('deleted'), 'create again'],
  ] as const;
  const most = (times: number) => (times === 1 ? '1' : `up to ${times}`);
  const said = parts
    .filter(([times]) => times > 0)
    .map(([times, what]) => `${what} ${most(times)}`);
  return `Undo on ${blog}: ${said.join(', ')}?`;
}

const mostNamed = 20;

/** Names the articles that an undo leaves or finds at a new address: of many the first, in a dry run all. */
export function createUndoTeller(
  terminal: Terminal,
  { dryRun, record }: Pick<UndoWorld, 'dryRun' | 'record'>,
) {
  let [kept, moved, restored] = [0, 0, 0];
  const isNamed = (count: number) => dryRun || count <= mostNamed;

  async function tell({ result, url, title = '', now }: Undone): Promise<void> {
    const what = `${url} "${title}"`;
    if (result === 'kept') {
      const again = now && `created again with another text: ${now}, once ${what}`;
      if (isNamed((kept += 1))) await terminal.warn(`Kept, ${again ?? `changed since: ${what}`}`);
    } else if (result === 'unknown') {
      await terminal.warn(`Sent, and not clearly answered: ${what}, to be created again`);
    } else if (dryRun && result !== 'nothing') await terminal.notice(`Would be ${result}: ${what}`);
    else if (now !== undefined) {
      if (result === 'restored') restored += 1;
      if (isNamed((moved += 1)))
        await terminal.notice(`${url} is ${now} now; links to it stay gone.`);
    }
  }

  async function end(): Promise<void> {
    const isNoted = restored > 0 && record.id !== undefined;
    const where = isNoted ? `; blogctl runs show ${record.id} names what this created` : '';
    if (!isNamed(moved)) await terminal.notice(`and ${moved - mostNamed} more${where}`);
    const left = `and ${kept - mostNamed} more kept; the same line with --dry-run names them all`;
    if (!isNamed(kept)) await terminal.warn(left);
  }

  return { tell, end };
}

export function undoSummary(
  counts: Readonly<Record<Undone['result'] | 'changes', number>>,
  dryRun: boolean,
): string {
  const would = dryRun ? 'would be ' : '';
  const { changes, deleted, restored, kept, nothing, unknown } = counts;
  const done = { [`${would}deleted`]: deleted, [`${would}restored`]: restored };
  const said = counted({ ...done, kept, 'nothing to do': nothing, unknown });
  return `${changes} ${changes === 1 ? 'change' : 'changes'}${said && `: ${said}`}.\n`;
}

export function someKept(kept: number, dryRun: boolean): BlogctlError {
  const [what, them] = kept === 1 ? ['1 article was', 'it'] : [`${kept} articles were`, 'them'];
  const would = dryRun ? 'would be ' : '';
  const message = `${what} changed since that run, and ${would}left alone.`;
  return new BlogctlError('partly-failed', message, {
    hint: `Look at ${them} with blogctl articles get; the others ${would || 'are '}undone.`,
  });
}

/** As an import says it of its records. */
export function someUnknown(unknown: number, candidates: readonly string[]): BlogctlError {
  const what = unknown === 1 ? '1 article' : `${unknown} articles`;
  const message = `Sent to be created again, and not clearly answered: ${what}.`;
  return new BlogctlError('partly-failed', message, {
    hint: 'The same line looks for them again, and creates none twice. Where the blog has none of them, blogctl articles create makes them.',
    details: candidates
      .slice(0, mostNamed)
      .map((url) => ({ detail: `${url} may be one of them: no answer accounts for it.` })),
  });
}
