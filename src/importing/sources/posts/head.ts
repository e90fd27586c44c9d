import type { PublicitySigns } from '../publicity.ts';
import { isSignName, signsOf, type Member } from '../publicity-signs.ts';
import type { Notice } from '../source.ts';

/** The title as it is written; the text is absent where there is none. */
export type Title = { readonly text?: string | undefined; readonly notices: readonly Notice[] };

/** What the front matter of a post says. */
export type Head = {
  /** Several where a name stands several times: any of them may say that the post is not public. */
  readonly signs: readonly PublicitySigns[];
  /** The address of the article that the post says it is, as it is written. */
  readonly article?: string | undefined;
  /** A Flaw where it cannot be read. */
  title(): Title;
};

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

const signLine = new RegExp(
  `(?:^|[{,])[ \\t]*["']?([a-z_][\\w-]*)["']?[ \\t]*[:=][ \\t]*(?:[!&]\\S*[ \\t]+)*` +
    `(?=(?:"([^"\\n]*)|'([^'\\n]*)|([^\\n#,}]*)))`,
  'gim',
);

/**
 * The signs in front matter that cannot be read as a whole: what stands at the beginning of a line,
 * or behind a brace or comma, like a member of that name.
 */
export function signsInBrokenText(text: string): readonly PublicitySigns[] {
  const members = [...text.matchAll(signLine)].map(([, key = '', double, single, plain]) => ({
    key,
    value: (double ?? single ?? plain ?? '').trim(),
  }));
  return signsOf(members.filter(({ key }) => isSignName(key)));
}
