import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Check, Repair } from '../local.ts';
import {
  isDatabase,
  oneStore,
  shownStore,
  storeFile,
  storeFlag,
  storeHelp,
  warning,
  withMaintenance,
} from './store-file.ts';

export const verbs = { check: defineCheck, repair: defineRepair, compact: defineCompact };

type CheckOptions = { readonly store?: string; readonly acceptEdits?: boolean };

function defineCheck(command: Command, context: Context, run = checkStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <store>', storeHelp)
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
      run(oneStore(store, options), context),
    );
}

/** Reads a store file from end to end and names what is not as it was written, by line and byte. */
async function checkStore(options: CheckOptions, context: Context): Promise<void> {
  const file = await storeFile(options.store, context);
  const { atServer } = await import('../local.ts');
  if (options.acceptEdits === true) {
    if (isDatabase(file))
      throw new BlogctlError('usage', 'A database has no file that could have been edited.', {
        hint: `Leave it out: \`blogctl store check ${storeFlag(file)}\`.`,
      });
    await acceptEdits(file, context);
  }
  const check = await atServer(file, (server) =>
    server.checkStore(file, warning(context.terminal)),
  );
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
          ? 'Restore what is named above from a backup of the database.'
          : `Run blogctl store repair ${storeFlag(file)} to save what can be saved into a new file.`,
      },
    );
  }
}

/** Names what is taken; what an opening says of it beforehand would be wrong afterwards. */
async function acceptEdits(file: string, { terminal }: Context): Promise<void> {
  const { atServer } = await import('../local.ts');
  const { problems, verdict } = await atServer(file, (server) => server.checkStore(file));
  if (verdict === 'broken') return;
  for (const problem of problems) await terminal.warn(describe(problem));
  const notice = () => undefined;
  await atServer(file, (server) =>
    server.withMaintenance({ file, notice }, (store) => store.confirm()),
  );
  if (problems.length > 0)
    await terminal.notice(`${file} was taken as it is: what is named above has its checksum now.`);
}

function describe({ line, offset, what }: Check['problems'][number]): string {
  const places = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(offset === undefined ? [] : [`byte ${offset}`]),
  ];
  return places.length === 0 ? what : `${places.join(', ')}: ${what}`;
}

type RepairOptions = { readonly store?: string; readonly to?: string };

function defineRepair(command: Command, context: Context, run = repairStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <file>', 'the broken file (default: of the chosen or local blog)')
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
    .action((store: string | undefined, options: RepairOptions) =>
      run(oneStore(store, options), context),
    );
}

/** Writes what can be saved of a broken store file into a new one beside it. */
async function repairStore(options: RepairOptions, context: Context): Promise<void> {
  const { terminal, folder } = context;
  const file = await storeFile(options.store, context);
  if (isDatabase(file)) throw noFile(file);
  const named = options.to === undefined ? undefined : resolve(folder, options.to);
  const target = named ?? `${file.replace(/\.json$/, '')}.repaired.json`;
  const { atServer } = await import('../local.ts');
  const { verdict } = await atServer(file, (server) => server.checkStore(file));
  // Who says where to write it is given a copy even so.
  if (verdict === 'sound' && named === undefined)
    return terminal.notice(`${file} is sound: there is nothing to repair.`);
  const repair = await atServer(file, (server) => server.repairStore(file, target));
  const flaws = flawsOf(repair);
  const harmless = repair.problems.filter(({ isHarmless }) => isHarmless);
  for (const what of [...flaws, ...harmless.map((one) => one.what)]) await terminal.warn(what);
  await terminal.show({ one: repair, columns: ['savedAs', 'articles'] });
  const lead = flaws.length === 0 ? 'Nothing was lost. ' : '';
  await terminal.notice(`${lead}Look at it, then put it in the place of ${file}.`);
  if (flaws.length > 0) {
    throw new BlogctlError('partly-failed', `Not everything in ${file} could be saved as it was.`, {
      hint: `What is named above is lost or doubtful; compare ${target} with a copy.`,
    });
  }
}

function flawsOf({ lost, problems, newBlogs }: Repair): readonly string[] {
  return [
    ...lost.map(({ line, offset, bytes, id }) => {
      const whose = id === undefined ? '' : `; they begin as a line of article ${id}`;
      return `line ${line}: ${bytes} bytes from byte ${offset} on are no article${whose}`;
    }),
    ...problems.flatMap(({ line, what, isHarmless = false }) =>
      isHarmless ? [] : line === undefined ? what : `line ${line}: ${what}`,
    ),
    ...(newBlogs ? ['a blog is not listed any more: its title is made up'] : []),
  ];
}

function noFile(file: string): BlogctlError {
  return new BlogctlError('usage', 'A database is not repaired here.', {
    hint: `Restore it from a backup; blogctl store check ${storeFlag(file)} names what is damaged.`,
  });
}

type CompactOptions = { readonly store?: string };

function defineCompact(command: Command, context: Context, run = compactStore): void {
  command
    .argument('[store]', 'as --store')
    .option('--store <file>', 'the file to tidy (default: of the chosen or local blog)')
    .addHelpText(
      'after',
      `
The service does this by itself when it stops or rests; this is for a file that is to be copied
or committed now.

Examples:
  blogctl store compact --store blog.json`,
    )
    .action((store: string | undefined, options: CompactOptions) =>
      run(oneStore(store, options), context),
    );
}

/** Puts the articles of a store file in order and leaves old versions out. */
async function compactStore(options: CompactOptions, context: Context): Promise<void> {
  const file = await storeFile(options.store, context);
  await withMaintenance(file, context, (store) => store.compact());
  await context.terminal.notice(`Tidied ${file}.`);
}

type UpgradeOptions = { readonly store?: string; readonly dryRun?: boolean };

export function defineUpgrade(command: Command, context: Context, run = upgradeStore): void {
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
      run(oneStore(store, options), context),
    );
}

/** Brings the schema of a database to this program's. */
async function upgradeStore(
  { store, dryRun = false }: UpgradeOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const address = await storeFile(store, context);
  if (!isDatabase(address)) {
    throw new BlogctlError('usage', `${address} is a file: it has no schema to upgrade.`, {
      hint: 'Name a database, as postgres://owner@host/name does.',
    });
  }
  const { atServer } = await import('../local.ts');
  const steps = await atServer(address, (server) =>
    server.upgradeStore(address, dryRun, warning(terminal)),
  );
  const shown = shownStore(address);
  if (steps.length === 0) return terminal.notice(`${shown} has the newest schema already.`);
  if (dryRun) return terminal.write(`${steps.join('\n')}\n`);
  await terminal.notice(`Upgraded ${shown}.`);
}
