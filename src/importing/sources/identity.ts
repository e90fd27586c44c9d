import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

import { BlogctlError } from '../../errors.ts';

/**
 * What makes a record the same one in every run, whatever it is called and wherever it stands.
 * `namespace` keeps equal names of different sources apart and is '' where a name is unique by
 * itself (decisions 47); `name` is absent where only title and content tell a record from others
 * (decisions 45).
 */
export type Identity = { readonly namespace: string; readonly name?: string };

/** Members that identify a record, the most trusted first (decisions 45 and 46). */
const identifying = {
  record: ['uuid', 'guid', 'id', '_id', 'slug', 'url', 'link'],
  wordpress: ['guid', 'post', 'link'],
  ghost: ['uuid', 'id'],
  feed: ['guid', 'id', 'link'],
} as const;

export type RecordKind = keyof typeof identifying;

/**
 * What a record is found in: its file, `stdin` for a stream, and the site where an export or a feed
 * names one.
 */
export type Origin = { readonly file: string; readonly site?: string | undefined };

/**
 * The identity of a record of its own: the first member that it has, else its text. Neither its
 * position nor any other record plays a part.
 */
export function identify(
  kind: RecordKind,
  members: Readonly<Record<string, unknown>>,
  origin: Origin,
): Identity {
  for (const name of identifying[kind]) {
    const value = valueOf(memberNamed(members, name));
    if (value !== '') return identityBy(name, value, origin);
  }
  return { namespace: namespaceOf(origin) };
}

/** The identity of a record by a member of the user's choice (`--key-field`). */
export function identityBy(name: string, value: string, origin: Origin): Identity {
  const isGlobal = name === 'uuid' || name === 'guid' || isUuid(value) || isAddress(value);
  return { namespace: isGlobal ? '' : namespaceOf(origin), name: `${name}:${value}` };
}

/** A post is known by its path from the root of its work tree (decisions 44). */
export function postIdentity(path: string): Identity {
  return { namespace: '', name: `path:${path.normalize('NFC')}` };
}

let last: { readonly origin: Origin; readonly namespace: string } | undefined;

/** The records of a source come one after the other: their namespace is made out once. */
function namespaceOf(origin: Origin): string {
  const { file, site } = origin;
  if (last?.origin.file !== file || last.origin.site !== site) {
    last = { origin: { file, site }, namespace: namespaceIn(origin) };
  }
  return last.namespace;
}

/**
 * The site, else the name of the file without what changes from one export to the next: extension,
 * dates and numbers.
 */
function namespaceIn({ file, site = '' }: Origin): string {
  if (site !== '') return site.replace(/\/+$/, '');
  if (file === 'stdin') return '-';
  return (file.split(/[\\/]/).at(-1) ?? '')
    .normalize('NFC')
    .replace(/(?<=.)\.[a-z][a-z0-9]*(?:\.gz)?$/i, '')
    .replaceAll(/\d{4}-?\d{2}-?\d{2}T[\d:.-]*Z?/gi, '')
    .replaceAll(/\d+/g, '')
    .replaceAll(/[\s()[\]]+|[._-]{2,}/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
}

/** Exactly so, else the first that is written in another case. */
function memberNamed(members: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(members, name)) return members[name];
  for (const other in members) {
    if (other.length === name.length && other.toLowerCase() === name) return members[other];
  }
  return undefined;
}

function valueOf(member: unknown): string {
  if (typeof member === 'string') return member.trim();
  return typeof member === 'number' || typeof member === 'bigint' ? String(member) : '';
}

function isUuid(value: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** An address that means the same everywhere; `file:` does not. */
function isAddress(value: string): boolean {
  return /^(?:https?:\/\/|urn:|tag:)\S+$/i.test(value);
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
