import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Check } from '../../local.ts';
import { storeFile } from '../store-file.ts';

export type CheckOptions = { readonly store?: string };

export function define(command: Command, context: Context, run = checkStore): void {
  command
    .option('--store <file>', 'the file to read (default: that of the local blog)')
    .addHelpText(
      'after',
      `
Changes nothing. \`sound\`: as it was written. \`usable\`: the next use mends it. \`broken\`: it
would be refused, and this ends with 7.

Examples:
  blogctl store check --store blog.json
  blogctl store check --store blog.json --json`,
    )
    .action((options: CheckOptions) => run(options, context));
}

/** Reads a store file from end to end and names what is not as it was written, by line and byte. */
export async function checkStore(options: CheckOptions, context: Context): Promise<void> {
  const file = await storeFile(options.store, context);
  const { checkStoreFile } = await import('../../local.ts');
  const check = await checkStoreFile(file);
  for (const problem of check.problems) await context.terminal.warn(describe(problem));
  await context.terminal.show({
    one: { store: file, ...check },
    columns: ['store', 'verdict', 'articles'],
  });
  if (check.verdict === 'broken') {
    throw new BlogctlError('unusable-store', `${file} is broken; it was left as it is.`, {
      hint: `blogctl store repair --store ${file} writes what can be saved into a new file`,
    });
  }
}

function describe({ line, offset, what }: Check['problems'][number]): string {
  const places = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(offset === undefined ? [] : [`byte ${offset}`]),
  ];
  return places.length === 0 ? what : `${places.join(', ')}: ${what}`;
}
