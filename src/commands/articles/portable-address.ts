import { resolve } from 'node:path';
import type { Article } from '../../client/blog-client.ts';
import type { Context } from '../../context/context.ts';
import { fileAddress } from '../../settings/target.ts';

/**
 * The addresses by which an import finds articles again that are written below a folder. A store file
 * is named by its path from there: what is written beside it may move with it.
 */
export async function portableAddresses(
  folder: string,
  context: Context,
): Promise<(of: Article) => string> {
  const { value: target } = await context.chosen();
  if (target.kind !== 'file') return ({ url }) => url;
  const from = { folder: resolve(context.folder, folder), mayLeadOut: true };
  return ({ id }) => fileAddress(target, from, id);
}
