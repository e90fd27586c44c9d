import { hasCode } from '../files/error-code.ts';
import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { realFileSystem } from '../files/real-file-system.ts';
import { FOOTER_BYTES, parseFooter } from '../format/footer.ts';
import { HeadError, parseBlog, parseDeleted, type BlogRecord, type Head } from '../format/head.ts';
import { endBeforeSpaces } from '../format/trailing-space.ts';
import { newBlogRecord } from '../create.ts';
import { existingPath } from '../open.ts';
import { orUnusable, UnusableStore } from '../unusable-store.ts';
import { EntryList } from '../recovery/entry-list.ts';
import { findArticles } from '../any-layout/find-articles.ts';
import { lineNumbers } from '../any-layout/position.ts';
import { inspect } from '../recovery/inspect.ts';
import {
  blogFindings,
  CHANGED_BETWEEN,
  changedMsOf,
  countFindings,
} from '../recovery/read-store.ts';
import { judgeVersions, type Finding } from '../recovery/judge-versions.ts';
import { readHead } from '../recovery/read-head.ts';
import { openForReading } from '../recovery/recover.ts';
import { rewrite } from '../recovery/rewrite.ts';

export type Repair = {
  /** The new file; the old one is as it was. */
  readonly savedAs: string;
  readonly articles: number;
  /** Stretches of the file that are no article any more. */
  readonly lost: readonly {
    readonly line: number;
    readonly offset: number;
    readonly bytes: number;
  }[];
  /** Articles that are saved although no checksum vouches for their text. */
  readonly unverified: readonly number[];
  /** Everything else that is not as it was, in words. */
  readonly problems: readonly { readonly line?: number; readonly what: string }[];
  /** What the file said of its blogs could not be read: they have made-up titles. */
  readonly newBlogs: boolean;
};

/**
 * Writes what can be saved of a broken store file into a new one, which opens. Throws
 * UnusableStore, also where there is nothing to save.
 */
