import { Flaw, type Notice } from '../source.ts';

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

/** What typed values say (TOML, JSON): a title must be a text there. */
export function headOfValues(values: ReadonlyMap<string, unknown>): Head {
  const members = [...values].map(([key, value]) => ({ key, value }));
  const lastNamed = (name: string) => membersNamed(members, name).at(-1)?.value;
  return {
    title: titleText(lastNamed('title')),
    draft: saysDraft(String(lastNamed('draft')), String(lastNamed('published'))),
    notices: [],
  };
}

function titleText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new Flaw(
    'title',
    `The "title" is not a text but ${JSON.stringify(value)}; put it in quotes.`,
  );
}
