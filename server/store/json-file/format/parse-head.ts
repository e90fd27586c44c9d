import { tagValue } from './article-line.ts';
import { checksum, checksumText, similarIds } from './checksum.ts';
import {
  type BlogRecord,
  blogTag,
  elementsOf,
  FORMAT,
  type Head,
  type Member,
  membersOf,
  mergeRanges,
  type Range,
  rangesInWords,
  recordText,
} from './head.ts';
import { timeOf } from './line-bytes.ts';

/** What is wrong with a head; `member` is where. */
export class HeadError extends Error {
  override readonly name = 'HeadError';
  readonly member: string;
  /** Whose file it is, where it is not ours to repair: another program's or a newer blogctl's. */
  readonly foreign: 'other' | 'newer' | undefined;

  constructor(member: string, message: string, foreign?: 'other' | 'newer') {
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
  const textOf = (name: string) => members.find(([other]) => other === name)?.[1];
  const listed = parseBlogs(textOf('blogs') ?? '[]', changedMs);
  const others = members.filter(([name]) => !KNOWN.has(name));
  const record = textOf('begin');
  const written = record === undefined ? undefined : blogsIn(record);
  const blogs = written === undefined ? listed : inOrder(listed, written);
  const head = { blogs, deleted: parseDeleted(textOf('deleted') ?? '[]', blogs), others };
  if (record === undefined) return head;
  if (written === undefined) throw new HeadError('begin', `"begin" is damaged${PROVES_NOTHING}`);
  const doubts = blogs.some((blog, at) => blog !== listed[at]) ? [OTHER_ORDER] : [];
  return heldAgainst(head, { record, written, doubts });
}

const KNOWN = new Set(['format', 'blogs', 'deleted', 'begin', 'articles', 'end']);
const OTHER_ORDER = 'the blogs stand in another order than they were written in, which counts';

/** The order they were written in; one that was added comes last. */
function inOrder(blogs: readonly BlogRecord[], written: readonly number[]): readonly BlogRecord[] {
  const byId = new Map(blogs.map((blog) => [blog.id, blog]));
  const missing = written.find((id) => !byId.has(id));
  if (missing !== undefined) throw new HeadError('blogs', `blog ${missing} is not listed any more`);
  const added = blogs.filter(({ id }) => !written.includes(id));
  return [...written.flatMap((id) => byId.get(id) ?? []), ...added];
}

type Written = {
  readonly record: string;
  readonly written: readonly number[];
  readonly doubts: readonly string[];
};

/** What was changed of a head is said. */
export function heldAgainst(head: Head, { record, written, doubts }: Written): Head {
  const blogs = head.blogs.filter(({ id }) => written.includes(id));
  const [then, now] = [record, recordText({ ...head, blogs })].map((text) =>
    fieldsOf(JSON.parse(text)),
  );
  const deletedHolds = then?.['deletedCrc32'] === now?.['deletedCrc32'];
  const sameBlogs = then?.['blogsCrc32'] === now?.['blogsCrc32'];
  const isTold = sameBlogs || blogs.some(({ unverified }) => unverified);
  const added = head.blogs.filter(({ id }) => !written.includes(id));
  const all = [
    ...doubts,
    ...added.map(({ id }) => `blog ${id} was added by hand`),
    ...(isTold
      ? []
      : [`the version or the last change of blog ${written.join(' or ')} is in doubt`]),
    ...(deletedHolds ? [] : [deletedInDoubt(head)]),
  ];
  return { ...head, deletedHolds, doubts: all };
}

/** Where a record itself fails its checksum. */
export const PROVES_NOTHING =
  ': it fails its own checksum, so nothing tells whether anything else is missing';

/** A file of the time before there was one, and that was written to since, has none. */
export function withoutRecord(head: Head, how = 'is missing'): Head {
  const what = `"begin" ${how}: lines without a blog are read as of blog ${head.blogs[0]?.id}`;
  return { ...head, doubts: [what, deletedInDoubt(head)], deletedHolds: false };
}

const DELETED_IN_DOUBT =
  'which ids were deleted is in doubt: the list of them fails its checksum, and';

function deletedInDoubt({ deleted }: Head): string {
  const ranges = mergeRanges([...deleted.values()].flat().sort((a, b) => a[0] - b[0]));
  return ranges.length === 0
    ? `${DELETED_IN_DOUBT} names none`
    : `${DELETED_IN_DOUBT} names article ${rangesInWords(ranges)}`;
}

const RECORD = /^\{"blogIds":\[([1-9]\d*(?:,[1-9]\d*)*)\],.*,"check":"([0-9a-f]{8})"\}$/;

/** The blogs in the order they were written; undefined where the record is damaged. */
export function blogsIn(record: string): readonly number[] | undefined {
  const written = asWritten(record);
  const found = RECORD.exec(written);
  const text = written.slice(0, written.lastIndexOf(',"check":'));
  return found === null || found[2] !== checksumText(checksum(text))
    ? undefined
    : (found[1] ?? '').split(',').map(Number);
}

const RECORD_MEMBERS = ['blogIds', 'blogsCrc32', 'deletedCrc32'];

/** Its members in the order they were written in: programs that sort their names change nothing they say. */
function asWritten(record: string): string {
  if (RECORD.test(record) || !isObject(record)) return record;
  const members = new Map(membersOf(record));
  const others = [...members.keys()].filter((name) => ![...RECORD_MEMBERS, 'check'].includes(name));
  const texts = [...RECORD_MEMBERS, ...others, 'check'].map(
    (name) => `${JSON.stringify(name)}:${members.get(name)}`,
  );
  return `{${texts.join(',')}}`;
}

function isObject(text: string): boolean {
  try {
    JSON.parse(text);
    return text.startsWith('{');
  } catch {
    return false;
  }
}

function checkFormat(members: readonly Member[]): void {
  const text = members.find(([name]) => name === 'format')?.[1];
  if (text === `"${FORMAT}"`) return;
  if (text?.startsWith('"blogctl/') !== true) {
    const what = `this is no blogctl store: it does not begin with "format": "${FORMAT}"`;
    throw new HeadError('format', what, 'other');
  }
  throw unknownFormat(text);
}

/** One of a later version has its number; else it is damaged. */
export function unknownFormat(text: string): HeadError {
  const isNewer = /^"blogctl\/[1-9]\d*"$/.test(text);
  const what = `the format ${text} is not known here, only "${FORMAT}"`;
  return new HeadError('format', what, isNewer ? 'newer' : undefined);
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
    revision: Math.max(1, tagValue(etag)?.revision ?? 1),
    changedAt: changedAt ?? changedMs,
  };
  if (blogTag(blog) === etag) return blog;
  // Every line without `blog` hangs on this number: where its checksum proves another, that counts.
  const proven = similarIds(id).find((other) => blogTag({ ...blog, id: other }) === etag);
  if (proven !== undefined) return { ...blog, id: proven, unverified: true };
  return tagValue(etag) === undefined
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
