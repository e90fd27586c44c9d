import { type OpenFile, saveAside } from '../../file-system/file-system.ts';
import type { ArticleLine } from '../format/article-line.ts';
import { markAt } from '../format/checksum.ts';
import { mergeRanges, rangesInWords, type Range } from '../format/head.ts';
import type { Opened } from '../recovery/recover.ts';
import { UnusableStore } from '../../unusable-store.ts';
import type { OpenDocument } from '../open-document.ts';
import { lineIn, rawLine, type LineRead, type Lines, type Recovery } from '../recovery/document.ts';

/** Something that was acknowledged, and that another program's file does not have. */
export type LostChange = {
  readonly blogId: number;
  readonly id: number;
  /** Of deletions that stand side by side. */
  readonly last?: number;
  /** Of the version that is lost; undefined where it could not be read any more. */
  readonly version: Version | undefined;
  /** What is lost is a deletion: the article is there again, or its id would be given again. */
  readonly isDeletion: boolean;
  /** Something else has its place, and no checksum vouches for it. */
  readonly isEdited?: boolean;
  /** By which mark the index knows what has its place. */
  readonly instead?: number;
};

type Version = Pick<ArticleLine, 'revision' | 'tag' | 'updatedAt'>;

export type Loss = {
  readonly lost: readonly LostChange[];
  /** Where the lines are, as far as they could still be read. */
  readonly savedAs: string | undefined;
  /** Why the lines are nowhere. */
  readonly unsaved?: string;
  /** Why nothing is known of what the new file has: it could not be looked at, or is no store. */
  readonly unknown?: 'unseen' | 'no-store' | undefined;
};

/** `theirs` is undefined where the new file cannot be read: then it has nothing. */
export type ReplacingFile =
  | {
      readonly file: OpenFile;
      readonly document: Lines;
      readonly recovery: Pick<Recovery, 'edited'>;
    }
  | undefined;

type Saving = {
  readonly now: number;
  /** What was saved of the same file before: it is not saved twice. */
  readonly before?: Loss | undefined;
  /** The loss is told even where nothing can be saved; else that is thrown. */
  readonly tellsUnsaved?: boolean;
  /** Where everything is already. */
  readonly savedAs?: string | undefined;
  /** What was acknowledged and edited since is what is wanted: it is no loss. */
  readonly takesEdits?: boolean;
};

/** Saves aside what the file that is open has and another one, in its place, has not. */
export async function saveLost(
  open: OpenDocument,
  theirs: ReplacingFile,
  { now, before, tellsUnsaved = false, savedAs, takesEdits = false }: Saving,
): Promise<Loss> {
  const saved = new Map(savedBy(before).map((one) => [`${one.blogId}/${one.id}`, one]));
  const lost: LostChange[] = [];
  const lines: Buffer[] = [];
  let isSaved = true;
  for (const { bytes, ...one } of lostArticles(open, theirs, takesEdits)) {
    const earlier = saved.get(`${one.blogId}/${one.id}`);
    lost.push(one.version === undefined && earlier !== undefined ? earlier : one);
    if (bytes === undefined) continue;
    lines.push(bytes, NEWLINE);
    isSaved &&= earlier?.version?.tag === one.version?.tag;
  }
  for (const each of lostDeletions(open, theirs)) lost.push(each);
  // What the name led to once has them still.
  if (savedAs !== undefined || lost.every(({ version }) => version === undefined))
    return { lost, savedAs };
  if (isSaved) return { lost, savedAs: before?.savedAs };
  const aside = { bytes: Buffer.concat(lines), reason: 'orphan', now, like: open.file.stat() };
  try {
    return { lost, savedAs: await saveAside(open.fileSystem, open.path, aside) };
  } catch (error) {
    if (!tellsUnsaved) throw error;
    return { lost, savedAs: undefined, unsaved: String(error) };
  }
}

function savedBy(before: Loss | undefined): readonly LostChange[] {
  return before?.savedAs === undefined ? [] : before.lost.filter(({ version }) => version);
}

/** The same of the file that has the name now, whatever that is. */
export async function saveFrom(
  open: OpenDocument,
  openTheirs: () => Promise<Opened>,
  saving: Saving,
): Promise<Loss> {
  let unknown: Loss['unknown'];
  const theirs = await openTheirs().catch((error: unknown) => {
    // What is no store any more has none of the articles.
    unknown = error instanceof UnusableStore ? 'no-store' : 'unseen';
    return undefined;
  });
  try {
    return { ...(await saveLost(open, theirs, saving)), unknown };
  } finally {
    theirs?.file.close();
  }
}

export function lossInWords({ lost, savedAs, unsaved, unknown }: Loss): string {
  const articles = lost.filter(({ isDeletion }) => !isDeletion);
  const edited = articles.filter(({ isEdited }) => isEdited);
  const others = articles.filter(({ isEdited }) => !isEdited);
  const deletions = lost.filter(({ isDeletion }) => isDeletion);
  const [missing, undone] =
    unknown === undefined
      ? ['Articles missing or older in the new file', 'Deletions that the new file does not have']
      : ['Acknowledged articles', 'Acknowledged deletions'];
  return [
    ...(unknown === 'no-store' ? ['The file cannot be read as a store.'] : []),
    ...(others.length === 0 ? [] : [`${missing}: ${listed(others)}.`]),
    ...(edited.length === 0 ? [] : [`${EDITED}: ${listed(edited)}.`]),
    ...textsInWords(articles, savedAs, unsaved),
    ...(deletions.length === 0 ? [] : [`${undone}: article ${listed(deletions)}.`]),
  ].join(' ');
}

