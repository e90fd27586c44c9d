import type { Article, BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import {
  openPostFolder,
  csvTarget,
  jsonTarget,
  ndjsonTarget,
  type Sink,
  type Target,
} from './targets.ts';

export type ExportFormat = 'md' | 'ndjson' | 'json' | 'csv';

export type ExportRequest =
  | { readonly format: 'md'; readonly folder: string }
  | {
      readonly format: Exclude<ExportFormat, 'md'>;
      readonly sink: Sink;
      /** What becomes of the text of a cell of CSV; default: nothing. */
      readonly cell?: ((text: string) => string) | undefined;
    };

export type ExportWorld = {
  readonly client: BlogClient;
  /** The address by which an import of what is written finds the article again. */
  addressOf(article: Article): string;
  readonly signal: AbortSignal;
  progressed(done: number, total: number): void;
};

const articlesPerPage = 100;
const targets = { ndjson: ndjsonTarget, json: jsonTarget, csv: csvTarget } as const;

/**
 * Writes every article of the blog, in its order, as an import reads it back. Answers how many.
 * Nothing is seen under the destination's name before it is whole.
 */
export async function exportArticles(request: ExportRequest, world: ExportWorld): Promise<number> {
  let target: Target | undefined;
  let done = 0;
  let total = 0;
  try {
    for await (const page of world.client.pages({ pageSize: articlesPerPage })) {
      total = page.totalArticles;
      target ??= await openTarget(request, total);
      for (const article of page.articles) {
        world.signal.throwIfAborted();
        await target.write({ ...article, url: world.addressOf(article) });
        done += 1;
      }
      world.progressed(done, total);
    }
    if (done !== total) throw changedMeanwhile(done, total);
    target ??= await openTarget(request, 0);
    await target.finish();
    return done;
  } catch (error) {
    await target?.abandon();
    throw error;
  }
}

async function openTarget(request: ExportRequest, articles: number): Promise<Target> {
  if (request.format === 'md') return openPostFolder(request.folder, articles);
  return targets[request.format](request.sink, request.cell);
}

function changedMeanwhile(done: number, total: number): BlogctlError {
  const what = `${done} articles were read, the blog now says it has ${total}`;
  return new BlogctlError('conflict', `The blog changed while it was exported: ${what}.`, {
    hint: 'Run the export again.',
  });
}
