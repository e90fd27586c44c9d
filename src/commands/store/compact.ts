import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { operating, storeFile } from '../store-file.ts';

export type CompactOptions = { readonly store?: string };

export function define(command: Command, context: Context, run = compactStore): void {
  command
    .option('--store <file>', 'the file to tidy (default: that of the local blog)')
    .addHelpText(
      'after',
      `
The service does this by itself when it stops or rests; this is for a file that is to be copied
or committed now.

Examples:
  blogctl store compact --store blog.json`,
    )
    .action((options: CompactOptions) => run(options, context));
}

/** Puts the articles of a store file in order and leaves old versions out. */
export async function compactStore(options: CompactOptions, context: Context): Promise<void> {
  const file = await storeFile(options.store, context);
  const { withStoreFile } = await import('../../local.ts');
  await withStoreFile(operating(file, context), (store) => store.compact());
  await context.terminal.notice(`Tidied ${file}.`);
}
