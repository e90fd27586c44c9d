import { BlogctlError } from '../errors.ts';
import { tolerates, type Tolerance } from '../importing/import-request.ts';
import type { ActionKind, Base } from './actions.ts';
import type { FoundBy } from './match.ts';
import type { Folder } from './folder.ts';
import type { Plan } from './plan.ts';
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
  readonly versions?: ReadonlySet<string> | undefined;
};

/** What becomes of a post that has, or had, an article. */
export function decide({ file, blog, by, line, versions }: Both): Decision {
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
  // Of several versions git cannot tell which one was applied last: the file may have changed since.
  const isOnlyVersion = versions.size === 1 && versions.has(file.digest);
  return { action: isOnlyVersion ? 'drift' : 'conflict', base: 'git' };
}

export type Removal = {
  readonly blog: Side;
  readonly line?: StateLine | undefined;
  readonly versions?: ReadonlySet<string> | undefined;
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

const always = 5;
const usualShare = 0.1;

/** Refuses a folder that cannot be read as it was meant, before anything is asked. */
export function requireReadable(
  { named, posts, skipped, rejected }: Folder,
  { allowEmpty, tolerance }: { readonly allowEmpty: boolean; readonly tolerance: Tolerance },
): void {
  const [first] = rejected;
  if (
    first !== undefined &&
    !tolerates(tolerance, rejected.length, posts.length + rejected.length)
  ) {
    const others = rejected.length === 1 ? '' : ` and ${rejected.length - 1} more`;
    throw new BlogctlError(
      'unusable-input',
      `${first.path}${others} cannot be read: ${first.message}`,
      {
        hint: 'Repair what is named, or go on without it with --continue-on-error; then nothing is deleted.',
      },
    );
  }
  if (posts.length > 0 || allowEmpty) return;
  const passed = skipped.size > 0 ? ` (${skipped.size} are not public)` : '';
  throw new BlogctlError('unusable-input', `There is no post in "${named}"${passed}.`, {
    hint: 'Check the folder and the branch; --allow-empty accepts a folder without posts.',
  });
}

/**
 * Refuses a folder that has nothing in common with what was synced before, or, where nobody knows what
 * was, with any of the blog's `others` articles.
 */
export function requireFamiliar(
  { named }: Folder,
  { paired, known }: Plan,
  { others, isSaidToBeNew }: { readonly others: number; readonly isSaidToBeNew: boolean },
): void {
  if (paired > 0 || known + others === 0 || isSaidToBeNew) return;
  const has = known > 0 ? `${known} of an earlier sync` : `${others} articles`;
  const what = `None of the posts in "${named}" is on the blog, which has ${has}`;
  throw new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: 'Check the folder, the branch and --import-id. Where all of its posts are new --adopt none says so; a second folder takes an --import-id of its own as well.',
  });
}

/** Why no more is deleted than a mistake should cost; undefined where it is not more. */
export function tooManyDeletes(
  { steps, managed }: Pick<Plan, 'steps' | 'managed'>,
  most: Tolerance | undefined,
): BlogctlError | undefined {
  const deletes = steps.filter(({ action }) => action.action === 'delete').length;
  const isUsual = deletes <= Math.max(always, usualShare * managed);
  if (most === undefined ? isUsual : tolerates(most, deletes, managed)) return undefined;
  const share = Math.ceil((deletes / managed) * 100);
  const what = `${deletes} of ${managed} articles would be deleted (${share} %)`;
  return new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: `Look at what blogctl sync plan --prune would delete; --max-deletes ${deletes} allows it.`,
  });
}
