import { publicityNames, publicitySigns, type PublicitySigns } from '../publicity.ts';
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

export type Member = { readonly key: string; readonly value: unknown };

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

const signNames = new Set(publicityNames.map((name) => name.toLowerCase()));

/** The signs among these members, whatever the case of their names. */
export function signsOf(
  members: readonly Member[],
  valueOf = (value: unknown): unknown => value,
): readonly PublicitySigns[] {
  const valuesOf = new Map<string, unknown[]>();
  for (const { key, value } of members) {
    const name = key.toLowerCase();
    if (!signNames.has(name)) continue;
    valuesOf.set(name, [...(valuesOf.get(name) ?? []), wordOf(valueOf(value))]);
  }
  const times = Math.max(1, ...[...valuesOf.values()].map(({ length }) => length));
  return Array.from({ length: times }, (_, nth) =>
    publicitySigns((name) => {
      const values = valuesOf.get(name.toLowerCase()) ?? [];
      return values[nth] ?? values.at(-1);
    }),
  );
}

/** A list or mapping where a word should stand is not looked into: it may be endless. */
function wordOf(value: unknown): unknown {
  const isWord = value === null || typeof value !== 'object' || value instanceof Date;
  return isWord ? value : 'not a word';
}

const signLine = new RegExp(
  `(?:^|[{,])[ \\t]*["']?(${publicityNames.join('|')})["']?[ \\t]*[:=][ \\t]*(?:[!&]\\S*[ \\t]+)*` +
    `(?:"([^"\\n]*)|'([^'\\n]*)|([^\\n#,}]*))`,
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
  return signsOf(members);
}
