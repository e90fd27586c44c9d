import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { isDatabase, shownStore, storeFile } from '../store-file.ts';

export type CopyOptions = { readonly from: string; readonly to: string };

export function define(command: Command, context: Context, run = copyStore): void {
  command
    .argument('<from>', 'the store file')
    .argument('<to>', 'the database, as postgres://…')
    .addHelpText(
      'after',
      `
Ids, tags, dates, locks, deletions, Idempotency-Keys and tokens are kept. The database is to be
empty, made by store init or not. An interrupted copy leaves nothing there: run it again.

Examples:
  blogctl store copy blog.json postgres://owner@db.example/blog`,
    )
    .action((from: string, to: string) => run({ from, to }, context));
}

/** Copies a store file into an empty database. */
export async function copyStore({ from, to }: CopyOptions, context: Context): Promise<void> {
  const [file, address] = [await storeFile(from, context), await storeFile(to, context)];
  if (isDatabase(file) || !isDatabase(address)) {
    throw new BlogctlError('usage', 'store copy copies a file into a database.', {
      hint: 'blogctl store copy blog.json postgres://owner@host/name',
    });
  }
  const local = await import('../../local.ts');
  const articles = await local.copyStore(file, address);
  const store = shownStore(address);
  await context.terminal.notice(
    `Copied ${articles} articles. Next: blogctl serve --store ${store}`,
  );
  await context.terminal.show({ one: { store, articles }, columns: ['store', 'articles'] });
}
