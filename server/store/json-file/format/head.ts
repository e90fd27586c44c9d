import { withTag } from './article-line.ts';
import { checksum, checksumText } from './checksum.ts';

/** Everything before the first article. */
export type Head = {
  /** At least one; a line of `"articles"` without `blog` belongs to the first. */
  readonly blogs: readonly BlogRecord[];
  /** Deleted ids by blog, ascending and apart. */
  readonly deleted: ReadonlyMap<number, readonly Range[]>;
  /** Top-level members the store does not know. */
  readonly others: readonly Member[];
  /** What is not as it was written, in words. Never written itself. */
  readonly doubts?: readonly string[];
  /** Whether the checksum of `deleted` holds; undefined where it has none. Never written. */
  readonly deletedHolds?: boolean | undefined;
};

/** First and last id. */
export type Range = readonly [number, number];

export type BlogRecord = {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly locked: boolean;
  /** Members the store does not know, as text with leading commas. */
  readonly unknown: string;
  readonly revision: number;
  /** Last change of the blog or its articles as far as the lines cannot tell any more. */
  readonly changedAt: number;
  /** Its checksum did not hold: changed by hand or damaged. Never written. */
  readonly unverified?: boolean;
};

export const FORMAT = 'blogctl/1';
/** How the list of articles begins; the first line follows. */
export const ARTICLES_START = '"articles":[\n';

export function headText(head: Head): string {
  const blogs = head.blogs.map((blog) => blogLineText(blog)).join('\n,');
  const others = head.others.map(([name, value]) => `${JSON.stringify(name)}:${value},\n`).join('');
  return `{"format":"${FORMAT}","begin":${recordText(head)},\n"blogs":[\n${blogs}\n],\n${others}"deleted":${deletedText(head)},\n${ARTICLES_START}`;
}

/**
 * What no line can say of itself: which blogs there are and which comes first, when they last changed,
 * and which ids were deleted.
 */
export function recordText(head: Head): string {
  const ids = head.blogs.map(({ id }) => id).join(',');
  const lines = head.blogs.map((blog) => blogLineText(blog)).join('\n');
  const [blogs, deleted] = [lines, deletedText(head)].map((text) => checksumText(checksum(text)));
  const text = `{"blogIds":[${ids}],"blogsCrc32":"${blogs}","deletedCrc32":"${deleted}"`;
  return `${text},"check":"${checksumText(checksum(text))}"}`;
}

/** `changed` stands after the tag: it is bookkeeping, and no other version of the blog. */
function blogLineText(blog: BlogRecord): string {
  const changed = new Date(blog.changedAt).toISOString();
  return `${blogText(blog).slice(0, -1)},"changed":"${changed}"}`;
}

function blogText(blog: BlogRecord): string {
  const { id, title, description, locked, unknown, revision } = blog;
  const texts = `"title":${JSON.stringify(title)},"description":${JSON.stringify(description)}`;
  return withTag(`{"id":${id},${texts}${locked ? ',"locked":true' : ''}${unknown}`, revision);
}

/** `<revision>-<crc32>` of the blog's own line. */
export function blogTag(blog: BlogRecord): string {
  const text = blogText(blog);
  return text.slice(text.lastIndexOf(':"') + 2, -2);
}

function deletedText({ blogs, deleted }: Head): string {
  const texts = blogs.map(({ id }) => [id, rangesText(deleted.get(id) ?? [])] as const);
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return only[1];
  return `{${texts.map(([id, ranges]) => `"${id}":${ranges}`).join(',')}}`;
}

function rangesText(ranges: readonly Range[]): string {
  return `[${ranges.map(([first, last]) => (first === last ? first : `[${first},${last}]`)).join(',')}]`;
}

/** Ascending ranges with those that touch put together. */
export function mergeRanges(ranges: Iterable<Range>): Range[] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

const LISTED = 20;

/** Ranges of ids as people write them: `3, 7-9`. */
export function rangesInWords(ranges: readonly Range[]): string {
  const words = ranges.slice(0, LISTED).map(([a, b]) => (a === b ? String(a) : `${a}-${b}`));
  const more = ranges.slice(LISTED).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return words.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Ids in any order, each once. */
export function rangesOf(ids: readonly number[]): Range[] {
  return mergeRanges(ids.toSorted((a, b) => a - b).map((id) => [id, id]));
}

/** The same way. */
export function idsInWords(ids: readonly number[]): string {
  return rangesInWords(rangesOf(ids));
}

/** Ids in ascending ranges: a million deletions in a row are one pair of numbers. */
export class IdRanges {
  readonly #firsts: Float64Array;
  readonly #lasts: Float64Array;

  constructor(ranges: readonly Range[]) {
    this.#firsts = Float64Array.from(ranges, ([first]) => first);
    this.#lasts = Float64Array.from(ranges, ([, last]) => last);
  }

  has(id: number): boolean {
    let low = 0;
    let high = this.#lasts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lasts[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#firsts.length && (this.#firsts[low] ?? 0) <= id;
  }

  /** 0 where there is none. */
  get lastId(): number {
    return this.#lasts.at(-1) ?? 0;
  }

  *[Symbol.iterator](): IterableIterator<Range> {
    for (let i = 0; i < this.#firsts.length; i += 1) {
      yield [this.#firsts[i] ?? 0, this.#lasts[i] ?? 0];
    }
  }
}

/** A member of a JSON object: its name, and its value as compact JSON text. */
export type Member = readonly [name: string, value: string];

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SPACE_OUTSIDE_STRINGS = /("(?:[^"\\]|\\.)*")|\s+/g;

/** The members of an object given as valid JSON text; values keep their exact spelling. */
export function membersOf(object: string): Member[] {
  const text = compactJson(object);
  const members: Member[] = [];
  for (let at = 1; text[at] === '"' || text[at] === ',';) {
    if (text[at] === ',') at += 1;
    const nameEnd = stringEnd(text, at);
    const valueEnd = endOfValue(text, nameEnd + 1);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    members.push([String(name), text.slice(nameEnd + 1, valueEnd)]);
    at = valueEnd;
  }
  return members;
}

/** The elements of an array given as valid JSON text, in their exact spelling. */
export function elementsOf(array: string): string[] {
  const text = compactJson(array);
  const elements: string[] = [];
  for (let at = 1; at < text.length - 1;) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = end + 1;
  }
  return elements;
}

/** The same JSON without white space between its tokens. */
export function compactJson(text: string): string {
  return text.replace(SPACE_OUTSIDE_STRINGS, '$1');
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}' || character === ']')) return at;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
  }
  return at;
}

function stringEnd(text: string, start: number): number {
  STRING.lastIndex = start;
  STRING.test(text);
  return STRING.lastIndex;
}
