import { linesOf, PATH, type Acknowledged } from './acknowledged.ts';

export type Files = ReadonlyMap<string, Buffer>;

/** How a file came to harm. */
export type Harm = {
  readonly harms: number;
  /** The lock of the process that died says where a crash can have torn the file. */
  readonly isEvidence: boolean;
};

export type Told = {
  readonly words: string;
  readonly lines: ReadonlySet<string>;
  /** An article is named by its id, or nothing that is left of the file could have named it. */
  names(one: Acknowledged): boolean;
};

/**
 * What a person was told: the id, or that any article above another may be missing. General words
 * count where nothing is left that could say more: where the file was cut off where a crash may have
 * cut it, and where its end was cut off, or a line is broken, together with another harm.
 */
export function toldBy(words: string, files: Files, { harms, isEvidence }: Harm): Told {
  const bytes = files.get(PATH) ?? Buffer.alloc(0);
  const lines = new Set(linesOf(bytes));
  const ids = idsIn(words);
  const isAny = words.includes('missing of any article');
  const above = isAny ? 0 : Number(/any above (\d+)/.exec(words)?.[1] ?? Number.POSITIVE_INFINITY);
  const hasEnd = /\n"end":\{[^\n]*\}\}\n *$/.test(bytes.toString('latin1'));
  const isCut = isEvidence && !hasEnd && /commit record is|cut short/.test(words);
  const isBlind = harms > 1 && /record is cut short|is broken|could not be read/.test(words);
  return {
    words,
    lines,
    names: ({ id, line }) =>
      ids.has(id) ||
      id > above ||
      isBlind ||
      (isCut && (line === undefined ? words.includes('could not be read') : !lines.has(line))),
  };
}

export function idsIn(words: string): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const [, list = ''] of words.matchAll(/(?:articles?|id) (\d[\d, -]*)/g)) {
    for (const [, first, last] of list.matchAll(/(\d+)(?:-(\d+))?/g)) {
      const to = Math.min(Number(last ?? first), Number(first) + 1000);
      for (let id = Number(first); id <= to; id += 1) ids.add(id);
    }
  }
  return ids;
}
