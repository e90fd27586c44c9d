import { resolve } from 'node:path';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';

/** The store file a command is about: --store, else the file of the chosen blog. */
export async function storeFile(store: string | undefined, context: Context): Promise<string> {
  if (store !== undefined) return resolve(context.folder, store.replace(/^file:(?!\/\/)/i, ''));
  const { value: target } = await context.chosen();
  if (target.kind === 'file') return target.path;
  throw new BlogctlError('usage', `${target.url} is a service, not a store file.`, {
    hint: 'name the file with --store <file>',
  });
}
