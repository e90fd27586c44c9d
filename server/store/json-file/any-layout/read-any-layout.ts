import type { OpenFile } from '../../file-system/file-system.ts';
import { type FoundFooter as ReadEntry, parseRecord } from '../format/footer.ts';
import { compactJson, type Head, type Member } from '../format/head.ts';
import {
  blogsIn,
  HeadError,
  parseHead,
  PROVES_NOTHING,
  withoutRecord,
} from '../format/parse-head.ts';
import { ETAG, ID, TAG } from '../format/line-bytes.ts';
import { createRestorer, type Restorer } from '../format/checksum.ts';
import { EntryList, type FoundEntry } from '../index/entry-list.ts';
import { type Hint, inShell, UnusableStore } from '../../unusable-store.ts';
import { ByteWindow, lineEnd, nextLineOf, positionOf } from './byte-window.ts';
import { NotAnArticle, readArticle, utf8 } from './read-article.ts';
import { findJsonError, NotSplit, splitDocument, valueEnd } from './split-document.ts';

export type AnyLayout = {
  readonly head: Head;
  readonly entries: EntryList;
  readonly record: CommitRecord;
};

/** What `"end"` says, as far as it can be believed. */
export type CommitRecord = Pick<ReadEntry, 'count' | 'holds'> & {
  /** Live articles; undefined where there is no `"end"`, or none that could be read. */
  readonly articles: number | undefined;
};

export const NO_RECORD: CommitRecord = { articles: undefined, count: undefined, holds: true };
const DAMAGED_RECORD: CommitRecord = { ...NO_RECORD, holds: false };

/** Reads a store file in any JSON layout. Throws UnusableStore with the place of what is wrong. */
export function readAnyLayout(file: OpenFile, path: string, changedMs: number): AnyLayout {
  const window = new ByteWindow(file);
  const places = new Map<string, number>();
  try {
    return readAll(window, { places, changedMs });
  } catch (error) {
    const found = explain(window, places, error);
    if (found === undefined) throw error;
    const lists = [...places].filter(([, from]) => window.at(from) === OPEN_BRACKET);
    throw damaged(file, path, { ...found, lists: lists.map(([name]) => name) });
  }
}

function readAll(
  window: ByteWindow,
  { places, changedMs }: { places: Map<string, number>; changedMs: number },
): AnyLayout {
  const members: Member[] = [];
  const entries = new EntryList();
  const restore = createRestorer();
  const blogs = new Set<number>();
  const place = (name: string, from: number) => {
    if (places.has(name)) throw new NotAnArticle(from, `"${name}" stands there twice`);
    places.set(name, from);
  };
  splitDocument(window, {
    member: (name, from, to) => {
      place(name, from);
      members.push([name, memberText(window, from, to)]);
    },
    list: (from) => place('articles', from),
    article: (from, to) => {
      const entry = readArticle(window, { from, to }, restore);
      entries.push(entry);
      if (entry.blog !== undefined) blogs.add(entry.blog);
    },
  });
  refuseMisnamed(members);
  const record = recordIn(members);
  const isOlder = places.has('begin') || record.count === undefined;
  const parsed = parseHead(members, changedMs);
  const head = isOlder ? parsed : withoutRecord(parsed);
  const stray = [...blogs].find((id) => !head.blogs.some((blog) => blog.id === id));
  if (stray !== undefined)
    throw new HeadError('blogs', `articles name blog ${stray}, which is not listed`);
  refuseMissing(places);
  if (!record.holds) throw new HeadError('end', `"end" is damaged${PROVES_NOTHING}`);
  return { head, entries, record };
}

/** A damaged name would hide all that it names. Who writes a file by hand leaves `end` out. */
function refuseMissing(places: ReadonlyMap<string, number>): void {
  const needed = places.has('end') ? ['articles', 'deleted'] : ['articles'];
  const missing = needed.find((name) => !places.has(name));
  if (missing !== undefined) throw new HeadError('format', `"${missing}" is missing`);
}

/** A record counts only under its name: under a damaged one it would be taken for nothing of ours. */
function refuseMisnamed(members: readonly Member[]): void {
  const isRecord = (text: string) =>
    parseRecord(text)?.count !== undefined || blogsIn(text) !== undefined;
  const found = members.find(([name, text]) => !['begin', 'end'].includes(name) && isRecord(text));
  if (found === undefined) return;
  const [name] = found;
  throw new HeadError(name, `the name "${name}" of a commit record is damaged`);
}

function recordIn(members: readonly Member[]): CommitRecord {
  const end = members.find(([name]) => name === 'end')?.[1];
  if (end === undefined) return NO_RECORD;
  return parseRecord(end) ?? DAMAGED_RECORD;
}

function memberText(window: ByteWindow, from: number, to: number): string {
  const text = utf8(window, from, to);
  JSON.parse(text);
  return compactJson(text);
}

type JsonFault = {
  readonly offset: number;
  readonly what: string;
  readonly foreign?: HeadError['foreign'];
  /** The members of a document of another program. */
  readonly lists?: readonly string[];
};

