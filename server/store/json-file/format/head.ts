import { revisionOf } from './article-line.ts';
import { sealed } from './compose-line.ts';
import { elementsOf, membersOf, type Member } from './members.ts';
import { similarIds } from './similar-ids.ts';
import { timeOf } from './time-text.ts';

/** Everything before the first article. */
export type Head = {
  /** At least one; a line of `"articles"` without `blog` belongs to the first. */
  readonly blogs: readonly BlogRecord[];
  /** Deleted ids by blog, ascending and apart. */
  readonly deleted: ReadonlyMap<number, readonly Range[]>;
  /** Top-level members the store does not know. */
  readonly others: readonly Member[];
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
  return `{"format":"${FORMAT}",\n"blogs":[\n${blogs}\n],\n${others}"deleted":${deletedText(head)},\n${ARTICLES_START}`;
}

/** `changed` stands after the tag: it is bookkeeping, and no other version of the blog. */
function blogLineText(blog: BlogRecord): string {
  const changed = new Date(blog.changedAt).toISOString();
  return `${blogSeal(blog).slice(0, -1)},"changed":"${changed}"}`;
}

function blogSeal(blog: BlogRecord): string {
  const { id, title, description, locked, unknown, revision } = blog;
  const texts = `"title":${JSON.stringify(title)},"description":${JSON.stringify(description)}`;
  return sealed(`{"id":${id},${texts}${locked ? ',"locked":true' : ''}${unknown}`, revision);
}

/** `<revision>-<crc32>` of the blog's own line. */
export function blogTag(blog: BlogRecord): string {
  const seal = blogSeal(blog);
  return seal.slice(seal.lastIndexOf(':"') + 2, -2);
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

/** What is wrong with a head; `member` is where. */
export class HeadError extends Error {
  override readonly name = 'HeadError';
  readonly member: string;
  /** A file of another program or of a newer one: nothing to repair. */
  readonly foreign: boolean;

  constructor(member: string, message: string, foreign = false) {
    super(message);
    this.member = member;
    this.foreign = foreign;
  }
}

/**
 * The head of a document from its top-level members, `articles` left out. `changedMs`: when the
 * file was last changed, for what carries no date of its own.
 */
export function parseHead(members: readonly Member[], changedMs: number): Head {
  checkFormat(members);
  const blogs = parseBlogs(members.find(([name]) => name === 'blogs')?.[1] ?? '[]', changedMs);
  const deleted = parseDeleted(members.find(([name]) => name === 'deleted')?.[1] ?? '[]', blogs);
  const known = new Set(['format', 'blogs', 'deleted', 'articles', 'end']);
  return { blogs, deleted, others: members.filter(([name]) => !known.has(name)) };
}

function checkFormat(members: readonly Member[]): void {
  const text = members.find(([name]) => name === 'format')?.[1];
  if (text === `"${FORMAT}"`) return;
  const newer = text?.startsWith('"blogctl/') === true;
  const what = newer
    ? `the format ${text} is not known here, only "${FORMAT}"`
    : `this is no blogctl store: "format" is ${text ?? 'missing'}, not "${FORMAT}"`;
  throw new HeadError('format', what, true);
}

function parseBlogs(text: string, changedMs: number): BlogRecord[] {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values) || values.length === 0) {
    throw new HeadError('blogs', '"blogs" is no list of at least one blog');
  }
  const blogs = elementsOf(text).map((element) => parseBlog(element, changedMs));
  if (new Set(blogs.map(({ id }) => id)).size < blogs.length) {
    throw new HeadError('blogs', 'two blogs have the same id');
  }
  return blogs;
}

/** One blog of the list; throws HeadError. */
export function parseBlog(text: string, changedMs: number): BlogRecord {
  const value: unknown = JSON.parse(text);
  const { id, title, description, locked, etag, changed, content, updated } = fieldsOf(value);
  if (!isId(id)) throw new HeadError('blogs', `a blog has the id ${JSON.stringify(id)}`);
  if (typeof title !== 'string') throw new HeadError('blogs', `blog ${id} has no title`);
  if (content !== undefined || updated !== undefined) {
    throw new HeadError('blogs', `article ${id} stands in the list of blogs`);
  }
  const known = new Set(['id', 'title', 'description', 'locked', 'etag', 'changed']);
  const unknown = membersOf(text)
    .filter(([name]) => !known.has(name))
    .map(([name, member]) => `,${JSON.stringify(name)}:${member}`)
    .join('');
  const changedAt = typeof changed === 'string' ? timeOf(changed) : undefined;
  const blog: BlogRecord = {
    id,
    title,
    description: typeof description === 'string' ? description : '',
    locked: locked === true,
    unknown,
    revision: Math.max(1, revisionOf(etag)),
    changedAt: changedAt ?? changedMs,
  };
  if (blogTag(blog) === etag) return blog;
  // Every line without `blog` hangs on this number: where its checksum proves another, that counts.
  const proven = similarIds(id).find((other) => blogTag({ ...blog, id: other }) === etag);
  if (proven !== undefined) return { ...blog, id: proven, unverified: true };
  return revisionOf(etag) === 0
    ? { ...blog, unverified: true }
    : { ...blog, revision: blog.revision + 1, changedAt: changedMs, unverified: true };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

/** The deleted ids of each blog; throws HeadError. */
export function parseDeleted(
  text: string,
  blogs: readonly BlogRecord[],
): Map<number, readonly Range[]> {
  const value: unknown = JSON.parse(text);
  const [first] = blogs;
  if (Array.isArray(value)) return new Map([[first?.id ?? 1, parseRanges(value)]]);
  const entries = Object.entries(fieldsOf(value));
  const stray = entries.find(([blog]) => !blogs.some(({ id }) => String(id) === blog));
  if (stray !== undefined) {
    throw new HeadError('deleted', `"deleted" names blog ${stray[0]}, which is not listed`);
  }
  return new Map(entries.map(([blog, ranges]) => [Number(blog), parseRanges(ranges)]));
}

function parseRanges(value: unknown): Range[] {
  if (!Array.isArray(value)) throw new HeadError('deleted', '"deleted" is no list of ids');
  const ranges = value.map((entry: unknown) => parseRange(entry)).sort((a, b) => a[0] - b[0]);
  return mergeRanges(ranges);
}

function parseRange(entry: unknown): Range {
  const [first, last]: readonly unknown[] = Array.isArray(entry) ? entry : [entry, entry];
  if (isId(first) && isId(last) && first <= last) return [first, last];
  throw new HeadError(
    'deleted',
    `${JSON.stringify(entry)} in "deleted" is no id and no [first,last]`,
  );
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
