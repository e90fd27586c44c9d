import { dirname, extname, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import type { Article, PageRange } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { ExportFormat } from '../../importing/export-articles.ts';

export function define(command: Command, context: Context, run = runExport): void {
  command
    .argument('[destination]', 'a new folder, a file, or - for stdout', '-')
    .addHelpText(
      'after',
      `
A folder is filled with Markdown, one file an article; a file holds NDJSON, JSON or CSV, as its
name or --format says. What is exported can be imported again, on any
blog; the blog it comes from knows its articles again by their addresses.

Examples:
  blogctl articles export posts
  blogctl articles export backup.ndjson
  blogctl articles export - --format json | jq length`,
    )
    .action((destination: string) => run(destination, context));
}

async function runExport(destination: string, context: Context): Promise<void> {
  const { exportArticles } = await import('../../importing/export-articles.ts');
  const { createListingWatch } = await import('../../client/listing-watch.ts');
  const { createProgress } = await import('../../terminal/speaking/progress.ts');
  const { terminal, signal } = context;
  const format = formatOf(destination, context);
  const client = await context.client();
  const watch = createListingWatch();
  const request = { format, ...(destination !== '-' && { destination }) };
  let progress: ReturnType<typeof createProgress> | undefined;
  const world = {
    client: { ...client, pages: (range?: PageRange) => watch.over(client.pages(range)) },
    signal,
    write: terminal.write,
    addressOf: await addressesIn(folderOf(destination, format), context),
    progressed(count: number, total: number) {
      progress ??= createProgress(terminal, { label: 'Exporting', total });
      progress.update(count);
    },
  };
  const done = await exportArticles(request, world);
  progress?.finish();
  const doubt = watch.doubt(true);
  if (doubt !== undefined) await terminal.warn(doubt);
  await terminal.notice(`${done} ${done === 1 ? 'article' : 'articles'} exported`);
}

/** Where the paths begin in what is written. */
function folderOf(destination: string, format: ExportFormat): string {
  if (destination === '-') return '';
  return format === 'md' ? destination : dirname(destination);
}

/** A store file is named by its path from there: what is exported beside it may move with it. */
async function addressesIn(folder: string, context: Context): Promise<(of: Article) => string> {
  const { value: target } = await context.chosen();
  if (target.kind !== 'file') return ({ url }) => url;
  const from = resolve(context.folder, folder);
  const path = relative(from, target.path).split(sep).join('/');
  return ({ id }) => `file:${path}#${id}`;
}

const byExtension: Readonly<Record<string, ExportFormat>> = {
  '': 'md',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
};

/** What was asked for, else what the name of the destination says. */
function formatOf(destination: string, { flags }: Context): ExportFormat {
  const asked = flags.json === true ? 'json' : flags.format;
  if (asked === 'ndjson' || asked === 'json' || asked === 'csv' || asked === 'md') return asked;
  if (asked !== undefined) throw unknownFormat(`There is no export as ${asked}.`);
  if (destination === '-') return 'ndjson';
  const format = byExtension[extname(destination).toLowerCase()];
  if (format === undefined)
    throw unknownFormat(`The name "${destination}" does not say its format.`);
  return format;
}

function unknownFormat(message: string): BlogctlError {
  return new BlogctlError('usage', message, {
    hint: 'Name a folder for Markdown, a file *.ndjson, *.json or *.csv, or give --format md, ndjson, json or csv.',
  });
}
