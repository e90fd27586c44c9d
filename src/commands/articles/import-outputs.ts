import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { refuseOwnStore } from '../../context/open-file.ts';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { isPipeOrDevice } from '../../files.ts';
import { refuseExisting } from '../../terminal/output-file.ts';
import type { ImportOptions } from './import.ts';

type ImportOutputs = {
  readonly rejects: string | undefined;
  readonly results: string | undefined;
};

type Import = {
  readonly named: readonly string[];
  readonly options: ImportOptions;
  /** The name of its first source. */
  readonly name: string;
  /** Rejects are wanted although nobody named a file for them. */
  readonly bearsErrors: boolean;
};

/**
 * The files that an import writes beside the blog. None takes the place of a source, of the store or
 * of anything else that nobody said may go: rejects may have been repaired. Results are made anew by
 * every run, so an earlier run's may go.
 */
export async function outputsOf(
  { named, options, name, bearsErrors }: Import,
  context: Context,
): Promise<ImportOutputs> {
  const { results, dryRun = false } = options;
  const wanted = options.rejects ?? (bearsErrors ? freeName(name, context) : undefined);
  // A dry run names them on stderr and leaves nothing to repair.
  const rejects = dryRun ? undefined : wanted;
  const files = [rejects, results].filter((file) => file !== undefined);
  for (const file of files) {
    refuseSource(file, named, context);
    await refuseOwnStore(file, context);
  }
  if (rejects !== undefined && isSame(rejects, results, context)) throw oneFile(rejects);
  if (context.flags.overwrite !== true) {
    for (const file of files) {
      const path = resolve(context.folder, file);
      const isOurs = file === results && holdsResults(path);
      if (!isOurs && !(await isPipeOrDevice(path))) refuseExisting(path);
    }
  }
  return { rejects, results };
}

/** In the folder one stands in, because a source may lie where nothing can be written. */
function freeName(source: string, { folder }: Context): string {
  const name = basename(source).replace(/\.(?:ndjson|jsonl|json)$/i, '');
  for (let number = 1; ; number += 1) {
    const file = `${name}.rejects${number === 1 ? '' : `-${number}`}.ndjson`;
    if (!existsSync(resolve(folder, file))) return file;
  }
}

function refuseSource(file: string, named: readonly string[], context: Context): void {
  const same = named.find((source) => isSame(source, file, context));
  if (same === undefined) return;
  throw new BlogctlError('usage', `"${file}" would overwrite the source "${same}".`, {
    hint: 'Name another file.',
  });
}

function isSame(one: string, other: string | undefined, { folder }: Context): boolean {
  return other !== undefined && resolve(folder, one) === resolve(folder, other);
}

function oneFile(file: string): BlogctlError {
  return new BlogctlError('usage', `--rejects and --results name one file, "${file}".`, {
    hint: 'Name two.',
  });
}

/** Whether a file is empty or begins as results do. */
function holdsResults(path: string): boolean {
  if (!existsSync(path)) return true;
  const text = readFileSync(path, 'utf8');
  return text === '' || /^\{"source":"(?:[^"\\]|\\.)*","position":\d+,"outcome":"/.test(text);
}
