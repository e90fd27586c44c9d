import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

import { pathBelow } from '../../identity/post-path.ts';

export type WalkedFile = {
  /** Path relative to the folder, with `/` on every system. */
  readonly path: string;
  readonly kind: 'file' | 'special' | LinkKind;
  /** The real path of what a link out of the source leads to. */
  readonly target?: string;
};

/** Where a link leads, seen from the folder that is walked through. */
export type LinkKind = 'link-out-of-source' | 'link-within-source' | 'broken-link';

/**
 * Every file below a folder, names in the same order on every machine; each folder is read at once.
 * Hidden names and `node_modules` are passed over. A link is named, neither followed nor opened: what
 * it leads to is not of this source, or would be found twice. Special is a pipe, a socket, a device.
 */
export function* walkFolder(folder: string): Generator<WalkedFile, void, void> {
  yield* walkBelow(folder, realpathSync(folder), '');
}

function* walkBelow(
  folder: string,
  root: string,
  below: string,
): Generator<WalkedFile, void, void> {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walkBelow(folder, root, path);
    else if (entry.isSymbolicLink()) yield { path, ...linkOf(join(folder, path), root) };
    else yield { path, kind: entry.isFile() ? 'file' : 'special' };
  }
}

function linkOf(link: string, root: string): Pick<WalkedFile, 'kind' | 'target'> {
  const target = targetOf(link);
  if (target === undefined) return { kind: 'broken-link' };
  if (pathBelow(root, target) !== undefined) return { kind: 'link-within-source' };
  return { kind: 'link-out-of-source', target };
}

/** Undefined where it leads nowhere, in a circle, or where nobody may look. */
function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}
