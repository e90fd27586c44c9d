import { resolve } from 'node:path';
import type { Context } from '../context/context.ts';
import { makeFolderOfLocalBlog } from '../context/open-file.ts';
import { BlogctlError } from '../errors.ts';
import { readTarget, type Target } from '../settings/target.ts';

/** The store file that a command may make; only the local blog gets its folder made as well. */
export async function storeFileToMake(
  store: string | undefined,
  context: Context,
): Promise<string> {
  const file = await storeFile(store, context);
  await makeFolderOfLocalBlog(file, context);
  return file;
}

/** The store file a command is about: --store, else the file of the chosen blog. */
export async function storeFile(store: string | undefined, context: Context): Promise<string> {
  const target =
    store === undefined ? (await context.chosen()).value : readStore(store, context.folder);
  if (target.kind === 'file') return target.path;
  throw new BlogctlError('usage', `${target.url} is a service, not a store file.`, {
    hint: 'name the file with --store <file>',
  });
}

function readStore(text: string, folder: string): Target {
  if (/^file:/i.test(text)) return readTarget(text, folder);
  return { kind: 'file', path: resolve(folder, text) };
}

/** What is found wrong with a store file that is opened is said, whatever the flags say. */
export function operating(file: string, { terminal }: Context) {
  return { file, notice: (text: string) => void terminal.warn(text) };
}
