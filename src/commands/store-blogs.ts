import type { Command } from 'commander';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { blogTitle, wholeNumber } from './arguments.ts';
import { isDatabase, operating, shownStore, storeFile } from './store-file.ts';

type AddBlogOptions = {
  readonly store?: string;
  readonly title: string;
  readonly description: string;
};

export function defineAddBlog(command: Command, context: Context, run = addBlog): void {
  command
    .option('--store <file>', 'the store file (default: of the chosen or local blog)')
    .requiredOption('--title <text>', 'title of the blog', blogTitle)
    .option('--description <text>', 'description of the blog', '')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store add-blog --title "Garden notes" --store blog.json`,
    )
    .action((options: AddBlogOptions) => run(options, context));
}

/** Adds a blog to a store file; its id is the answer. */
async function addBlog(options: AddBlogOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const { terminal } = context;
  terminal.requireFields(blogFields);
  const file = await storeFile(options.store, context);
  const { withStoreFile } = await import('../local.ts');
  const id = await withStoreFile(operating(file, context), (store) =>
    store.addBlog({ title, description }),
  );
  await terminal.notice(`Added blog ${id} to ${shownStore(file)}.`);
  await terminal.show({ one: { id, title, description }, columns: blogFields });
}

const blogFields = ['id', 'title', 'description'] as const;

type EditBlogOptions = {
  readonly store?: string;
  readonly onBlog: number;
  readonly title?: string;
  readonly description?: string;
};

export function defineEditBlog(command: Command, context: Context, run = editBlog): void {
  command
    .option('--store <file>', 'the store file (default: of the chosen or local blog)')
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
  const { withStoreFile } = await import('../local.ts');
  const found = await withStoreFile(operating(file, context), (opened) =>
    opened.changeBlog(onBlog, change),
  );
  if (!found) throw noSuch(`blog ${onBlog}`, file);
  await context.terminal.notice(`Changed blog ${onBlog} of ${shownStore(file)}.`);
}

type LockOptions = {
  readonly store?: string;
  readonly onBlog: number;
  readonly article?: number;
};

type Run = (locked: boolean, options: LockOptions, context: Context) => Promise<void>;

/** `store lock` and `store unlock` take the same words and differ in one. */
export function defineLocking(locked: boolean) {
  return (command: Command, context: Context, run: Run = lockInStore): void => {
    const verb = locked ? 'lock' : 'unlock';
    command
      .option('--store <file>', 'the store file (default: of the chosen or local blog)')
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
  const { withStoreFile } = await import('../local.ts');
  const found = await withStoreFile(operating(file, context), (opened) =>
    article === undefined
      ? opened.changeBlog(onBlog, { locked })
      : opened.lockArticle(onBlog, article, locked),
  );
  const what = article === undefined ? `blog ${onBlog}` : `article ${article} of blog ${onBlog}`;
  if (!found) throw noSuch(what, file);
  await context.terminal.notice(
    `${locked ? 'Locked' : 'Unlocked'} ${what} of ${shownStore(file)}.`,
  );
}

function noSuch(what: string, file: string): BlogctlError {
  return new BlogctlError('not-found', `There is no ${what} in ${shownStore(file)}.`, {
    hint: isDatabase(file)
      ? `What is there is shown by the page of \`blogctl serve --store ${shownStore(file)}\`.`
      : `See blogctl articles list --blog file:${file} for what is there.`,
  });
}
