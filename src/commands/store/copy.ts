import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { wholeNumber } from '../arguments.ts';
import { isDatabase, shownStore, storeFile } from '../store-file.ts';

export type CopyOptions = {
  readonly from: string;
  readonly to: string;
  readonly onBlog?: number;
};

export function define(command: Command, context: Context, run = copyStore): void {
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
      hint: 'blogctl store copy blog.json postgres://owner@host/name; a file nobody serves is copied by cp',
    });
  }
  const local = await import('../../local.ts');
  const articles = await local.copyStore({ from: source, to: target, blogId: onBlog });
  const store = shownStore(target);
  await context.terminal.notice(
    `Copied ${articles} articles. Next: blogctl serve --store ${store}`,
  );
  await context.terminal.show({ one: { store, articles }, columns: ['store', 'articles'] });
}
