import { requireHolds } from '../policy/preconditions.ts';
import type { Blog, Guard } from '../store/store.ts';
import { refuseLocked } from './locks.ts';

export type Condition = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The entity tag under which a stored version is shown. */
  readonly etag: (storedTag: string, blog: Blog) => string;
  readonly rules: { readonly readOnly: boolean; readonly requirePreconditions: boolean };
};

/**
 * What must be true of the newest version. It runs inside the store's change, so that of two
 * writers with the same If-Match only one passes.
 */
export function guardOf({ headers, etag, rules }: Condition): Guard {
  return (current, blog) => {
    requireHolds(
      headers,
      { etag: etag(current.tag, blog), changedAt: current.updatedAt },
      rules.requirePreconditions,
    );
    refuseLocked(rules.readOnly, blog, current);
  };
}
