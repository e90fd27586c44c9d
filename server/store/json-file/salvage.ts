import type { OpenFile } from '../file-system/file-system.ts';
import { FOOTER_BYTES, parseFooter, parseRecord, endBeforeSpaces } from './format/footer.ts';
import { type BlogRecord, compactJson, type Head } from './format/head.ts';
import {
  blogsIn,
  heldAgainst,
  HeadError,
  isId,
  parseBlog,
  parseDeleted,
  withoutRecord,
} from './format/parse-head.ts';
import { newBlogRecord } from './create.ts';
import { tagValue } from './format/article-line.ts';
import { UnusableStore } from '../unusable-store.ts';
import { EntryList } from './index/entry-list.ts';
import { ByteWindow } from './any-layout/byte-window.ts';
import { NotSplit, valueEnd } from './any-layout/split-document.ts';
import {
  type CommitRecord,
  findArticles,
  FOOTER,
  type Gap,
  NO_RECORD,
} from './any-layout/read-any-layout.ts';
import { type Claim, countFindings, headFindings, nothingButLayout } from './recovery/findings.ts';
import type { ParsedStore } from './recovery/document.ts';
import { changedMsOf, parsedOf } from './recovery/read-store.ts';
import {
  bytesOf,
  judgeVersions,
  type Contradiction,
  type Finding,
} from './recovery/judge-versions.ts';
import { nothingOf, readHead } from './recovery/load.ts';

/** A stretch that is no article. */
export type Lost = Gap & {
  /** The article that it names where it begins as a line. */
  readonly id?: number;
};

export type Salvaged = {
  /** Undefined where the file is as the store wrote it, to the last line. */
  readonly parsed: ParsedStore | undefined;
  readonly findings: readonly Finding[];
  readonly lost: readonly Lost[];
  readonly unverified: readonly number[];
  readonly newBlogs: boolean;
};

/** Everything that looks like an article, wherever it stands in a file that is refused. */
export function salvaged(file: OpenFile, path: string): Salvaged {
  const changedMs = changedMsOf(file);
  const { entries, gaps, blogs, start } = findAll(file, changedMs);
  if (start === undefined && blogs.length === 0 && entries.length === 0)
    throw nothingOf(file, path) ?? nothingIn(path);
  const contradictions: Finding[] = [];
  const contradiction = ({ line, against = line, what }: Contradiction) =>
    void contradictions.push({ offset: against.offset, what });
  const head = headOf(file, { start, blogs, entries, changedMs });
  const judged = judgeVersions(entries, { file, head, contradiction });
  const record = recordOf(file);
  const unread = gaps.flatMap((gap) => unreadIn(file, gap));
  const claims = unread.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
  const counted = countFindings({ head, entries, record }, claims);
  const unnamed = counted.unnamed === undefined ? [] : [{ what: counted.unnamed }];
  const findings = [
    ...(start === undefined ? [NO_HEAD] : []),
    ...headFindings(head),
    ...judged.findings,
    ...contradictions,
    ...counted.findings,
    ...unnamed,
  ];
  return {
    parsed: withoutIdsOf(unread, parsedOf(head, entries, record.count)),
    findings:
      findings.length + gaps.length > 0
        ? findings
        : [{ what: nothingButLayout(file, { record }).what }],
    lost: unread.map(({ lost }) => lost),
    unverified: judged.edited,
    newBlogs: head.blogs.length > (start?.blogs ?? blogs).length,
  };
}

type Unread = { readonly lost: Lost; readonly claim: Claim | undefined };

const LINE_START = /\{\s*"id":\s*([1-9]\d{0,15})\b/g;
const LINE_END = /"etag":\s*("\d{1,15}-[0-9a-f]{8}")\s*\}$/;

/** A line that cannot be read still says whose it is, and which version, where its ends are whole. */
export function unreadIn(file: OpenFile, { offset, bytes }: Gap): readonly Unread[] {
  const found = bytesOf(file, { offset, length: bytes }).toString('latin1');
  const text = found.replaceAll(FOOTER, (footer) => ' '.repeat(footer.length));
  const starts = [...text.matchAll(LINE_START)].map(({ index }) => index);
  return [...new Set([0, ...starts])].flatMap((from, at, cuts): Unread[] => {
    const [piece, before] = withoutSeparators(text.slice(from, cuts[at + 1]));
    if (piece === '') return [];
    const place = { offset: offset + from + before, bytes: piece.length };
    const id = Number(new RegExp(LINE_START, '').exec(piece)?.[1] ?? 0);
    if (!starts.includes(from) || !isId(id) || isOfBlog(piece))
      return [{ lost: place, claim: undefined }];
    const tag = tagValue(JSON.parse(LINE_END.exec(piece)?.[1] ?? 'null'));
    const isTombstone = piece.includes('"deleted":');
    return [{ lost: { ...place, id }, claim: tag && { ...tag, id, isTombstone } }];
  });
}

/** An id that is named as one of what could not be read is not given to another article. */
export function withoutIdsOf(unread: readonly Unread[], parsed: ParsedStore): ParsedStore {
  const lastId = unread.reduce((last, { lost }) => Math.max(last, lost.id ?? 0), parsed.lastId);
  return { ...parsed, lastId };
}

/** And how many bytes of them stand before it. */
function withoutSeparators(text: string): readonly [string, number] {
  const before = /^[\s,]*/.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > before && SEPARATORS.has(text[end - 1] ?? '')) end -= 1;
  return [text.slice(before, end), before];
}

const SEPARATORS = new Set(' \t\r\n,');

function isOfBlog(piece: string): boolean {
  return piece.includes('"description":') && !piece.includes('"updated":');
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
