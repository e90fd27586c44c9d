import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { storeFile } from '../store-file.ts';

export type RepairOptions = { readonly store?: string; readonly to?: string };

export function define(command: Command, context: Context, run = repairStore): void {
  command
    .option('--store <file>', 'the broken file (default: that of the local blog)')
    .option('--to <file>', 'the new file (default: <store>.repaired.json)')
    .addHelpText(
      'after',
      `
The broken file is read, never written.

Examples:
  blogctl store repair --store blog.json
  blogctl store repair --store blog.json --to saved.json`,
    )
    .action((options: RepairOptions) => run(options, context));
}

/** Writes what can be saved of a broken store file into a new one beside it. */
export async function repairStore(options: RepairOptions, context: Context): Promise<void> {
  const { terminal, folder } = context;
  const file = await storeFile(options.store, context);
  const named = options.to === undefined ? undefined : resolve(folder, options.to);
  const target = named ?? `${file.replace(/\.json$/, '')}.repaired.json`;
  const { repairStoreFile } = await import('../../local.ts');
  const repair = await repairStoreFile(file, target);
  for (const { line, offset, bytes } of repair.lost) {
    await terminal.warn(`line ${line}: ${bytes} bytes from byte ${offset} on are no article`);
  }
  if (repair.newBlogs) await terminal.warn('the blogs could not be read: their titles are new');
  await terminal.show({ one: repair, columns: ['savedAs', 'articles'] });
  await terminal.notice(`Look at it, then put it in the place of ${file}.`);
}
