import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Repair } from '../../local.ts';
import { isDatabase, storeFile } from '../store-file.ts';

export type RepairOptions = { readonly store?: string; readonly to?: string };

export function define(command: Command, context: Context, run = repairStore): void {
  command
    .option('--store <file>', 'the broken file (default: that of the local blog)')
    .option('--to <file>', 'the new file (default: <store>.repaired.json)')
    .addHelpText(
      'after',
      `
The broken file is read, never written. A text whose checksum fails is saved only where there is no
better one, and named. Ends with 10 where anything was lost or is doubtful.

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
  if (isDatabase(file)) throw noFile();
  const named = options.to === undefined ? undefined : resolve(folder, options.to);
  const target = named ?? `${file.replace(/\.json$/, '')}.repaired.json`;
  const { repairStoreFile } = await import('../../local.ts');
  const repair = await repairStoreFile(file, target);
  const flaws = flawsOf(repair);
  for (const flaw of flaws) await terminal.warn(flaw);
  await terminal.show({ one: repair, columns: ['savedAs', 'articles'] });
  await terminal.notice(`Look at it, then put it in the place of ${file}.`);
  if (flaws.length > 0) {
    throw new BlogctlError('partly-failed', `Not everything in ${file} could be saved as it was.`, {
      hint: `what is named above is lost or doubtful; compare ${target} with a copy`,
    });
  }
}

function flawsOf({ lost, problems, newBlogs }: Repair): readonly string[] {
  return [
    ...lost.map(({ line, offset, bytes }) => {
      return `line ${line}: ${bytes} bytes from byte ${offset} on are no article`;
    }),
    ...problems.map(({ line, what }) => (line === undefined ? what : `line ${line}: ${what}`)),
    ...(newBlogs ? ['a blog is not listed any more: its title is made up'] : []),
  ];
}

function noFile(): BlogctlError {
  return new BlogctlError('usage', 'A database is not repaired here.', {
    hint: 'restore it from a backup; blogctl store check names what is damaged',
  });
}
