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
  /** How the names of the files of a folder begin. */
  const beginnings = new Map<string, string>();
  const beginningOf = (below: string) => {
    const file = join(base, below, 'x');
    const tree = workTreeOf(dirname(file));
    if (tree === undefined) return `${name}/${below}`;
    return relative(tree, file).split(sep).join('/').slice(0, -1);
  };
  return (path) => {
    const below = path.slice(0, path.lastIndexOf('/') + 1);
    let beginning = beginnings.get(below);
    if (beginning === undefined) beginnings.set(below, (beginning = beginningOf(below)));
    return beginning + path.slice(below.length);
  };
}

/**
 * The real path of the folder that the posts of a folder belong to: its git work tree, outside of one
 * the folder itself; with `root` that.
 */
export function homeOfPosts(folder: string, root: string | undefined): string {
  if (root !== undefined) return realRoot(root);
  const base = realpathSync(folder);
  return createWorkTrees()(base) ?? base;
}

/** The path of a file or folder from one that holds it; both are real paths. */
export function pathBelow(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  const isElsewhere = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return isElsewhere ? undefined : path;
}

function pathFromRoot(base: string, root: string): string {
  const path = pathBelow(realRoot(root), base);
  if (path !== undefined) return path;
  throw new BlogctlError('usage', `"${base}" does not lie below --root "${root}".`, {
    hint: 'Name a folder that holds everything that is imported.',
  });
}

function realRoot(root: string): string {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(root);
  throw new BlogctlError('usage', `--root "${root}" is not a folder.`, {
    hint: 'Name the folder that the paths of the posts begin in.',
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
