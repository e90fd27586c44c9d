import { canonicalLine } from '../any-layout/canonical-line.ts';
import { beginDraft } from '../compaction/draft.ts';
import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { mergeRanges, type Head, type Range } from '../format/head.ts';
import { restoredAs } from '../format/restore-line.ts';
import { LineSums } from '../format/line-sums.ts';
import { tagValueAt } from '../format/article-line.ts';
import type { FoundEntry } from './entry-list.ts';
import type { Readout } from './read-store.ts';
import { bytesOf } from './judge-versions.ts';

export type Rewriting = {
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

const NEWLINE = Buffer.from('\n');

/** Writes the store's own layout of what was read through a draft that takes the file's place. */
export async function rewrite(
  { fileSystem, path, file, changedMs, beforeRename, isNew }: Rewriting,
  { head, entries, lastId }: Readout,
): Promise<void> {
  const like = file.stat();
  const folded = foldedHead(head, entries.newest());
  const draft = await beginDraft(fileSystem, path, { head: folded, like });
  const sums = new LineSums();
  let articles = 0;
  try {
    for (const entry of entries.newest()) {
      if (entry.dead && !entry.keyed) continue;
      const found = bytesOf(file, entry);
      const text = restoredAs(found, entry.id) ?? canonicalLine(found, changedMs).text;
      sums.add(entry.id, tagValueAt(text, text.length));
      await draft.append(Buffer.concat([text, NEWLINE]));
      if (!entry.dead) articles += 1;
    }
    await draft.finish({ articles, lastId, sums });
    beforeRename?.();
    if (isNew === true) draft.nameNew();
    else draft.rename();
    await draft.syncName();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  draft.file.close();
}

/** Tombstones become ranges; a deleted id that has an article again is no longer deleted. */
function foldedHead(head: Head, entries: Iterable<FoundEntry>): Head {
  const firstBlog = head.blogs[0]?.id ?? 1;
  const deleted = new Map(head.blogs.map(({ id }) => [id, [...(head.deleted.get(id) ?? [])]]));
  const alive: number[] = [];
  for (const { id, dead, keyed, blog } of entries) {
    if (!dead || keyed) alive.push(id);
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
