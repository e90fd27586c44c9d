import { dirname, extname, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { ArticlePage } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { refuseOwnStore } from '../open-file.ts';
import { BlogctlError } from '../../errors.ts';
import type { ExportFormat, ExportRequest } from '../../exporting.ts';
import type { Sink } from '../../exporting.ts';
import { portableAddresses } from './article-view.ts';

export function define(command: Command, context: Context, run = runExport): void {
  command
    .argument('[destination]', 'a new folder, a file, or - for stdout', placeName, '-')
    .addHelpText(
      'after',
      `
A folder is filled with Markdown, one file an article; a file holds NDJSON, JSON or CSV, as its
name or --format says, and is replaced only with --overwrite. What is exported can be imported
again, on any blog; the blog it comes from knows its articles again by their addresses.

CSV holds every text as it is, also one like =HYPERLINK(…), which a spreadsheet would run. To open
it in one add --csv-safe: an apostrophe stands before such a text then, after an import too.

Examples:
  blogctl articles export posts
  blogctl articles export backup.ndjson
  blogctl articles export - --format json | jq length`,
    )
    .action((destination: string) => run(destination, context));
}

/** Of a number nobody would see that all articles were meant. */
function placeName(text: string): string {
  if (/^(?:json|csv|ndjson|md)$/.test(text)) {
    throw new InvalidArgumentError(`It is a format, and a folder of that name is ./${text}.`);
  }
  if (/^(?:https?|file):/i.test(text))
    throw new InvalidArgumentError('It is an address, and no place to write to.');
  // 2024-01-02 is a folder.
  if (!/^#?\d+$|^\d{1,3}(?:[,-]\d{1,3})+$/.test(text)) return text;
  throw new InvalidArgumentError(`All articles are exported; a folder of that name is ./${text}.`);
}

async function runExport(destination: string, context: Context): Promise<void> {
  const { exportArticles } = await import('../../exporting.ts');
  const { createConsistencyCheck } = await import('../../client/pages.ts');
  const { createProgress } = await import('../../terminal/progress.ts');
  const { terminal, signal } = context;
  refuseTwoFiles(destination, context);
  const client = await context.client();
  const request = await requestOf(destination, context);
  const consistency = createConsistencyCheck();
  let progress: ReturnType<typeof createProgress> | undefined;
  const world = {
    client,
    signal,
    addressOf: await portableAddresses(folderOf(destination, request.format), context),
    progressed(count: number, page: ArticlePage) {
      consistency.see(page);
      progress ??= createProgress(terminal, { label: 'Exporting', total: page.totalArticles });
      progress.update(count);
    },
  };
  const done = await exportArticles(request, world);
  progress?.finish();
  const inconsistency = consistency.inconsistency(true);
  if (inconsistency !== undefined) await terminal.warn(inconsistency);
  await terminal.notice(`${done} ${done === 1 ? 'article' : 'articles'} exported`);
}

function refuseTwoFiles(destination: string, { flags: { output } }: Context): void {
  if (destination === '-' || output === undefined) return;
  throw new BlogctlError('usage', `Two destinations are named: ${destination} and -o ${output}.`, {
    hint: 'Name one.',
  });
}

/** Where the paths begin in what is written. */
function folderOf(destination: string, format: ExportFormat): string {
  if (destination === '-') return '';
  return format === 'md' ? destination : dirname(destination);
}

async function requestOf(destination: string, context: Context): Promise<ExportRequest> {
  const format = formatOf(destination, context);
  const path = destination === '-' ? undefined : resolve(context.folder, destination);
  if (path !== undefined) await refuseOwnStore(path, context);
  if (format !== 'md') {
    const cell = context.flags.csvSafe === true ? await harmless() : undefined;
    return { format, cell, sink: await sinkOf(path, context) };
  }
  if (path !== undefined) return { format, folder: path };
  throw new BlogctlError('usage', 'Markdown is exported to a folder, one file an article.', {
    hint: 'Name a folder, as in blogctl articles export posts, or give --format ndjson for stdout.',
  });
}

async function harmless(): Promise<(text: string) => string> {
  return (await import('../../terminal/show.ts')).harmlessCell;
}

/** Stdout, else a file that is written in pieces of some size. */
async function sinkOf(path: string | undefined, { terminal, flags }: Context): Promise<Sink> {
  if (path === undefined) {
    return { write: terminal.write, finish: async () => {}, abandon: async () => {} };
  }
  const { createOutputFile, requirePlace } = await import('../../terminal/output.ts');
  const mayOverwrite = flags.overwrite === true;
  await requirePlace(path, mayOverwrite);
  const file = createOutputFile(path, mayOverwrite);
  let pending = '';
  const flush = async () => {
    const text = pending;
    pending = '';
    await file.write(text);
  };
  return {
    async write(text) {
      pending += text;
      if (pending.length > 1 << 16) await flush();
    },
    async finish() {
      await flush();
      await file.keep();
    },
    abandon: () => file.discard(),
  };
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
  const name = destination === '-' ? flags.output : destination;
  const format = name === undefined ? 'ndjson' : byExtension[extname(name).toLowerCase()];
  if (format === undefined) throw unknownFormat(`The name "${name}" does not say its format.`);
  return destination === '-' && format === 'md' ? 'ndjson' : format;
}

function unknownFormat(message: string): BlogctlError {
  return new BlogctlError('usage', message, {
    hint: 'Name a folder for Markdown, a file *.ndjson, *.json or *.csv, or give --format md, ndjson, json or csv.',
  });
}