function explain(
  window: ByteWindow,
  places: Map<string, number>,
  error: unknown,
): JsonFault | undefined {
  if (error instanceof NotAnArticle) return { offset: error.offset, what: error.message };
  if (error instanceof HeadError) {
    return { offset: places.get(error.member) ?? 0, what: error.message, foreign: error.foreign };
  }
  if (error instanceof NotSplit) {
    const { offset } = error;
    const isList = places.size === 0 && window.at(offset) === OPEN_BRACKET;
    const what = isList ? 'this is no blogctl store: it is a list' : 'This is no store document';
    return findJsonError(window) ?? { offset, what, foreign: isList ? 'other' : undefined };
  }
  return error instanceof SyntaxError ? findJsonError(window) : undefined;
}

export function damaged(file: OpenFile, path: string, found: JsonFault): UnusableStore {
  const { offset, what, foreign } = found;
  const { line, column } = positionOf(file, offset);
  const message = `${path}:${line}:${column} ${what}. Nothing was changed.`;
  const place = { line, offset };
  if (foreign !== undefined) {
    const newer = 'Update blogctl to the version that wrote it, or name another store file.';
    const hint = foreign === 'newer' ? newer : broughtIn(path, found);
    return new UnusableStore('foreign', message, { hint, place });
  }
  const hint: Hint = `Run \`blogctl store check --store ${inShell(path)}\` to see what is wrong, and \`blogctl store repair --store ${inShell(path)}\` to save what can be saved into a new file.`;
  return new UnusableStore('damaged', message, { hint, place });
}

/** json-server keeps its posts as a member beside others. */
function broughtIn(path: string, { lists: [first] = [], lists = [] }: JsonFault): Hint {
  const list = first === undefined ? '' : ` --list ${inShell(first)}`;
  const target = path.replace(/(?:\.json)?$/, '-blog.json');
  if (lists.includes('posts'))
    return `Run \`blogctl serve --store ${inShell(target)} --seed ${inShell(path)}\`: its posts are the articles that a new store starts with.`;
  return `Articles that it has come into a store by \`blogctl articles import ${inShell(path)}${list} --blog ${inShell(`file:${target}`)}\`, and \`blogctl serve ${inShell(target)}\` serves that.`;
}

export type Gap = { readonly offset: number; readonly bytes: number };

type Finder = {
  article(entry: FoundEntry): void;
  /** The line of a blog, which may look like an article. */
  blog(text: string): void;
  /** Bytes that are neither an article nor what parts them. */
  gap(gap: Gap): void;
};

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** A line of the store's own writing, if only its last byte is lost. */
const OWN_LINE = { start: Buffer.from(`,${ID}`), end: new RegExp(`${ETAG}${TAG}"\\}?$`) };
/** A commit record, whole or cut short. */
export const FOOTER = /\],\n"end":[^\n]*(?:\n|$)/g;
const BETWEEN = /^[\s,\]}]*$/;

/** Every article that can be read in a file of which other parts are broken. */
export function findArticles(file: OpenFile, from: number, finder: Finder): void {
  const window = new ByteWindow(file);
  const restore = createRestorer();
  let at = from;
  let behind = from;
  let limit = from;
  for (
    let start = window.indexOf(OPEN_BRACE, at);
    start >= 0;
    start = window.indexOf(OPEN_BRACE, at)
  ) {
    // No text has a line break in it: no article of ours goes on behind another.
    if (limit <= start) limit = nextLineOf(window, start, OWN_LINE);
    const found = foundAt(window, { from: start, to: limit }, restore);
    if (found === undefined) {
      at = lineEnd(window, start) + 1; // What follows on a broken line may be part of it.
      continue;
    }
    tellGap(window, { from: behind, to: start }, finder);
    if (typeof found === 'string') finder.blog(found);
    else finder.article(found);
    behind = start + (typeof found === 'string' ? Buffer.byteLength(found) : found.length);
    at = behind;
  }
  tellGap(window, { from: behind, to: window.size }, finder);
}

/** An article, or the text of a blog. */
type Found = FoundEntry | string;

/** One line first, as the store writes them: a missing quote must not swallow those that follow. */
function foundAt(
  window: ByteWindow,
  { from, to: limit }: Stretch,
  restore: Restorer,
): Found | undefined {
  return (
    attempt(() => read(window, { from, to: lineEnd(window, from) }, restore)) ??
    attempt(() => read(window, { from, to: valueEnd(window, from, limit) }, restore))
  );
}

type Stretch = { readonly from: number; readonly to: number };

function read(window: ByteWindow, stretch: Stretch, restore: Restorer): Found {
  const entry = readArticle(window, stretch, restore, true);
  const text = window.slice(stretch.from, stretch.to).toString('utf8');
  return entry.verified || !isBlog(JSON.parse(text)) ? entry : text;
}

function isBlog(value: object): boolean {
  return 'description' in value && !('content' in value) && !('updated' in value);
}

function attempt(reading: () => Found): Found | undefined {
  try {
    return reading();
  } catch (error) {
    const unreadable =
      error instanceof NotAnArticle || error instanceof NotSplit || error instanceof SyntaxError;
    if (unreadable) return undefined;
    throw error;
  }
}

function tellGap(window: ByteWindow, { from, to }: Stretch, finder: Finder): void {
  const text = window.slice(from, to).toString('latin1');
  if (!BETWEEN.test(text.replaceAll(FOOTER, ''))) finder.gap({ offset: from, bytes: to - from });
}
