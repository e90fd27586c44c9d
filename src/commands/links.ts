import type { Command } from 'commander';
import { addressOf } from '../client/articles.ts';
import type { ArticleReference } from '../client/blog-client.ts';
import { exchange } from '../client/exchange.ts';
import type { Connection, Context } from './context.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import {
  addressOfStep,
  documentationOf,
  linksOf,
  readStep,
  requireLink,
  targetOf,
  withQuery,
} from '../hal/links.ts';
import { asPaths } from '../settings/target.ts';
import { inShell } from '../terminal/text.ts';
import { type ManyView, ownName } from '../terminal/view.ts';
import { articleReference } from './arguments.ts';
import { addressing } from './articles/article-view.ts';
import { showsFields } from './lazy-command.ts';

type LinksOptions = { readonly names: readonly string[] };

export function define(command: Command, context: Context, run = showLinks): void {
  command
    .argument('[place-or-rel...]', 'where to begin (URL or path), then relations to follow')
    .addHelpText(
      'after',
      `
Begins at the blog where no place is given. A relation that occurs several times is
counted from 0, as in item[2].

Examples:
  blogctl links
  blogctl links doc:articles
  blogctl links articles/7 doc:blog --json`,
    )
    .action((names: readonly string[]) => run({ names }, context));
}

