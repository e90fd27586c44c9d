import type { OpenFile } from '../file-system/file-system.ts';
import { FOOTER_BYTES, parseFooter, parseRecord, endBeforeSpaces } from './format/footer.ts';
import { type BlogRecord, compactJson, FORMAT, type Head } from './format/head.ts';
import {
  blogsIn,
  heldAgainst,
  HeadError,
  parseBlog,
  parseDeleted,
  unknownFormat,
  withoutRecord,
} from './format/parse-head.ts';
import { newBlogRecord } from './create.ts';
import { UnusableStore } from '../unusable-store.ts';
import { EntryList, type FoundEntry } from './index/entry-list.ts';
import { ByteWindow } from './any-layout/byte-window.ts';
import { NotSplit, valueEnd } from './any-layout/split-document.ts';
import {
  type CommitRecord,
  damaged,
  findArticles,
  type Gap,
  NO_RECORD,
} from './any-layout/read-any-layout.ts';
import { countFindings, headFindings, layoutFinding } from './recovery/findings.ts';
import type { ParsedStore } from './recovery/document.ts';
import { changedMsOf, parsedOf, staysDeleted, withDeletions } from './recovery/read-store.ts';
import { judgeVersions, type Contradiction, type Finding } from './recovery/judge-versions.ts';
import { type UnreadableRange, type Unread, unreadIn, withoutIdsOf } from './recovery/torn-tail.ts';
import { nothingOf, readHead } from './recovery/load.ts';

export type Salvaged = {
  /** Undefined where the file is as the store wrote it, to the last line. */
  readonly parsed: ParsedStore | undefined;
  readonly findings: readonly Finding[];
  readonly lost: readonly UnreadableRange[];
  readonly unverified: readonly number[];
  readonly newBlogs: boolean;
};

/** Everything that looks like an article, wherever it stands in a file that is refused. */
export function salvaged(file: OpenFile, path: string): Salvaged {
  refuseNewer(file, path);
  const changedMs = changedMsOf(file);
  const { entries, gaps, blogs, start } = findAll(file, changedMs);
  if (start === undefined && blogs.length === 0 && entries.length === 0)
    throw nothingOf(file, path) ?? nothingIn(path);
  const contradictions: Finding[] = [];
  const stillDeleted: FoundEntry[] = [];
  const contradiction = ({ line, against, what }: Contradiction) => {
    const isDeletion = against?.isTombstone !== false && !line.isTombstone;
    if (isDeletion) stillDeleted.push(line);
    const then = isDeletion ? ': it is kept deleted' : '';
    contradictions.push({ offset: (against ?? line).offset, what: `${what}${then}` });
  };
  const found = headOf(file, { start, blogs, entries, changedMs });
  const judged = judgeVersions(entries, { file, head: found, contradiction });
  const record = recordOf(file);
  const unread = gaps.flatMap((gap) => unreadIn(file, gap));
  const kept = keptDeleted(unread, entries);
  const before = withDeletions(found, entries, [...kept, ...stillDeleted]);
  const claims = unread.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
  const counted = countFindings({ head: before, entries, record }, claims);
  const { unnamed, undone = [] } = counted;
  const head = withDeletions(before, entries, undone);
  const findings = [
    ...(start === undefined ? [NO_HEAD] : []),
    ...headFindings(head),
    ...judged.findings,
    ...contradictions,
    ...kept.map(({ offset, id, what }) => ({ offset, id, what })),
    ...counted.findings,
    ...(unnamed === undefined ? [] : [{ what: unnamed }]),
    ...undone.map((entry) => staysDeleted(entry)),
  ];
  return {
    parsed: withoutIdsOf(unread, parsedOf(head, entries, record.count)),
    findings:
      findings.length + gaps.length > 0
        ? findings
        : [{ what: layoutFinding(file, { record }).what }],
    lost: unread.map(({ lost }) => lost),
    unverified: judged.edited.filter((id) => !entries.isLeftOut(id)),
    newBlogs: head.blogs.length > (start?.blogs ?? blogs).length,
  };
}

/** What it has in its other format nobody here can know, so nothing of it is guessed. */
function refuseNewer(file: OpenFile, path: string): void {
  const found = FORMAT_MEMBER.exec(startOf(file));
  const { message, foreign } = unknownFormat(found?.[1] ?? '');
  if (found === null || foreign !== 'newer' || found[1] === `"${FORMAT}"`) return;
  throw damaged(file, path, { offset: found.index, what: message, foreign });
}

/** Whether a file says that it is a store, of whatever version. */
export function saysStore(file: OpenFile): boolean {
  return FORMAT_MEMBER.test(startOf(file));
}

function startOf(file: OpenFile): string {
  const start = Buffer.alloc(FORMAT_BYTES);
  return start.toString('latin1', 0, file.read(start, 0));
}

const FORMAT_BYTES = 64 * 1024;
const FORMAT_MEMBER = /(?<!\\)"format"\s*:\s*("blogctl\/\d+")/;

