import { homedir } from 'node:os';
import { resolve } from 'node:path';

/**
 * The address of the article that a post says it is (decisions 55). That of an article in a store
 * file, `file:../blog.json#7`, becomes absolute: its path begins in the folder of the post. Undefined
 * where it is no address.
 */
export function articleAddress(text: string, folder: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text;
  const [, path = '', fragment = ''] = /^file:([^]+?)(#[^#]*)$/i.exec(text) ?? [];
  if (path === '') return undefined;
  return `file:${absolute(path, folder)}${fragment}`;
}

function absolute(path: string, folder: string): string {
  const beneathHome = /^~[\\/]([^]*)$/.exec(path)?.[1];
  return beneathHome === undefined ? resolve(folder, path) : resolve(homedir(), beneathHome);
}
