import type { ActionKind, Base } from './actions.ts';
import type { Digests, FoundBy } from './book.ts';
import type { StateLine } from './state-file.ts';

type Side = { readonly digest: string; readonly exact?: string | undefined };

export type Decision = { readonly action: ActionKind; readonly base: Base };

/** A post and its article. */
export type Both = {
  readonly file: Side;
  /** Absent where it was deleted on the blog. */
  readonly blog: Side | undefined;
  readonly by: FoundBy;
  readonly line?: StateLine | undefined;
  /** Digests of the texts the file had; undefined where git was not or cannot be asked. */
  readonly versions?: Digests | undefined;
  /** Of its versions, the text on the blog is nearest to the one the file has now. */
  readonly isNearestNow?: boolean;
};

/** What becomes of a post that has, or had, an article. */
export function decide({ file, blog, by, line, versions, isNearestNow }: Both): Decision {
  if (blog === undefined) return { action: 'deleted-there', base: baseOf(by) };
  const isFileAsBase = line !== undefined && file.digest === line.sent;
  const isBlogAsBase = line !== undefined && blog.digest === line.stored;
  if (isSame(file, blog)) {
    return { action: 'unchanged', base: isBlogAsBase ? 'state' : baseOf(by) };
  }
  // A service that stores another text than it was sent has changed nothing since.
  if (isFileAsBase && isBlogAsBase && file.exact === undefined) {
    return { action: 'unchanged', base: 'state' };
  }
  if (isBlogAsBase) return { action: 'update', base: 'state' };
  if (file.digest === blog.digest) return { action: 'update', base: 'text' };
  if (by === 'asked') return { action: 'update', base: 'unknown' };
  if (versions?.has(blog.digest) === true) return { action: 'update', base: 'git' };
  if (line !== undefined) return { action: isFileAsBase ? 'drift' : 'conflict', base: 'state' };
  if (versions === undefined || versions.size === 0)
    return { action: 'unverified', base: 'unknown' };
  return { action: isNearestNow === true ? 'drift' : 'conflict', base: 'git' };
}

export type Removal = {
  readonly blog: Side;
  readonly line?: StateLine | undefined;
  readonly versions?: Digests | undefined;
  readonly prune: boolean;
  /** Delete also what was edited there. */
  readonly overwrite: boolean;
};

/** What becomes of an article whose file is gone, or not to be published any more. */
export function decideGone({ blog, line, versions, prune, overwrite }: Removal): Decision & {
  readonly edited: boolean;
} {
  const isOurs = line?.stored === blog.digest || versions?.has(blog.digest) === true;
  const action = prune && (isOurs || overwrite) ? 'delete' : 'orphan';
  return { action, base: line === undefined ? 'git' : 'state', edited: !isOurs };
}

function isSame(file: Side, blog: Side): boolean {
  return file.exact === undefined ? file.digest === blog.digest : file.exact === blog.exact;
}

function baseOf(by: FoundBy): Base {
  if (by === 'own') return 'text';
  return by === 'asked' ? 'unknown' : by;
}