/** Shows what can be followed from a resource. */
async function showLinks({ names }: LinksOptions, context: Context): Promise<void> {
  const connection = await context.connection();
  const url = await walk({ steps: names }, connection).catch((error: unknown) => {
    throw asPlace(error, names);
  });
  const answer = await exchange(connection.transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}

export function defineBlog(command: Command, context: Context, run = showBlog): void {
  showsFields(command, ['id', 'title', 'description', 'articles', 'url', 'address'])
    .addHelpText(
      'after',
      `
Examples:
  blogctl blog
  blogctl blog --blog https://blog.example/api/v1.2/blogs/1 --json`,
    )
    .action(() => run(context));
}

/** Shows the blog root: title, description, address and the number of articles. */
async function showBlog(context: Context): Promise<void> {
  const client = await context.client();
  const { id, title, description, url } = await client.blog();
  const address = (await addressing(context))({ url });
  let articles: number | undefined;
  for await (const page of client.pages({ pageSize: 1 })) {
    articles = page.totalArticles;
    break;
  }
  await context.terminal.show({
    one: { id, title, description, articles, ...address },
    columns: ['id', 'title', 'description', 'articles', 'url' in address ? 'url' : 'address'],
  });
}

/** Whoever says `article 7` or `list` means a place; where a relation has that name, it is followed. */
function asPlace(error: unknown, [first = '', ...others]: readonly string[]): unknown {
  if (!(error instanceof BlogctlError) || error.code !== 'broken-contract') return error;
  const id = others.length === 1 ? /^#?([1-9]\d*)$/.exec(others[0] ?? '')?.[1] : undefined;
  if (!/^[a-z]+$/.test(first) || (id === undefined && others.length > 0)) return error;
  return error.hinting(
    id === undefined
      ? 'Without a word, blogctl links shows those of the blog.'
      : `An article is named in one word, as in blogctl links articles/${id}.`,
  );
}

type ArticleLinksOptions = { readonly article: ArticleReference };

export function defineArticleLinks(
  command: Command,
  context: Context,
  run = showArticleLinks,
): void {
  command
    .argument('<article>', 'id or URL of the article', articleReference)
    .addHelpText('after', '\nExamples:\n  blogctl articles links 7')
    .action((article: ArticleReference) => run({ article }, context));
}

/** Shows what can be followed from an article. */
async function showArticleLinks({ article }: ArticleLinksOptions, context: Context): Promise<void> {
  const { transport, blogUrl } = await context.connection();
  const blog = (await exchange(transport, { method: 'GET', url: blogUrl })).document();
  const collection = targetOf(blog, requireLink(blog, 'doc:articles'));
  const url = addressOf(article, collection);
  const answer = await exchange(transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}

/** Which relations a walk follows from the blog on, or from the place that the first step names. */
type Walk = {
  readonly steps: readonly string[];
  /** Fills the template of the last step, or becomes the query where there is none. */
  readonly values?: Readonly<Record<string, string>>;
};

/** The address a walk ends at; every document on the way is read, the last is not. */
export async function walk(
  { steps: [first, ...others], values = {} }: Walk,
  { transport, blogUrl }: Connection,
): Promise<string> {
  const place = first === undefined ? undefined : placeOf(first, blogUrl);
  const begin = place === undefined ? blogUrl : addressOfStart(place, blogUrl);
  const rels = first === undefined || place !== undefined ? others : [first, ...others];
  let url = rels.length === 0 ? withQuery(begin, values) : begin;
  for (const [at, step] of rels.map(readStep).entries()) {
    const answer = await exchange(transport, { method: 'GET', url });
    const isLast = at === rels.length - 1;
    try {
      url = addressOfStep(answer.document(), step, isLast ? values : {});
    } catch (error) {
      throw at === 0 ? namedHere(error, first) : error;
    }
  }
  return url;
}

/** Others call them posts, and name whose they are. */
export function namedHere(error: unknown, step = ''): unknown {
  const [, more] =
    /^\/?(?:repos\/[^/]+\/[^/]+\/|(?:wp-json\/)?wp\/v2\/)?(?:(?:post|issue)s?|article(?=\/))((?:\/[1-9]\d*)?(?:\?.*)?)$/.exec(
      step,
    ) ?? [];
  const isUser = /^\/?(?:user|users\/me|me|whoami)$/.test(step);
  if ((more === undefined && !isUser) || !(error instanceof BlogctlError)) return error;
  const hint: Hint = isUser
    ? 'There are no users: `blogctl auth status` says which blog and token are used.'
    : `Write ${inShell(`articles${more}`)} for ${inShell(step)}.`;
  return new BlogctlError(error.code, error.message, { ...error.context, hint });
}

/** What a refused article lacks, or calls otherwise, is said in a line of the command that writes one. */
export function byCommand(
  error: unknown,
  { value = {}, place = '', method }: Sent,
  { flags }: Context,
): unknown {
  const [all, id] = /^\/?articles(?:\/([1-9]\d*))?$/.exec(place) ?? [];
  const texts = Object.entries(value).map(([name, text]) => [ownName(name), text] as const);
  const isOurs = texts.every(([name, text]) => /^(?:title|content)$/.test(name) && text[0] !== '@');
  const given = new Map(texts);
  const isNew = id === undefined && method === 'POST';
  const isRefused = error instanceof BlogctlError && error.context.status === 422;
  if (!isRefused || all === undefined || !isOurs || given.size < texts.length) return error;
  const isBare = isNew && !given.has('content');
  const isOther = isBare || !given.has('title') || texts.some(([name]) => !(name in value));
  const isWhole = isNew ? given.has('title') : id !== undefined && given.size > 0;
  if (!isOther || !isWhole || given.get('title')?.trim() === '') return error;
  const chosen = Object.entries({ blog: flags.blog, profile: flags.profile });
  const named = [...texts, ...(isBare ? [['content', ''] as const] : []), ...chosen];
  const words = named.flatMap(([name, text]) =>
    text === undefined ? [] : [`--${name}`, inShell(text)],
  );
  const line = ['blogctl articles', isNew ? 'create' : `update ${id}`, ...words].join(' ');
  const hint: Hint = isBare
    ? `An article has a content, which may be empty: run \`${line}\`.`
    : `Run \`${line}\`.`;
  return new BlogctlError(error.code, error.message, { ...error.context, hint });
}

type Sent = {
  readonly value?: Readonly<Record<string, string>>;
  readonly place?: string;
  readonly method: string;
};

/**
 * A URL of the blog's origin or a path there, where no relation is named; and as gh and json-server
 * name it from the blog on: `articles/6` or 6, `/articles?page=2`, `blogs/2`.
 */
function placeOf(text: string, blogUrl: string): string | undefined {
  if (/^#?[1-9]\d*$/.test(text)) return placeOf(`articles/${text.replace('#', '')}`, blogUrl);
  const [, id, rest = ''] = /^\/?(?:blogs\/(\d+)\/?)?(articles(?:[/?].*)?)?$/.exec(text) ?? [];
  const [, root, own] = /^(.*\/blogs\/)(\d+)$/.exec(new URL(blogUrl).pathname) ?? [];
  if (root === undefined || (id === undefined && rest === '') || text === 'articles') {
    return text.startsWith('/') || /^https?:\/\//i.test(text) ? text : undefined;
  }
  const asked = rest
    .replace(/([?&])_?page=/, '$1pageIndex=')
    .replace(/([?&])_?(?:per_page|limit)=/, '$1pageSize=');
  return `${root}${id ?? own}${rest === '' ? '' : `/${asked}`}`;
}

function addressOfStart(text: string, blogUrl: string): string {
  const reference = text.startsWith('//') ? `.${text}` : text;
  if (URL.canParse(reference, blogUrl))
    return sameOrigin(new URL(reference, blogUrl).href, blogUrl);
  throw new BlogctlError('usage', `"${text}" is no address.`, {
    hint: 'Give an absolute URL, a path from /, or a relation like doc:articles.',
  });
}

/** A token and a blog go with one origin; links are looked at where requests are sent. */
function sameOrigin(url: string, blogUrl: string): string {
  const { origin } = new URL(blogUrl);
  if (new URL(url).origin === origin) return url;
  const [blog = '<url>'] = /^https?:[^?#]+?\/blogs\/\d+(?=\/|$)/.exec(url) ?? [];
  throw new BlogctlError('usage', `${url} is not of ${origin}.`, {
    hint: `Name the blog it belongs to with --blog ${blog}, or use another client.`,
  });
}

function shownPlace(address: string | undefined): string | undefined {
  return address === undefined ? undefined : asPaths(address);
}

/** What can be followed from a document, and where each relation is explained. */
function linkView(document: HalDocument): ManyView {
  const links = linksOf(document).filter(({ rel }) => rel !== 'curies');
  return {
    many: links.map(({ rel, href, templated, title }) => ({
      rel,
      href: asPaths(href),
      templated,
      ...(title !== undefined && { title }),
      documentation: shownPlace(documentationOf(document, rel)),
    })),
    columns: ['rel', 'href', 'title', 'documentation'],
    fields: ['rel', 'href', 'templated', 'title', 'documentation'],
    id: 'rel',
    isWhole: true,
  };
}
