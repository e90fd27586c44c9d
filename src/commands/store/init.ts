import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { isDatabase, shownStore, storeFileToMake } from '../store-file.ts';

export type InitOptions = {
  readonly store?: string;
  readonly title: string;
  readonly description: string;
};

export function define(command: Command, context: Context, run = initStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', 'file to make, or postgres://… (default: the local blog)')
    .option('--title <text>', 'title of the blog', 'My blog')
    .option('--description <text>', 'description of the blog', '')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store init --store blog.json --title "Field notes"
  blogctl store init postgres://owner@db.example/blog | psql postgres://owner@db.example/blog
  blogctl articles list --blog file:blog.json

Of a database, stdout has the rights for a serving role, blogctl_serve, as psql reads them.`,
    )
    .action((store: string | undefined, options: InitOptions) =>
      run({ ...options, ...(store !== undefined && { store }) }, context),
    );
}

/** Makes a store with one empty blog; never touches one that is there. */
export async function initStore(options: InitOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const file = await storeFileToMake(options.store, context);
  const { createStoreFile } = await import('../../local.ts');
  const grants = await createStoreFile({ file, title, description });
  const store = shownStore(file);
  await context.terminal.notice(`Made ${store}. Next: blogctl serve --store ${store}`);
  if (isDatabase(file)) return context.terminal.write(`${grants.join('\n')}\n`);
  await context.terminal.show({
    one: { store, title, description },
    columns: ['store', 'title', 'description'],
  });
}
