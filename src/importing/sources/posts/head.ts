import type { Notice } from '../source.ts';

/** What the front matter says, all of it as text; absent where it says nothing. */
export type Head = {
  readonly title?: string | undefined;
  readonly draft: boolean;
  readonly notices: readonly Notice[];
};

type Member = { readonly key: string };

/**
 * The members that hold a name: those written exactly so, else the first written in another case
 * (`Title:`). Several of the exact spelling are returned together, in order.
 */
export function membersNamed<M extends Member>(members: readonly M[], name: string): readonly M[] {
  const exact = members.filter(({ key }) => key === name);
  return exact.length > 0
    ? exact
    : members.filter(({ key }) => key.toLowerCase() === name).slice(0, 1);
}

/** `draft: true` (Hugo, Astro) or `published: false` (Jekyll, dev.to). */
export function saysDraft(draft: string | undefined, published: string | undefined): boolean {
  return draft?.toLowerCase() === 'true' || published?.toLowerCase() === 'false';
}
