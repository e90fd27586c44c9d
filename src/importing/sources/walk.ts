import { readdirSync, realpathSync, lstatSync, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, dirname, extname, sep, isAbsolute, relative, resolve } from 'node:path';

import { BlogctlError } from '../../errors.ts';

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
    else if (entry.isSymbolicLink()) yield { path, ...kindOfLink(join(folder, path), root) };
    else yield { path, kind: entry.isFile() ? 'file' : 'special' };
  }
}

function kindOfLink(link: string, root: string): Pick<WalkedFile, 'kind' | 'target'> {
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

export type NamedFile = {
  /** How the file is reached, itself and not by a link. */
  readonly path: string;
  /** Whether a link led to it that must not be followed. */
  readonly isElsewhere: boolean;
};

/**
 * The file or folder that an argument names. A shell's list (`posts/*`) names links too, and what lies behind
 * them below the folder that all arguments share: one is what it leads to, where that is among the posts that
 * the link belongs to; out of there, or to a hidden place, it would publish what nobody chose.
 */
export function namedFile(argument: string, root: string | undefined, shared: string): NamedFile {
  const link = linkOnTheWay(argument, shared);
  const folder = dirname(link ?? argument);
  const base = realpathSync(folder);
  if (link === undefined || isOfSystem(base)) return { path: argument, isElsewhere: false };
  const target = realpathSync(argument);
  const path = pathBelow(homeOfPosts(folder, root), target);
  if (path === undefined || isHidden(path)) return { path: target, isElsewhere: true };
  const beside = pathBelow(base, target);
  return { path: beside === undefined ? target : join(folder, beside), isElsewhere: false };
}

/** The first link below the shared folder, or the last part of a path that is one. */
function linkOnTheWay(argument: string, shared: string): string | undefined {
  let link: string | undefined;
  // A slash behind a link would follow it.
  for (let path = argument.replace(/(?<=.)\/+$/, ''); ; path = dirname(path)) {
    if (lstatSync(path).isSymbolicLink()) link = path;
    const above = dirname(path);
    if (above === path || !pathBelow(shared, resolve(above))) return link;
  }
}

/** The folder that holds all these, as they are written; a folder that is named alone is in its own. */
export function sharedFolder(named: readonly string[]): string {
  const [first = resolve('.'), ...others] = named.map((each) => dirname(resolve(each)));
  return others.reduce(commonFolder, first);
}

/** The folder that holds both; of two drives there is none, and it is the first. */
function commonFolder(one: string, other: string): string {
  let common = one;
  while (pathBelow(common, other) === undefined && dirname(common) !== common)
    common = dirname(common);
  return common;
}

/** `/dev/stdin` and its like are names of what was opened already. */
function isOfSystem(folder: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(folder);
}

/** In a folder that is searched it would not be found either. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.') || name === 'node_modules');
}

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
function homeOfPosts(folder: string, root: string | undefined): string {
  if (root !== undefined) return realRoot(root);
  const base = realpathSync(folder);
  return workTreeAt(base) ?? base;
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

export function isInWorkTree(folder: string): boolean {
  return workTreeAt(realpathSync(folder)) !== undefined;
}

/** The root of the git work tree that a folder lies in, both by their real paths. */
function workTreeAt(folder: string): string | undefined {
  return createWorkTrees()(folder);
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
export function isWorkTree(folder: string): boolean {
  const git = statSync(join(folder, '.git'), { throwIfNoEntry: false });
  return git !== undefined && (git.isFile() || existsSync(join(folder, '.git', 'HEAD')));
}

type Named = {
  readonly folder: string;
  /** The folder that all arguments share. */
  readonly shared?: string | undefined;
  /** The file that the folder was unpacked from. */
  readonly archive?: string | undefined;
};

/** Where a folder lies, by real paths. */
export type Place = {
  readonly base: string;
  /** Up to this folder is looked for what says of those below. */
  readonly top: string;
  /** What stands before a path in the folder, to be judged. */
  readonly begins: string;
};

/**
 * Judged is from the root of the work tree; outside of one from the folder that it shares with all that was
 * named, or the current one where that is above: what is above was not chosen, and neither is what is above the home folder.
 */
export function placeOf({ folder, archive, shared }: Named): Place {
  const base = realpathSync(folder);
  if (archive !== undefined) {
    const { begins } = placeOf({ folder: dirname(archive), shared });
    return { base, top: base, begins: `${begins}${basename(archive, extname(archive))}/` };
  }
  const tree = workTreeAt(base);
  const top = tree ?? startOf(base, shared);
  const names = relative(top, base).split(sep).join('/');
  const own = tree === undefined ? basename(base) : '';
  return { base, top, begins: names === '' && own === '' ? '' : `${names || own}/` };
}

function startOf(base: string, shared?: string): string {
  if (shared === undefined) return base; // Of a sync, wherever it runs.
  const chosen = commonFolder(base, realpathSync(shared));
  const here = realpathSync('.');
  const start = pathBelow(here, chosen) === undefined || dirname(here) === here ? chosen : here;
  const home = existsSync(homedir()) ? realpathSync(homedir()) : homedir();
  const isAtHome = pathBelow(home, base) !== undefined && pathBelow(start, home) !== undefined;
  return isAtHome ? home : start;
}