export function repairJsonFile(
  path: string,
  target: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<Repair> {
  return orUnusable(path, async () => {
    if (fileSystem.stat(target) !== undefined) throw inTheWay(target);
    const file = fileSystem.open(existingPath(fileSystem, path), 'read');
    try {
      return await repaired({ fileSystem, file, path, target });
    } catch (error) {
      throw hasCode(error, 'EEXIST') ? inTheWay(target) : error;
    } finally {
      file.close();
    }
  });
}

function inTheWay(target: string): UnusableStore {
  return new UnusableStore('exists', `${target} exists already. Nothing was changed.`, {
    hint: 'Name another file for what is saved.',
  });
}

type Repairing = {
  readonly fileSystem: FileSystem;
  readonly file: OpenFile;
  readonly path: string;
  readonly target: string;
};

async function repaired({ fileSystem, file, path, target }: Repairing): Promise<Repair> {
  const changedMs = changedMsOf(file);
  const { entries, gaps, blogs, start } = findAll(file, changedMs);
  if (start === undefined && blogs.length === 0 && entries.length === 0) throw nothingIn(path);
  const contradictions: Finding[] = [];
  const contradiction = ({ against, what }: { against: { offset: number }; what: string }) =>
    void contradictions.push({ offset: against.offset, what });
  const judged = judgeVersions(entries, { file, contradiction });
  const head = headOf(file, { start, blogs, entries, changedMs });
  await rewrite({ fileSystem, path: target, file, changedMs, isNew: true }, { head, entries });
  await requireTrusted(fileSystem, target);
  const counted = countedIn(file);
  const findings = [
    ...(start === undefined ? [NO_HEAD] : []),
    ...blogFindings(head),
    ...judged.findings,
    ...contradictions,
    ...countFindings({ head, entries, counted }),
  ];
  const isWhole = findings.length + gaps.length > 0 || isTrusted(file, path, changedMs);
  if (!isWhole) findings.push(CHANGED_BETWEEN);
  const lines = lineNumbers(file, [...gaps, ...findings]);
  return {
    savedAs: target,
    articles: entries.liveCount(),
    lost: gaps.map((gap, at) => ({ line: lines[at] ?? 1, ...gap })),
    unverified: judged.edited,
    problems: findings.map(({ what }, at) => {
      const line = lines[gaps.length + at];
      return line === undefined ? { what } : { line, what };
    }),
    newBlogs: head.blogs.length > (start?.blogs ?? blogs).length,
  };
}

function isTrusted(file: OpenFile, path: string, changedMs: number): boolean {
  return inspect(file, path, changedMs).kind === 'trusted';
}

const NO_HEAD: Finding = {
  what: 'what stands before the articles could not be read: check the blogs and the deleted ids',
};

function findAll(file: OpenFile, changedMs: number) {
  const start = readHead(file, file.stat().size, changedMs);
  const entries = new EntryList();
  const gaps: { readonly offset: number; readonly bytes: number }[] = [];
  const blogs: BlogRecord[] = [];
  findArticles(file, start?.bytes.length ?? 0, {
    article: (entry) => entries.push(entry),
    gap: (gap) => gaps.push(gap),
    blog: (text) => {
      const blog = blogOf(text, changedMs);
      if (blog !== undefined && !blogs.some(({ id }) => id === blog.id)) blogs.push(blog);
    },
  });
  return { entries, gaps, blogs, start: start?.head };
}

function blogOf(text: string, changedMs: number): BlogRecord | undefined {
  try {
    return parseBlog(text, changedMs);
  } catch (error) {
    if (error instanceof HeadError) return undefined;
    throw error;
  }
}

function nothingIn(path: string): UnusableStore {
  return new UnusableStore('damaged', `There is no article in ${path} that can be read.`, {
    hint: 'No file was written. Look for a copy of it.',
  });
}

type Found = {
  readonly start: Head | undefined;
  readonly blogs: readonly BlogRecord[];
  readonly entries: EntryList;
  readonly changedMs: number;
};

/** Lines that name no blog belong to the first, which was there before the others. */
function headOf(file: OpenFile, { start, blogs, entries, changedMs }: Found): Head {
  const firstBlog = start?.blogs[0]?.id ?? FIRST_BLOG;
  const listed = withStrayBlogs(start?.blogs ?? blogs, entries, { firstBlog, changedMs });
  if (start !== undefined) return { ...start, blogs: listed };
  const ascending = [...listed].sort((a, b) => a.id - b.id);
  return { blogs: ascending, deleted: deletedIn(file, ascending), others: [] };
}

const HEAD_BYTES = 64 * 1024 * 1024;
const DELETED = /^"deleted":(.*),$/m;

/** The line of deleted ids, where the head is broken elsewhere. */
function deletedIn(file: OpenFile, blogs: readonly BlogRecord[]): Head['deleted'] {
  const bytes = Buffer.alloc(Math.min(HEAD_BYTES, file.stat().size));
  const line = DELETED.exec(bytes.toString('latin1', 0, file.read(bytes, 0)))?.[1] ?? '[]';
  try {
    return parseDeleted(line, blogs);
  } catch (error) {
    if (error instanceof HeadError || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/** Where the list of blogs cannot be read. */
const FIRST_BLOG = 1;

/** Every line belongs to a blog that is listed: one that is not gets a made-up title. */
function withStrayBlogs(
  known: readonly BlogRecord[],
  entries: EntryList,
  { firstBlog, changedMs }: { readonly firstBlog: number; readonly changedMs: number },
): readonly BlogRecord[] {
  const blogs = new Map(known.map((blog) => [blog.id, blog]));
  const add = (id: number) => {
    if (blogs.has(id)) return;
    blogs.set(id, newBlogRecord(id, { title: `Blog ${id}`, description: '' }, changedMs));
  };
  for (const { blog } of entries.newest()) add(blog ?? firstBlog);
  if (blogs.size === 0) add(firstBlog);
  return [...blogs.values()];
}

function countedIn(file: OpenFile): number | undefined {
  const end = endBeforeSpaces(file);
  const tail = Buffer.alloc(Math.min(FOOTER_BYTES, end));
  file.read(tail, end - tail.length);
  return parseFooter(tail)?.articles;
}

async function requireTrusted(fileSystem: FileSystem, target: string): Promise<void> {
  const { file, recovery } = await openForReading({ fileSystem, path: target, crash: undefined });
  file.close();
  if (recovery.kind === 'trusted') return;
  throw new UnusableStore('damaged', `${target} does not read as it was just written.`, {
    hint: 'Check the disk.',
  });
}
