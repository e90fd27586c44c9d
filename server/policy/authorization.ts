import { Refusal } from '../errors.ts';
import type { Right, TokenGrant } from '../store/tokens.ts';

/** What a request is about to do, and to which blog. */
export type Deed = { readonly right: Right; readonly blogId: number };

/** 403 for a token that does not reach so far (interface, Authentication, rule 4; decisions 26). */
export function authorize({ right, blogId }: Deed, grant: TokenGrant): void {
  if (!grant.rights.includes(right)) {
    throw new Refusal('forbidden', `This token may not ${right} articles.`);
  }
  if (grant.blogs !== undefined && !grant.blogs.includes(blogId)) {
    throw new Refusal('forbidden', `This token is not for blog ${blogId}.`);
  }
}
