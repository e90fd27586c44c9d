import type { Command } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import { blogTitle, wholeNumber } from './arguments.ts';
import { inShell } from '../terminal/text.ts';
import {
  isDatabase,
  noSuch,
  oneStore,
  shownStore,
  storeFile,
  storeFileToMake,
  storeHelp,
  warning,
  withMaintenance,
} from './store-file.ts';
import { defineUpgrade } from './store-repair.ts';

export const verbs = {
  init: defineInit,
  upgrade: defineUpgrade,
  copy: defineCopy,
  'add-blog': defineAddBlog,
  'edit-blog': defineEditBlog,
  lock: defineLocking(true),
  unlock: defineLocking(false),
};

type NewBlogOptions = {
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
    .action((store: string | undefined, options: NewBlogOptions) =>
      run(oneStore(store, options), context),
    );
}

/** Makes a store with one empty blog; never touches one that is there. */
async function initStore(options: NewBlogOptions, context: Context): Promise<void> {
  const { title, description } = options;
  context.terminal.requireFields(madeFields);
  const file = await storeFileToMake(options.store, context);
  const { atServer } = await import('../local.ts');
  const made = { file, title, description, notice: warning(context.terminal) };
  const grants = await atServer(file, (server) => server.initStore(made));
  const store = shownStore(file);
  const given = 'its rights (what blogctl store init writes to stdout, by psql)';
  await context.terminal.notice(`Made ${store}. Next: ${nextFor(file, given)}`);
  if (isDatabase(file)) return context.terminal.write(`${grants.join('\n')}\n`);
  await context.terminal.show({ one: { store, title, description }, columns: madeFields });
}

const madeFields = ['store', 'title', 'description'] as const;

/** The owner of a database lets a role of its own serve it, once that was `given` what it needs. */
function nextFor(store: string, given: string): string {
  const owned = inShell(shownStore(store));
  if (!isDatabase(store)) return `blogctl serve --store ${owned}`;
  const served = owned.replace(/\/\/(?:[^@/]*@)?/, '//blogctl_serve@');
  return `give the role blogctl_serve ${given}, blogctl token create --store ${owned} unless it has tokens, blogctl serve --store ${served}`;
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

/** Copies a store file into an empty database, or a database into a new file or an empty database. */
async function copyStore({ from, to, onBlog }: CopyOptions, context: Context): Promise<void> {
  context.terminal.requireFields(['store', 'articles']);
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
  const running = { signal: context.signal, report: warning(context.terminal) };
  const copy = { from: source, to: target, blogId: onBlog, ...running };
  const { articles, grants } = await atServer(source, async (server) => ({
    articles: await server.copyStore(copy),
    grants: server.grantsTo(),
  }));
  const store = shownStore(target);
  const given = `its rights unless it has them (by psql: ${grants.join(' ')})`;
  await context.terminal.notice(
    `Copied ${articles} article${articles === 1 ? '' : 's'}. Next: ${nextFor(target, given)}`,
  );
  await context.terminal.show({ one: { store, articles }, columns: ['store', 'articles'] });
}

function defineAddBlog(command: Command, context: Context, run = addBlog): void {
  command
    .option('--store <store>', storeHelp)
    .requiredOption('--title <text>', 'title of the blog', blogTitle)
    .option('--description <text>', 'description of the blog', '')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store add-blog --title "Garden notes" --store blog.json`,
    )
    .action((options: NewBlogOptions) => run(options, context));
}

/** Adds a blog to a store file; its id is the answer. */
async function addBlog(options: NewBlogOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const { terminal } = context;
  terminal.requireFields(blogFields);
  const file = await storeFile(options.store, context);
  const id = await withMaintenance(file, context, (store) => store.addBlog({ title, description }));
  const done: Hint = `Added blog ${id} to ${shownStore(file)}.`;
  await terminal.notice(done);
  await terminal.show({ one: { id, title, description }, columns: blogFields, done });
}

const blogFields = ['id', 'title', 'description'] as const;

type EditBlogOptions = {
  readonly store?: string;
  readonly onBlog: number;
  readonly title?: string;
  readonly description?: string;
};

function defineEditBlog(command: Command, context: Context, run = editBlog): void {
  command
    .option('--store <store>', storeHelp)
    .option('--on-blog <id>', 'the blog', wholeNumber(1), 1)
    .option('--title <text>', 'its new title', blogTitle)
    .option('--description <text>', 'its new description')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store edit-blog --title "Field notes" --store blog.json`,
    )
    .action((options: EditBlogOptions) => run(options, context));
}

/** Gives a blog of a store another title or description. */
async function editBlog(options: EditBlogOptions, context: Context): Promise<void> {
  const { store, onBlog, ...change } = options;
  if (Object.keys(change).length === 0) {
    throw new BlogctlError('usage', 'There is nothing to change.', {
      hint: 'Give --title, --description, or both.',
    });
  }
  const file = await storeFile(store, context);
  const found = await withMaintenance(file, context, (opened) => opened.changeBlog(onBlog, change));
  if (!found) throw noSuch(`blog ${onBlog}`, file);
  await context.terminal.notice(`Changed blog ${onBlog} of ${shownStore(file)}.`);
}

type LockOptions = {
  readonly store?: string;
  readonly onBlog: number;
  readonly article?: number;
};

type LockAction = (locked: boolean, options: LockOptions, context: Context) => Promise<void>;

/** `store lock` and `store unlock` take the same words and differ in one. */
function defineLocking(locked: boolean) {
  return (command: Command, context: Context, run: LockAction = lockInStore): void => {
    const verb = locked ? 'lock' : 'unlock';
    command
      .option('--store <store>', storeHelp)
      .option('--on-blog <id>', 'the blog', wholeNumber(1), 1)
      .option('--article <id>', 'an article of it (default: the whole blog)', wholeNumber(1))
      .addHelpText(
        'after',
        `
What is locked can be read, and is refused to every change (423).

Examples:
  blogctl store ${verb} --store blog.json
  blogctl store ${verb} --article 7 --store blog.json`,
      )
      .action((options: LockOptions) => run(locked, options, context));
  };
}

/** Locks a blog or an article of a store file against change, or frees it (decisions 33). */
async function lockInStore(
  locked: boolean,
  { store, onBlog, article }: LockOptions,
  context: Context,
): Promise<void> {
  const file = await storeFile(store, context);
  const found = await withMaintenance(file, context, (opened) =>
    article === undefined
      ? opened.changeBlog(onBlog, { locked })
      : opened.lockArticle(onBlog, article, locked),
  );
  const what = article === undefined ? `blog ${onBlog}` : `article ${article} of blog ${onBlog}`;
  if (!found) throw noSuch(what, file);
  const done = locked ? 'Locked' : 'Unlocked';
  await context.terminal.notice(`${done} ${what} of ${shownStore(file)}.`);
}