const EDITED = 'Articles whose texts there fail their checksums, edited by hand or damaged';

function textsInWords(
  articles: readonly LostChange[],
  savedAs: string | undefined,
  unsaved: string | undefined,
): readonly string[] {
  if (articles.length === 0) return [];
  if (unsaved !== undefined) return [`Their texts could not be saved: ${unsaved}.`];
  if (savedAs === undefined) return ['Their texts were written over.'];
  const gone = articles.filter(({ version }) => version === undefined);
  if (gone.length === 0) return [`Their last texts are in ${savedAs}.`];
  const kept = articles.filter(({ version }) => version !== undefined);
  return [
    `The last texts of ${listed(kept)} are in ${savedAs}, those of ${listed(gone)} were written over.`,
  ];
}

function listed(lost: readonly LostChange[]): string {
  const ranges = lost.map(({ id, last = id }): Range => [id, last]);
  return rangesInWords(mergeRanges(ranges.toSorted((a, b) => a[0] - b[0])));
}

/** What of this a file has not got back since, nor something newer in its place. */
export function stillLost(
  lost: readonly LostChange[],
  { file, index, unconfirmed }: OpenDocument,
): LostChange[] {
  return lost.filter(({ blogId, id, version, isDeletion, instead }) => {
    const place = index.find(blogId, id);
    if (isDeletion) return place.kind === 'article';
    // One that was deleted since is no loss.
    if (place.kind !== 'article') return place.kind === 'absent';
    if (version === undefined) return index.slots.markOf(place.slot) === instead;
    const found = lineIn(file, { index, unconfirmed }, place.slot);
    return found === undefined || isOlder(found.line, version);
  });
}

const NEWLINE = Buffer.from('\n');

/** Whatever their list of deletions says: it was not deleted here. */
function* lostArticles(
  open: OpenDocument,
  theirs: ReplacingFile,
  takesEdits: boolean,
): Iterable<LostChange & { readonly bytes: Buffer | undefined }> {
  const edited = new Set(theirs?.recovery.edited);
  for (const blog of open.index.blogs.values()) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = open.index.slots.idOf(slot);
      const mine = readOwn(open, slot);
      const place = theirs?.document.index.find(blog.id, id);
      const there = place?.kind === 'article' ? place.slot : undefined;
      const isEdited = there !== undefined && edited.has(id);
      const instead = there === undefined ? 0 : (theirs?.document.index.slots.markOf(there) ?? 0);
      if (theirs !== undefined && there !== undefined) {
        const isSame = instead === open.index.slots.markOf(slot);
        const found = lineIn(theirs.file, theirs.document, there);
        if (isEdited ? takesEdits && isSame : isKept(found?.line, mine?.line, isSame)) continue;
        if (mine?.found.equals(rawLine(theirs.file, theirs.document.index, there))) continue;
      }
      const version = mine && versionOf(mine.line);
      yield {
        blogId: blog.id,
        id,
        version,
        isDeletion: false,
        isEdited,
        instead,
        bytes: mine?.bytes,
      };
    }
  }
}

function versionOf({ revision, tag, updatedAt }: ArticleLine): Version {
  return { revision, tag, updatedAt };
}

/** `isSame`: by the mark that the index has of what was acknowledged. */
function isKept(found: Version | undefined, mine: Version | undefined, isSame: boolean): boolean {
  if (found === undefined) return false;
  return mine === undefined ? isSame : !isOlder(found, mine);
}

/** The revision alone proves nothing: no checksum covers it. */
function isOlder(found: Version, mine: Version): boolean {
  const isNewer = found.revision > mine.revision && found.updatedAt >= mine.updatedAt;
  return !isNewer && found.tag !== mine.tag;
}

/** Of what is there again, and of ids that would be given again. */
function* lostDeletions(open: OpenDocument, theirs: ReplacingFile): Iterable<LostChange> {
  const lost = { version: undefined, isDeletion: true };
  const index = theirs?.document.index;
  for (const blog of index?.blogs.values() ?? []) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = index?.slots.idOf(slot) ?? 0;
      if (open.index.find(blog.id, id).kind === 'gone') yield { ...lost, blogId: blog.id, id };
    }
  }
  const nextId = index?.nextId ?? 1;
  for (const blog of open.index.blogs.values()) {
    for (const [first, last] of open.index.deletedOf(blog)) {
      const id = Math.max(first, nextId);
      if (id <= last) yield { ...lost, blogId: blog.id, id, last };
    }
  }
}

/** What was acknowledged; undefined where the file was written into, be it by a line that holds. */
function readOwn(open: OpenDocument, slot: number): LineRead | undefined {
  const mine = lineIn(open.file, open, slot);
  const isKnown =
    open.unconfirmed !== undefined ||
    (mine !== undefined && markAt(mine.bytes, mine.bytes.length) === open.index.slots.markOf(slot));
  return isKnown ? mine : undefined;
}
