import { setTimeout as pause } from 'node:timers/promises';
import { storedLine } from '../any-layout/read-article.ts';
import { beginNewFile } from '../format/new-file.ts';
import {
  type FileStat,
  type FileSystem,
  type OpenFile,
  saveAside,
  writeFully,
} from '../../file-system/file-system.ts';
import { tagValueAt } from '../format/article-line.ts';
import { LineSums, footerText } from '../format/footer.ts';
import { type Head, mergeRanges, type Range } from '../format/head.ts';
import { inShell, UnusableStore } from '../../unusable-store.ts';
import type { Document, Mending, ParsedStore, Recovery, Unconfirmed } from './document.ts';
import type { FoundEntry } from '../index/entry-list.ts';
import { StoreError } from '../../store.ts';
import { bytesOf } from './judge-versions.ts';
import { readStore, type ReadFile } from './read-store.ts';

export type ReadingFile = Omit<ReadFile, 'file'> & { readonly fileSystem: FileSystem };

export type Opened = {
  readonly file: OpenFile;
  /** The file before it was read. */
  readonly seen: FileStat;
  readonly document: Document;
  readonly recovery: Recovery;
};

/** Opens a store file for writing and reads it; it stays as it is. Throws UnusableStore. */
export function openForWriting({ fileSystem, ...reading }: ReadingFile): Opened {
  const file = fileSystem.open(reading.path, 'update');
  const seen = file.stat();
  return { file, seen, ...readOrClose({ file, ...reading }) };
}

const ATTEMPTS = 5;
const PAUSE_MS = 20;

/**
 * Opens a store file for reading alone. Another process may be writing it, so for a moment it may
 * not be as a writer leaves it: it is read again as long as it changes.
 */
export async function openForReading({ fileSystem, ...reading }: ReadingFile): Promise<Opened> {
  const { path } = reading;
  for (let attempt = 1; ; attempt += 1) {
    const file = fileSystem.open(path, 'read');
    const before = file.stat();
    const read = attempted(() => readOrClose({ file, ...reading }));
    const isTrusted = 'recovery' in read && read.recovery.kind === 'trusted';
    const mayBeHeld = fileSystem.stat(`${path}.lock`) !== undefined;
    if (!isTrusted && mayBeHeld && attempt < ATTEMPTS) {
      await pause(PAUSE_MS);
      if (!isSame(before, fileSystem.stat(path))) {
        if ('recovery' in read) file.close();
        continue;
      }
    }
    if ('recovery' in read) return { file, seen: before, ...read };
    throw read;
  }
}

/** Whether nobody wrote between the two. */
export function isSame(one: FileStat, other: FileStat | undefined): boolean {
  return other?.size === one.size && other.modifiedMs === one.modifiedMs && other.ino === one.ino;
}

function attempted<T>(read: () => T): T | UnusableStore {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableStore) return error;
    throw error;
  }
}

function readOrClose(reading: ReadFile): Omit<Opened, 'file' | 'seen'> {
  try {
    return readStore(reading);
  } catch (error) {
    reading.file.close();
    throw error;
  }
}

type MendRequest = Omit<ReadingFile, 'crash'> & {
  readonly file: OpenFile;
  readonly unconfirmed: Unconfirmed;
  readonly now: number;
  /** Throws where the file is no longer the one that was read. */
  readonly requireSame: () => void;
};

type Mended = Opened & {
  /** Where the bytes are that the file no longer has. */
  readonly savedAs: string | undefined;
};

/** Makes a file what it was read as. It is read again from the disk and must be trusted then. */
export async function mend(request: MendRequest): Promise<Mended> {
  const { fileSystem, path, file, unconfirmed, requireSame } = request;
  const { mending, changedMs } = unconfirmed;
  const savedAs = await saveDropped(request, mending);
  if (mending.kind === 'rewrite') {
    const rewriting = { fileSystem, path, file, changedMs, beforeRename: requireSame };
    await rewrite(rewriting, mending.parsed);
  } else {
    requireSame();
    await cutOff(file, mending);
  }
  const opened = openForWriting({ fileSystem, path });
  if (opened.recovery.kind === 'trusted') return { ...opened, savedAs };
  opened.file.close();
  throw new UnusableStore('damaged', `${path} does not read as it was just written.`, {
    hint: `Check the disk; \`blogctl store check --store ${inShell(path)}\` tells more.`,
  });
}

const NEWLINE = Buffer.from('\n');

