import { Refusal } from '../errors.ts';

type Lockable = { readonly locked: boolean };

/** What its operator locked is read, not changed (decisions 33): service, blog or article. */
export function refuseLocked(readOnly: boolean, blog: Lockable, article?: Lockable): void {
  if (readOnly) throw new Refusal('locked', 'This service is for reading only.');
  if (blog.locked) throw new Refusal('locked', 'This blog is locked by its operator.');
  if (article?.locked) throw new Refusal('locked', 'This article is locked by its operator.');
}
