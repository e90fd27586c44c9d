import { privateMembers, readArticleLine, tagValue } from '../format/article-line.ts';
import { composeLine, type ComposedLine } from '../format/compose-line.ts';
import { membersOf } from '../format/members.ts';
import { isId } from '../format/parse-head.ts';
import { LAST_TIME, timeOf } from '../format/line-bytes.ts';

export type CanonicalLine = {
  /** Without comma and newline. */
  readonly text: Buffer;
  /** Its checksum held: it is as the store wrote it, though perhaps in another layout. */
  readonly verified: boolean;
};

/**
 * The store's own writing of an article found in any layout; the same for the same bytes and
 * `changedMs`, when the file was last changed. What was changed under its checksum is a new version.
 */
export function canonicalLine(found: Buffer, changedMs: number): CanonicalLine {
  if (isCanonical(found)) return { text: found, verified: true };
  const members = new Map(membersOf(found.toString('utf8')));
  const parts = partsOf(members);
  const tag = members.get('etag') ?? '""';
  const date = timeOf(textOf(members.get('updated')) ?? '');
  const same = composeLine({ ...parts, updatedAt: date ?? changedMs });
  if (`"${same.line.tag}"` === tag) return { text: textOfLine(same), verified: true };
  const revision = parts.revision + 1;
  const next = composeLine({ ...parts, revision, updatedAt: laterThan(date, changedMs) });
  return { text: textOfLine(next), verified: false };
}

/** Two versions of an article never share a second. */
function laterThan(date: number | undefined, changedMs: number): number {
  return Math.min(LAST_TIME, Math.max(changedMs, (date ?? 0) + 1000));
}

function textOfLine({ bytes }: ComposedLine): Buffer {
  return bytes.subarray(1, -1);
}

/** A seal can only stand on a line of our own writing; what else it needs is that it reads as one. */
function isCanonical(found: Buffer): boolean {
  const line = readArticleLine(found);
  return (
    line !== undefined && isId(line.id) && !Number.isNaN(line.updatedAt) && !found.includes('\n')
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

function partsOf(members: ReadonlyMap<string, string>) {
  return {
    id: numberOf(members.get('id')) ?? 0,
    blog: numberOf(members.get('blog')),
    draft: members.get('deleted') === 'true' ? undefined : draftOf(members),
    privates: privateMembers(privateTextOf(members)),
    revision: tagValue(textOf(members.get('etag')))?.revision ?? 0,
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
