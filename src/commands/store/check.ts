import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Check } from '../../local.ts';
import { isDatabase, operating, shownStore, storeFile } from '../store-file.ts';

export type CheckOptions = { readonly store?: string; readonly acceptEdits?: boolean };

export function define(command: Command, context: Context, run = checkStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', 'file or postgres://… to read (default: the local blog)')
    .option('--accept-edits', 'take the file as it is: what was edited gets new checksums')
    .addHelpText(
      'after',
      `
\`sound\`: as it was written. \`usable\`: it is opened, and what is named here is shown as it stands
until the next change, or --accept-edits, confirms it. \`read-only\`: it can be read, and what
would change it is refused for the reason that is named. \`broken\`: it, or an article in it, is
refused, and this ends with 7. Without --accept-edits nothing is written.

Examples:
  blogctl store check --store blog.json
  blogctl store check --accept-edits --store blog.json`,
    )
    .action((store: string | undefined, options: CheckOptions) =>
      run({ ...options, ...(store !== undefined && { store }) }, context),
    );
}

/** Reads a store file from end to end and names what is not as it was written, by line and byte. */
export async function checkStore(options: CheckOptions, context: Context): Promise<void> {
  const file = await storeFile(options.store, context);
  const { checkStoreFile, withStoreFile } = await import('../../local.ts');
  if (options.acceptEdits === true) {
    await withStoreFile(operating(file, context), (store) => store.confirm());
  }
  const check = await checkStoreFile(file);
  for (const problem of check.problems) await context.terminal.warn(describe(problem));
  await context.terminal.show({
    one: { store: shownStore(file), ...check },
    columns: ['store', 'verdict', 'articles'],
  });
  if (check.verdict === 'broken') {
    throw new BlogctlError(
      'unusable-store',
      `${shownStore(file)} is broken; it was left as it is.`,
      {
        hint: isDatabase(file)
          ? 'restore what is named above from a backup of the database'
          : `blogctl store repair --store ${file} writes what can be saved into a new file`,
      },
    );
  }
}

function describe({ line, offset, what }: Check['problems'][number]): string {
  const places = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(offset === undefined ? [] : [`byte ${offset}`]),
  ];
  return places.length === 0 ? what : `${places.join(', ')}: ${what}`;
}
