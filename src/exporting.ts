import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Article, ArticlePage, BlogClient } from './client/blog-client.ts';
import { wholePages } from './client/pages.ts';
import { BlogctlError, type Hint } from './errors.ts';
import { hasCode, temporaryPath } from './files.ts';

export type ExportFormat = 'md' | 'ndjson' | 'json' | 'csv';

export type ExportRequest =
  | { readonly format: 'md'; readonly folder: string }
  | {
      readonly format: Exclude<ExportFormat, 'md'>;
      readonly sink: Sink;
      /** What becomes of the text of a cell of CSV; default: nothing. */
      readonly cell?: ((text: string) => string) | undefined;
    };

type ExportWorld = {
  readonly client: BlogClient;
  /** The address by which an import of what is written finds the article again. */
  addressOf(article: Article): string;
  readonly signal: AbortSignal;
  progressed(done: number, page: ArticlePage): void;
};

const articlesPerPage = 100;
const targets = { ndjson: ndjsonTarget, json: jsonTarget, csv: csvTarget } as const;

/**
 * Writes every article of the blog, in its order, as an import reads it back. Answers how many.
 * Nothing is seen under the destination's name before it is whole.
 */
export async function exportArticles(request: ExportRequest, world: ExportWorld): Promise<number> {
  let target: Writer | undefined;
  let done = 0;
  let total = 0;
  let first: number | undefined;
  try {
    for await (const page of wholePages(world.client, { pageSize: articlesPerPage })) {
      total = page.totalArticles;
      first ??= total;
      target ??= await openTarget(request, total);
      for (const article of page.articles) {
        world.signal.throwIfAborted();
        await target.write({ ...article, url: world.addressOf(article) });
        done += 1;
      }
      world.progressed(done, page);
    }
    if (done !== total) throw notWhole(done, first, total);
    target ??= await openTarget(request, 0);
    await target.finish();
    return done;
  } catch (error) {
    await target?.abandon();
    throw error;
  }
}

async function openTarget(request: ExportRequest, articles: number): Promise<Writer> {
  if (request.format === 'md') return openPostFolder(request.folder, articles);
  return targets[request.format](request.sink, request.cell);
}

/** A count that was the same at first and at last is hardly a sign of a change. */
function notWhole(done: number, first: number | undefined, total: number): BlogctlError {
  const read = `${done} articles were read`;
  const [what, hint]: [string, Hint] =
    first === total
      ? [
          `The service counts otherwise than it lists: ${read}, and first and last it said ${total}.`,
          'Where it says so again while nobody else writes, its operator can mend it: blogctl check <blog-url> shows the rule.',
        ]
      : [
          `The blog changed while it was exported: ${read}, the blog now says it has ${total}.`,
          'Run the export again.',
        ];
  return new BlogctlError('conflict', what, { hint });
}

/** A form in which a blog can leave; it takes articles one at a time. */
export type Writer = {
  write(article: Article): Promise<void>;
  /** Everything is there: makes it visible under its name. */
  finish(): Promise<void>;
  /** Takes back what was written so far. */
  abandon(): Promise<void>;
};

/** Where text goes, piece by piece; resolves when it was taken. */
export type WriteText = (text: string) => Promise<void>;

/** Where the text of an export goes, piece by piece; seen under its name when it is finished. */
export type Sink = { readonly write: WriteText; finish(): Promise<void>; abandon(): Promise<void> };

/** One JSON object a line. */
function ndjsonTarget(sink: Sink): Writer {
  return {
    write: (article) => sink.write(`${JSON.stringify(portable(article))}\n`),
    finish: () => sink.finish(),
    abandon: () => sink.abandon(),
  };
}

/** One JSON array, an object a line. */
function jsonTarget(sink: Sink): Writer {
  let separator = '[\n';
  return {
    async write(article) {
      await sink.write(separator + JSON.stringify(portable(article)));
      separator = ',\n';
    },
    async finish() {
      await sink.write(separator === '[\n' ? '[]\n' : '\n]\n');
      await sink.finish();
    },
    abandon: () => sink.abandon(),
  };
}

/**
 * A table with a header; every field is quoted, so that any text comes back as it was, unless `cell`
 * makes another of it.
 */
function csvTarget(sink: Sink, cell: (text: string) => string = String): Writer {
  const row = (...fields: string[]) => `${fields.map(cell).map(quote).join(',')}\n`;
  let header = row('title', 'content', 'url');
  return {
    async write(article) {
      const { title, content, url } = portable(article);
      await sink.write(header + row(title, content, url));
      header = '';
    },
    async finish() {
      await sink.write(header);
      await sink.finish();
    },
    abandon: () => sink.abandon(),
  };
}

function quote(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const longestSlug = /^.{0,60}/u;

/**
 * A folder of Markdown files, one an article, numbered in the order of the blog. It is filled under
 * a hidden name, so that no import reads a half, and renamed when it is whole; a folder that holds something is
 * left alone.
 */
async function openPostFolder(path: string, articles: number): Promise<Writer> {
  await refuseFilled(path);
  const draft = temporaryPath(join(dirname(path), `.${basename(path)}`));
  await mkdir(dirname(draft), { recursive: true });
  await mkdir(draft);
  const digits = Math.max(4, String(articles).length);
  let number = 0;
  return {
    async write(article) {
      number += 1;
      const name = `${String(number).padStart(digits, '0')}-${slugOf(article.title)}.md`;
      await writeFile(join(draft, name), portableMarkdown(article), { flag: 'wx' });
    },
    async finish() {
      await rmdir(path).catch(ignoreMissing);
      await rename(draft, path);
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  };
}

/** The words of a title, in letters and digits of any language. */
export function slugOf(title: string): string {
  const words = title.normalize('NFC').toLowerCase().match(word) ?? [];
  const cut = longestSlug.exec(words.join('-'))?.[0] ?? '';
  return cut.replace(/-$/, '') || 'article';
}

async function refuseFilled(path: string): Promise<void> {
  const names = await readdir(path).catch(ignoreMissing);
  if (names === undefined || names.length === 0) return;
  throw new BlogctlError('usage', `The folder "${path}" is not empty.`, {
    hint: 'Name a new folder: an export never mixes with other files.',
  });
}

function ignoreMissing(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
}

/**
 * What an import brings back: no id, for another blog gives its own. By its address the blog that it
 * comes from knows it again (decisions 55).
 */
type PortableArticle = {
  readonly title: string;
  readonly content: string;
  readonly url: string;
};

/** An article without content leaves as an empty one: creating asks for a content (interface, Endpoints, rule 12). */
export function portable({ title, content = '', url }: Article): PortableArticle {
  return { title, content, url };
}

/** The same as a post, whose front matter says which article it is. */
export function portableMarkdown(article: Article): string {
  const { title, content, url } = portable(article);
  return `---\ntitle: ${quoted(title)}\narticle: ${quoted(url)}\n---\n${content}`;
}

/**
 * A text in front matter of any language. Double quotes keep white space and line breaks; what old
 * YAML folds or refuses is escaped.
 */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
