import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { isDatabase, shownStore, storeFile } from '../store-file.ts';

export type UpgradeOptions = { readonly store?: string; readonly dryRun?: boolean };

export function define(command: Command, context: Context, run = upgradeStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', 'the database, as postgres://…')
    .option('--dry-run', 'print the SQL that would be run')
    .addHelpText(
      'after',
      `
Instances may run meanwhile. Nothing else changes a schema.

Examples:
  blogctl store upgrade postgres://owner@db.example/blog --dry-run`,
    )
    .action((store: string | undefined, options: UpgradeOptions) =>
      run({ ...options, ...(store !== undefined && { store }) }, context),
    );
}

/** Brings the schema of a database to this program's. */
export async function upgradeStore(
  { store, dryRun = false }: UpgradeOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const address = await storeFile(store, context);
  if (!isDatabase(address)) {
    throw new BlogctlError('usage', `${address} is a file: it has no schema to upgrade.`, {
      hint: 'name a database, as postgres://owner@host/name',
    });
  }
  const local = await import('../../local.ts');
  const steps = await local.upgradeStore(address, dryRun);
  const shown = shownStore(address);
  if (steps.length === 0) return terminal.notice(`${shown} has the newest schema already.`);
  if (dryRun) return terminal.write(`${steps.join('\n')}\n`);
  await terminal.notice(`Upgraded ${shown}.`);
}
