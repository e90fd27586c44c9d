import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type WalkedFile = {
  /** Path relative to the folder, with `/` on every system. */
  readonly path: string;
  readonly kind: 'file' | 'folder-link';
};

/**
 * Every file below a folder, names in the same order on every machine. Hidden names and
 * `node_modules` are passed over. A link to a folder is named, not followed: what it leads to would
 * be found twice, or without end.
 */
export async function* walkFolder(
  folder: string,
  below = '',
): AsyncGenerator<WalkedFile, void, void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walkFolder(folder, path);
    else if (entry.isSymbolicLink() && (await leadsToFolder(join(folder, path)))) {
      yield { path, kind: 'folder-link' };
    } else yield { path, kind: 'file' };
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  // A link that leads nowhere is left to whoever reads the file: that failure names the path.
  return stat(path).then(
    (target) => target.isDirectory(),
    () => false,
  );
}
