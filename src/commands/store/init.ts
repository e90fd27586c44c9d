import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { storeFileToMake } from '../store-file.ts';

export type InitOptions = {
  readonly store?: string;
  readonly title: string;
  readonly description: string;
};

export function define(command: Command, context: Context, run = initStore): void {
  command
    .option('--store <file>', 'the file to make (default: that of the local blog)')
    .option('--title <text>', 'title of the blog', 'My blog')
    .option('--description <text>', 'description of the blog', '')
    .addHelpText(
      'after',
      `
Examples:
  blogctl store init --store blog.json --title "Field notes"
  blogctl articles list --blog file:blog.json`,
    )
    .action((options: InitOptions) => run(options, context));
}

/** Makes a store file with one empty blog; never touches a file that is there. */
export async function initStore(options: InitOptions, context: Context): Promise<void> {
  const { title, description } = options;
  const file = await storeFileToMake(options.store, context);
  const { createStoreFile } = await import('../../local.ts');
  await createStoreFile({ file, title, description });
  await context.terminal.notice(`Made ${file}. Next: blogctl serve --store ${file}`);
  await context.terminal.show({
    one: { store: file, title, description },
    columns: ['store', 'title', 'description'],
  });
}
