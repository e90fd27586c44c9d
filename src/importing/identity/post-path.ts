import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

import { BlogctlError } from '../../errors.ts';

/**
 * What the posts below a folder are called (decisions 44): their path from the root of the git work
 * tree they lie in; outside of one, the folder's name and the path below it. With `root`, which must
 * hold the folder, the path from there.
 */
export function postPathsBelow(
  folder: string,
  name: string,
  root: string | undefined,
): (path: string) => string {
  const base = realpathSync(folder);
  if (root !== undefined) {
    const start = pathFromRoot(base, root);
    return (path) => join(start, path).split(sep).join('/');
  }
  const workTreeOf = createWorkTrees();
  return (path) => {
    const file = join(base, path);
    const tree = workTreeOf(dirname(file));
    return tree === undefined ? `${name}/${path}` : relative(tree, file).split(sep).join('/');
  };
}

function pathFromRoot(base: string, root: string): string {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new BlogctlError('usage', `--root "${root}" is not a folder.`, {
      hint: 'Name the folder that the paths of the posts begin in.',
    });
  }
  const path = relative(realpathSync(root), base);
  if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return path;
  throw new BlogctlError('usage', `"${base}" does not lie below --root "${root}".`, {
    hint: 'Name a folder that holds everything that is imported.',
  });
}

/** The root of the git work tree that a folder lies in; each folder is looked at once. */
function createWorkTrees(): (folder: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return function workTreeOf(folder): string | undefined {
    if (known.has(folder)) return known.get(folder);
    const parent = dirname(folder);
    const tree = isWorkTree(folder) ? folder : parent === folder ? undefined : workTreeOf(parent);
    known.set(folder, tree);
    return tree;
  };
}

/** A repository, or the file that stands in its place in submodules and linked work trees. */
function isWorkTree(folder: string): boolean {
  const git = statSync(join(folder, '.git'), { throwIfNoEntry: false });
  return git !== undefined && (git.isFile() || existsSync(join(folder, '.git', 'HEAD')));
}
