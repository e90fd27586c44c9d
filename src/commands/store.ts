import type { Command } from 'commander';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { blogTitle, wholeNumber } from './arguments.ts';
import { inShell } from '../terminal/text.ts';
import { defineAddBlog, defineEditBlog, defineLocking } from './store-blogs.ts';
import { isDatabase, oneStore, shownStore, storeFile, storeFileToMake } from './store-file.ts';

export const verbs = {
  init: defineInit,
  upgrade: defineUpgrade,
  copy: defineCopy,
  'add-blog': defineAddBlog,
  'edit-blog': defineEditBlog,
  lock: defineLocking(true),
  unlock: defineLocking(false),
};

type InitOptions = {
  readonly store?: string;
  readonly title: string;
  readonly description: string;
};

function defineInit(command: Command, context: Context, run = initStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', 'file to make, or postgres://… (default: the local blog)')
    .option('--title <text>', 'title of the blog', blogTitle, 'My blog')
    .option('--description <text>', 'description of the blog', '')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store init --store blog.json --title "Field notes"
  blogctl store init postgres://owner@db.example/blog | psql -v ON_ERROR_STOP=1 postgres://owner@db.example/blog
  blogctl articles list --blog file:blog.json

Of a database, stdout has the rights for a serving role, blogctl_serve, as psql reads them.`,
    )
    .action((store: string | undefined, options: InitOptions) =>
      run(oneStore(store, options), context),
    );
}

/** Makes a store with one empty blog; never touches one that is there. */
export async function initStore(options: InitOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const file = await storeFileToMake(options.store, context);
  const { atServer } = await import('../local.ts');
  const grants = await atServer(file, (server) => server.initStore({ file, title, description }));
  const store = shownStore(file);
  await context.terminal.notice(`Made ${store}. Next: ${nextFor(file)}`);
  if (isDatabase(file)) return context.terminal.write(`${grants.join('\n')}\n`);
  await context.terminal.show({
    one: { store, title, description },
    columns: ['store', 'title', 'description'],
  });
}

type UpgradeOptions = { readonly store?: string; readonly dryRun?: boolean };

function defineUpgrade(command: Command, context: Context, run = upgradeStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', 'the database, as postgres://…')
    .option('--dry-run', 'print the SQL that would be run')
    .addHelpText(
      'after',
      `
Instances may run meanwhile. Nothing else changes a schema.

Examples:
  blogctl store upgrade postgres://owner@db.example/blog --dry-run`,
    )
    .action((store: string | undefined, options: UpgradeOptions) =>
      run(oneStore(store, options), context),
    );
}

/** Brings the schema of a database to this program's. */
export async function upgradeStore(
  { store, dryRun = false }: UpgradeOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const address = await storeFile(store, context);
  if (!isDatabase(address)) {
    throw new BlogctlError('usage', `${address} is a file: it has no schema to upgrade.`, {
      hint: 'Name a database, as postgres://owner@host/name does.',
    });
  }
  const { atServer } = await import('../local.ts');
  const steps = await atServer(address, (server) => server.upgradeStore(address, dryRun));
  const shown = shownStore(address);
  if (steps.length === 0) return terminal.notice(`${shown} has the newest schema already.`);
  if (dryRun) return terminal.write(`${steps.join('\n')}\n`);
  await terminal.notice(`Upgraded ${shown}.`);
}

type CopyOptions = {
  readonly from: string;
  readonly to: string;
  readonly onBlog?: number;
};

function defineCopy(command: Command, context: Context, run = copyStore): void {
  command
    .argument('<from>', 'a store file, or a database as postgres://…')
    .argument('<to>', 'a database, or a new store file')
    .option('--on-blog <id>', 'this blog of a database alone', wholeNumber(1))
    .addHelpText(
      'after',
      `
Ids, tags, dates, locks, deletions, Idempotency-Keys and tokens are kept. A database to copy into is
to be empty, made by store init or not; a file must not be there. A database may be served meanwhile:
what it was at one moment is copied. An interrupted copy leaves nothing there: run it again.

Examples:
  blogctl store copy blog.json postgres://owner@db.example/blog
  blogctl store copy postgres://owner@db.example/blog backup.json`,
    )
    .action((from: string, to: string, options: Pick<CopyOptions, 'onBlog'>) =>
      run({ ...options, from, to }, context),
    );
}

/** The owner of a database lets a role of its own serve it. */
function nextFor(store: string): string {
  const owned = inShell(shownStore(store));
  if (!isDatabase(store)) return `blogctl serve --store ${owned}`;
  const served = owned.replace(/\/\/(?:[^@/]*@)?/, '//blogctl_serve@');
  return `give the role blogctl_serve its rights (what blogctl store init writes to stdout, by psql), blogctl token create --store ${owned} unless it has tokens, blogctl serve --store ${served}`;
}

/** Copies a store file into an empty database, or a database into a new file or an empty database. */
export async function copyStore(
  { from, to, onBlog }: CopyOptions,
  context: Context,
): Promise<void> {
  const [source, target] = [await storeFile(from, context), await storeFile(to, context)];
  const isBetweenFiles = !isDatabase(source) && !isDatabase(target);
  if (isBetweenFiles || (onBlog !== undefined && !isDatabase(source))) {
    const message = isBetweenFiles
      ? 'store copy copies from a database or into one.'
      : 'Only of a database one blog can be copied alone.';
    throw new BlogctlError('usage', message, {
      hint: 'Run blogctl store copy blog.json postgres://owner@host/name, for example; a file nobody serves is copied by cp.',
    });
  }
  const { atServer } = await import('../local.ts');
  const copy = { from: source, to: target, blogId: onBlog };
  const articles = await atServer(source, (server) => server.copyStore(copy));
  const store = shownStore(target);
  await context.terminal.notice(
    `Copied ${articles} article${articles === 1 ? '' : 's'}. Next: ${nextFor(target)}`,
  );
  await context.terminal.show({ one: { store, articles }, columns: ['store', 'articles'] });
}
