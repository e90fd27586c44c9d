import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { operating, storeFile } from '../store-file.ts';

export type AddBlogOptions = {
  readonly store?: string;
  readonly title: string;
  readonly description: string;
};

export function define(command: Command, context: Context, run = addBlog): void {
  command
    .option('--store <file>', 'the store file (default: that of the local blog)')
    .requiredOption('--title <text>', 'title of the blog')
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
export async function addBlog(options: AddBlogOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const file = await storeFile(options.store, context);
  const { withStoreFile } = await import('../../local.ts');
  const id = await withStoreFile(operating(file, context), (store) =>
    store.addBlog({ title, description }),
  );
  await context.terminal.show({
    one: { id, title, description },
    columns: ['id', 'title', 'description'],
  });
}