async function saveDropped(request: MendRequest, mending: Mending): Promise<string | undefined> {
  const { fileSystem, path, file, now } = request;
  const dropped = droppedBy(mending);
  if (dropped.length === 0) return undefined;
  const bytes = Buffer.concat(dropped.flatMap((place) => [NEWLINE, bytesOf(file, place)]).slice(1));
  return saveAside(fileSystem, path, { bytes, reason: 'torn', now, like: file.stat() });
}

export function droppedBy(mending: Mending): readonly { offset: number; length: number }[] {
  if (mending.kind === 'rewrite') return mending.dropped;
  const { cut, restBytes, onlyFooter } = mending.tail;
  return onlyFooter ? [] : [{ offset: cut, length: restBytes }];
}

type Cut = Extract<Mending, { readonly kind: 'cut' }>;

/** In two steps, never in one: a footer over torn bytes could be torn itself and mean anything. */
async function cutOff(file: OpenFile, { tail, lastId }: Cut): Promise<void> {
  file.truncate(tail.cut);
  await file.sync();
  const articles = tail.lines.liveCount();
  const { cut: end, checksum } = tail;
  const count = { articles, lastId, sums: tail.lines.sums() };
  const footer = { ...count, bytes: end, checksum, from: end, fromChecksum: checksum };
  await writeFully(file, Buffer.from(footerText(footer)), end);
  await file.sync();
}

type Rewriting = {
  readonly fileSystem: FileSystem;
  /** Of the new file. */
  readonly path: string;
  /** What is read. */
  readonly file: OpenFile;
  /** When that was last changed. */
  readonly changedMs: number;
  /** Called before the new file takes the place of the old one; what it throws prevents that. */
  readonly beforeRename?: () => void;
  /** There must be no file of that name yet: EEXIST. */
  readonly isNew?: boolean;
};

/** Writes the store's own layout of what was read through a new file that takes the file's place. */
export async function rewrite(
  { fileSystem, path, file, changedMs, beforeRename, isNew }: Rewriting,
  { head, entries, lastId }: ParsedStore,
): Promise<void> {
  const like = file.stat();
  const folded = foldedHead(head, entries.newest());
  const newFile = await beginNewFile(fileSystem, path, { head: folded, like });
  const sums = new LineSums();
  let articles = 0;
  try {
    for (const entry of entries.newest()) {
      if (entry.isTombstone && !entry.keyed) continue;
      const text = storedLine(bytesOf(file, entry), entry, changedMs);
      if (text === undefined) throw damagedLine(entry.id);
      sums.add(entry.id, tagValueAt(text, text.length));
      await newFile.append(Buffer.concat([text, NEWLINE]));
      if (!entry.isTombstone) articles += 1;
    }
    await newFile.finish({ articles, lastId, sums });
    beforeRename?.();
    if (isNew === true) newFile.nameNew();
    else newFile.rename();
    await newFile.syncName();
  } catch (error) {
    await newFile.discard();
    throw error;
  }
  newFile.file.close();
}

/** A new file would vouch for it. */
function damagedLine(id: number): StoreError {
  const message = `Article ${id} is damaged on the disk: its checksum does not hold.`;
  return new StoreError('damaged', message);
}

/** Tombstones become ranges; a deleted id that has an article again is no longer deleted. */
function foldedHead(head: Head, entries: Iterable<FoundEntry>): Head {
  const firstBlog = head.blogs[0]?.id ?? 1;
  const deleted = new Map(head.blogs.map(({ id }) => [id, [...(head.deleted.get(id) ?? [])]]));
  const alive: number[] = [];
  for (const { id, isTombstone, keyed, blog } of entries) {
    if (!isTombstone || keyed) alive.push(id);
    else deleted.get(blog ?? firstBlog)?.push([id, id]);
  }
  const folded = [...deleted].map(
    ([blog, ranges]) =>
      [blog, without(mergeRanges(ranges.sort((a, b) => a[0] - b[0])), alive)] as const,
  );
  return { blogs: head.blogs, deleted: new Map(folded), others: head.others };
}

/** Both ascending. */
function without(ranges: readonly Range[], ids: readonly number[]): Range[] {
  const left: Range[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    let from = first;
    while (next < ids.length && (ids[next] ?? 0) < first) next += 1;
    for (let id = ids[next]; id !== undefined && id <= last; id = ids[next]) {
      if (id > from) left.push([from, id - 1]);
      from = id + 1;
      next += 1;
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}
