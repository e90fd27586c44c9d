import { privateMembers, readArticleLine, revisionOf } from '../format/article-line.ts';
import { composeLine, type ComposedLine } from '../format/compose-line.ts';
import { membersOf } from '../format/members.ts';

export type CanonicalLine = {
  /** Without comma and newline. */
  readonly text: Buffer;
  /** The text was not what its seal says: somebody changed it by hand. */
  readonly edited: boolean;
};

/** The store's own writing of an article found in any layout. */
export function canonicalLine(
  found: Buffer,
  { firstBlog, now }: { readonly firstBlog: number; readonly now: number },
): CanonicalLine {
  if (isCanonical(found)) return { text: found, edited: false };
  const members = new Map(membersOf(found.toString('utf8')));
  const parts = partsOf(members, firstBlog);
  const tag = members.get('etag') ?? '""';
  const same = composeLine({ ...parts, updatedAt: dateOf(members) ?? now });
  if (`"${same.line.tag}"` === tag) return { text: textOfLine(same), edited: false };
  const next = composeLine({ ...parts, revision: parts.revision + 1, updatedAt: now });
  return { text: textOfLine(next), edited: true };
}

function textOfLine({ bytes }: ComposedLine): Buffer {
  return bytes.subarray(1, -1);
}

/** A seal can only stand on a line of our own writing; what else it needs is that it reads as one. */
function isCanonical(found: Buffer): boolean {
  const line = readArticleLine(found);
  return (
    line !== undefined && line.id >= 1 && !Number.isNaN(line.updatedAt) && !found.includes('\n')
  );
}

const ORDERED = new Set([
  'id',
  'blog',
  'title',
  'content',
  'deleted',
  'updated',
  'key',
  'locked',
  'etag',
]);

function partsOf(members: ReadonlyMap<string, string>, firstBlog: number) {
  const blog = numberOf(members.get('blog'));
  return {
    id: numberOf(members.get('id')) ?? 0,
    blog: blog === firstBlog ? undefined : blog,
    draft: members.get('deleted') === 'true' ? undefined : draftOf(members),
    privates: privateMembers(privateTextOf(members)),
    revision: revisionOf(textOf(members.get('etag'))),
  };
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function draftOf(members: ReadonlyMap<string, string>): { title: string; content?: string } {
  const title = textOf(members.get('title')) ?? '';
  const content = textOf(members.get('content'));
  return content === undefined ? { title } : { title, content };
}

function textOf(value: string | undefined): string | undefined {
  const text: unknown = value === undefined ? undefined : JSON.parse(value);
  return typeof text === 'string' ? text : undefined;
}

/** The key first, then the lock, where the store looks for them; then what it does not know. */
function privateTextOf(members: ReadonlyMap<string, string>): string {
  const known = ['key', 'locked'].map((name) => [name, members.get(name)] as const);
  const unknown = [...members].filter(([name]) => !ORDERED.has(name));
  return [...known, ...unknown]
    .map(([name, value]) => (value === undefined ? '' : `,${JSON.stringify(name)}:${value}`))
    .join('');
}

function dateOf(members: ReadonlyMap<string, string>): number | undefined {
  const time = Date.parse(textOf(members.get('updated')) ?? '');
  return Number.isNaN(time) ? undefined : time;
}
