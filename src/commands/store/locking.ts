import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { wholeNumber } from '../arguments.ts';
import { operating, shownStore, storeFile } from '../store-file.ts';

export type LockOptions = {
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
      .option('--store <file>', 'the store file (default: that of the local blog)')
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
export async function lockInStore(
  locked: boolean,
  { store, onBlog, article }: LockOptions,
  context: Context,
): Promise<void> {
  const file = await storeFile(store, context);
  const { withStoreFile } = await import('../../local.ts');
  const found = await withStoreFile(operating(file, context), (opened) =>
    article === undefined
      ? opened.lockBlog(onBlog, locked)
      : opened.lockArticle(onBlog, article, locked),
  );
  const what = article === undefined ? `blog ${onBlog}` : `article ${article} of blog ${onBlog}`;
  if (!found) {
    throw new BlogctlError('not-found', `There is no ${what} in ${shownStore(file)}.`, {
      hint: `blogctl articles list --blog file:${file} shows what is there`,
    });
  }
  await context.terminal.notice(`${locked ? 'Locked' : 'Unlocked'} ${what}.`);
}
