import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { beginDraft } from '../compaction/draft.ts';
import { mergeRanges, type Head, type Range } from '../format/head.ts';
import { UnusableStore } from '../unusable-store.ts';
import { canonicalLine } from './canonical-line.ts';
import type { FoundPlace, Newest } from './entry-list.ts';
import { positionOf } from '../any-layout/position.ts';
import type { Readout } from '../any-layout/read-any-layout.ts';

export type Rewriting = {
  readonly fileSystem: FileSystem;
  readonly path: string;
  readonly file: OpenFile;
  readonly now: number;
  /** Two texts of one article are no reason to refuse: the last one counts. */
  readonly lenient?: boolean;
};

const NEWLINE = Buffer.from('\n');

/**
 * Writes the store's own layout of what was read through a draft that takes the file's place, and
 * answers the ids whose articles were changed by hand: they are new versions.
 */
export async function rewrite(rewriting: Rewriting, { head, entries }: Readout): Promise<number[]> {
  const { fileSystem, path, file, now } = rewriting;
  const compare = (a: FoundPlace, b: FoundPlace) => refuseOthers(rewriting, a, b);
  const newest = () => entries.newest(rewriting.lenient === true ? undefined : compare);
  const like = file.stat();
  const draft = await beginDraft(fileSystem, path, { head: foldedHead(head, newest(), now), like });
  const edited: number[] = [];
  let articles = 0;
  try {
    for (const entry of newest()) {
      if (entry.tombstone !== undefined && !entry.tombstone.keyed) continue;
      const line = canonicalLine(bytesOf(file, entry), { firstBlog: head.blogs[0]?.id ?? 1, now });
      await draft.append(Buffer.concat([line.text, NEWLINE]));
      if (line.edited) edited.push(entry.id);
      if (entry.tombstone === undefined) articles += 1;
    }
    await draft.finish(articles);
    draft.rename();
    await draft.syncName();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  draft.file.close();
  return edited;
}

function bytesOf(file: OpenFile, { offset, length }: FoundPlace): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  file.read(bytes, offset);
  return bytes;
}

function refuseOthers({ file, path }: Rewriting, a: FoundPlace, b: FoundPlace): void {
  if (bytesOf(file, a).equals(bytesOf(file, b))) return;
  const [first, second] = [positionOf(file, a.offset), positionOf(file, b.offset)];
  const message = `${path}:${second.line}:${second.column} Article ${b.id} stands there twice, with another text in line ${first.line}. Nothing was changed.`;
  throw new UnusableStore('damaged', message, { hint: 'Remove the one that is not meant.' });
}

/** Tombstones become ranges; a deleted id that has an article again is no longer deleted. */
function foldedHead(head: Head, entries: Iterable<Newest>, now: number): Head {
  const firstBlog = head.blogs[0]?.id ?? 1;
  const deleted = new Map(head.blogs.map(({ id }) => [id, [...(head.deleted.get(id) ?? [])]]));
  const alive: number[] = [];
  for (const { id, tombstone } of entries) {
    if (tombstone === undefined || tombstone.keyed) alive.push(id);
    else deleted.get(tombstone.blog ?? firstBlog)?.push([id, id]);
  }
  const folded = [...deleted].map(
    ([blog, ranges]) =>
      [blog, without(mergeRanges(ranges.sort((a, b) => a[0] - b[0])), alive)] as const,
  );
  return {
    blogs: head.blogs.map((blog) => ({ ...blog, changedAt: now })),
    deleted: new Map(folded),
    others: head.others,
  };
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
