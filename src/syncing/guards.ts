import { BlogctlError } from '../errors.ts';
import { tolerates, type Tolerance } from '../importing/import-request.ts';
import type { Folder } from './folder.ts';
import type { Plan } from './plan.ts';

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

/** Refuses a folder that has nothing in common with what was synced before. */
export function requireFamiliar(
  { named }: Folder,
  { paired, known }: Plan,
  isSaidToBeNew: boolean,
): void {
  if (paired > 0 || known === 0 || isSaidToBeNew) return;
  const what = `None of the posts in "${named}" is on the blog, which has ${known} of an earlier sync`;
  throw new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: 'Check the folder and the branch. Where all of its posts are new --adopt none says so; a second folder takes an --import-id of its own.',
  });
}

/** Refuses to delete more than a mistake should cost. */
export function requireFewDeletes({ steps, managed }: Plan, most: Tolerance | undefined): void {
  const deletes = steps.filter(({ action }) => action.action === 'delete').length;
  const isUsual = deletes <= Math.max(always, usualShare * managed);
  if (most === undefined ? isUsual : tolerates(most, deletes, managed)) return;
  const share = Math.ceil((deletes / managed) * 100);
  const what = `${deletes} of ${managed} articles would be deleted (${share} %)`;
  throw new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: `Look at blogctl sync plan --prune; --max-deletes ${deletes} allows it.`,
  });
}
