import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { realFileSystem } from '../files/real-file-system.ts';
import type { Head } from '../format/head.ts';
import { newBlogRecord } from '../create.ts';
import { existingPath } from '../open.ts';
import { orUnusable, UnusableStore } from '../unusable-store.ts';
import { EntryList } from '../recovery/entry-list.ts';
import { findArticles, type Gap } from '../any-layout/find-articles.ts';
import { positionOf } from '../any-layout/position.ts';
import { readHead } from '../recovery/read-head.ts';
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
  /** What the file said of its blogs and deletions could not be read: blogs have made-up titles. */
  readonly newBlogs: boolean;
};

/** Writes what can be saved of a broken store file into a new one. Throws UnusableStore. */
export function repairJsonFile(
  path: string,
  target: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<Repair> {
  return orUnusable(path, async () => {
    if (fileSystem.stat(target) !== undefined) throw inTheWay(target);
    const file = fileSystem.open(existingPath(fileSystem, path), 'read');
    try {
      return await repaired({ fileSystem, file, target, now: Date.now() });
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
  readonly target: string;
  readonly now: number;
};

async function repaired({ fileSystem, file, target, now }: Repairing): Promise<Repair> {
  const entries = new EntryList();
  const gaps: Gap[] = [];
  const blogs = new Set<number>([1]);
  const start = readHead(file, file.stat().size, now);
  findArticles(file, start?.bytes.length ?? 0, {
    article: (entry) => {
      entries.push(entry);
      if (entry.blog !== undefined) blogs.add(entry.blog);
    },
    gap: (gap) => gaps.push(gap),
  });
  const head = start?.head ?? headFor(blogs, now);
  await rewrite({ fileSystem, path: target, file, now, lenient: true }, { head, entries });
  const lost = gaps.map(({ offset, bytes }) => ({
    line: positionOf(file, offset).line,
    offset,
    bytes,
  }));
  return { savedAs: target, articles: entries.liveCount(), lost, newBlogs: start === undefined };
}

function headFor(blogs: ReadonlySet<number>, now: number): Head {
  const records = [...blogs].map((id) =>
    newBlogRecord(id, { title: `Blog ${id}`, description: '' }, now),
  );
  return { blogs: records, deleted: new Map(), others: [] };
}