/** Lines that cannot be read and say that they are deletions, or may have been about to. */
function keptDeleted(unread: readonly Unread[], entries: EntryList) {
  const named = unread.filter(({ deletion }) => deletion !== 'none');
  const ids = new Set(named.map(({ lost }) => lost.id));
  const newest = new Map<number, FoundEntry>();
  if (ids.size > 0)
    for (const entry of entries.newest()) if (ids.has(entry.id)) newest.set(entry.id, entry);
  return named.flatMap(({ lost: { offset, id }, deletion, blog }) => {
    if (id === undefined) return [];
    const { isTombstone = false, offset: textAt = 0 } = newest.get(id) ?? {};
    // A deletion stands behind what it deletes.
    if (isTombstone || offset < textAt) return [];
    const which =
      deletion === 'cut' ? `article ${id}, or of one whose id begins so,` : `article ${id}`;
    const what =
      deletion === 'said'
        ? `what is left of a line of ${which} says that it was deleted: it is kept deleted`
        : `nothing tells whether what is left of a line of ${which} was its deletion: article ${id} is left out as deleted`;
    return [{ id, blog, offset, what }];
  });
}

const NO_HEAD: Finding = {
  what: 'what stands before the articles could not be read: check the blogs and the deleted ids',
};

function findAll(file: OpenFile, changedMs: number) {
  const start = readHead(file, file.stat().size, changedMs);
  const entries = new EntryList();
  const gaps: Gap[] = [];
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

type HeadParts = {
  readonly start: Head | undefined;
  readonly blogs: readonly BlogRecord[];
  readonly entries: EntryList;
  readonly changedMs: number;
};

/** Lines that name no blog belong to the first, which was there before the others. */
function headOf(file: OpenFile, { start, blogs, entries, changedMs }: HeadParts): Head {
  if (start !== undefined) {
    const ids = start.blogs.map(({ id }) => id);
    return { ...start, blogs: withStrayBlogs(start.blogs, entries, { ids, changedMs }) };
  }
  const record = memberIn(file, 'begin');
  const written = record === undefined ? undefined : blogsIn(record);
  const ascending = [...blogs].sort((a, b) => a.id - b.id);
  const found = withStrayBlogs(ascending, entries, { ids: written ?? [], changedMs });
  const listed = written === undefined ? [...found].sort((a, b) => a.id - b.id) : found;
  const head = { blogs: listed, deleted: deletedIn(file, listed), others: [] };
  return record === undefined || written === undefined
    ? withoutRecord(head, 'is damaged or missing')
    : heldAgainst(head, { record, written, doubts: [] });
}

const SEARCHED_BYTES = 64 * 1024 * 1024;

/** A member of the document in any layout, where the rest is broken; of a text its quotes are escaped. */
function memberIn(file: OpenFile, name: string): string | undefined {
  const bytes = Buffer.alloc(Math.min(SEARCHED_BYTES, file.stat().size));
  const text = bytes.toString('latin1', 0, file.read(bytes, 0));
  const found = new RegExp(String.raw`(?<!\\)"${name}"\s*:\s*(?=[[{])`).exec(text);
  if (found === null) return undefined;
  const window = new ByteWindow(file);
  const start = found.index + found[0].length;
  try {
    return compactJson(window.slice(start, valueEnd(window, start)).toString('utf8'));
  } catch (error) {
    if (error instanceof NotSplit) return undefined;
    throw error;
  }
}

function deletedIn(file: OpenFile, blogs: readonly BlogRecord[]): Head['deleted'] {
  try {
    return parseDeleted(memberIn(file, 'deleted') ?? '[]', blogs);
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
  { ids, changedMs }: { readonly ids: readonly number[]; readonly changedMs: number },
): readonly BlogRecord[] {
  const byId = new Map(known.map((blog) => [blog.id, blog]));
  const blogs = new Map<number, BlogRecord>();
  const add = (id: number) => {
    const blog = { title: `Blog ${id}`, description: '' };
    if (!blogs.has(id)) blogs.set(id, byId.get(id) ?? newBlogRecord(id, blog, changedMs));
  };
  for (const id of ids) add(id);
  for (const { id } of known) add(id);
  for (const { blog } of entries.newest()) add(blog ?? ids[0] ?? FIRST_BLOG);
  if (blogs.size === 0) add(FIRST_BLOG);
  return [...blogs.values()];
}

function recordOf(file: OpenFile): CommitRecord {
  const end = endBeforeSpaces(file);
  const tail = Buffer.alloc(Math.min(FOOTER_BYTES, end));
  file.read(tail, end - tail.length);
  const atEnd = parseFooter(tail);
  if (atEnd !== undefined) return atEnd;
  const elsewhere = parseRecord(memberIn(file, 'end') ?? '');
  return elsewhere?.holds === true ? elsewhere : NO_RECORD;
}
