import { type OpenFile, saveAside } from '../../file-system/file-system.ts';
import { readArticleLine, type ArticleLine } from '../format/article-line.ts';
import { mergeRanges, rangesInWords } from '../format/head.ts';
import type { OpenDocument } from '../open-document.ts';
import type { Document } from '../recovery/document.ts';

/** Something that was acknowledged, and that another program's file does not have. */
export type Lost = {
  readonly blogId: number;
  readonly id: number;
  /** Of the version that is lost; undefined where it could not be read any more. */
  readonly revision: number | undefined;
  /** What is lost is a deletion: the article is there again, or its id would be given again. */
  readonly isDeletion: boolean;
};

export type Loss = {
  readonly lost: readonly Lost[];
  /** Where the lines are, as far as they could still be read. */
  readonly savedAs: string | undefined;
  /** Why the lines are nowhere. */
  readonly unsaved?: string;
  /** There is no file, or none that could be looked at: nothing is known of what it has. */
  readonly isUnseen?: boolean;
};

type Lines = Pick<Document, 'index'> & {
  readonly unconfirmed?: Document['unconfirmed'] | undefined;
};

/** `theirs` is undefined where the new file cannot be read: then it has nothing. */
export type Theirs = { readonly file: OpenFile; readonly document: Lines } | undefined;

type Saving = {
  readonly now: number;
  /** The loss is told even where nothing can be saved; else that is thrown. */
  readonly isEnd?: boolean;
  /** Where everything is already. */
  readonly savedAs?: string | undefined;
};

/** Saves aside what the file that is open has and another one, in its place, has not. */
export async function saveLost(
  open: OpenDocument,
  theirs: Theirs,
  { now, isEnd = false, savedAs }: Saving,
): Promise<Loss> {
  const lost: Lost[] = [];
  const lines: Buffer[] = [];
  for (const { bytes, ...one } of lostArticles(open, theirs)) {
    lost.push(one);
    if (bytes !== undefined) lines.push(bytes, NEWLINE);
  }
  lost.push(...lostDeletions(open, theirs));
  // What the name led to once has them still.
  if (savedAs !== undefined || lines.length === 0) return { lost, savedAs };
  const aside = { bytes: Buffer.concat(lines), reason: 'orphan', now, like: open.file.stat() };
  try {
    return { lost, savedAs: await saveAside(open.fileSystem, open.path, aside) };
  } catch (error) {
    if (!isEnd) throw error;
    return { lost, savedAs: undefined, unsaved: String(error) };
  }
}

export function lossInWords({ lost, savedAs, unsaved, isUnseen = false }: Loss): string {
  const articles = listed(lost.filter(({ isDeletion }) => !isDeletion));
  const deletions = listed(lost.filter(({ isDeletion }) => isDeletion));
  return [
    ...(articles === ''
      ? []
      : [
          `${isUnseen ? 'Acknowledged articles' : 'Articles missing or older in the new file'}: ${articles}.`,
        ]),
    ...(deletions === ''
      ? []
      : [`Deletions that the new file does not have: article ${deletions}.`]),
    ...(savedAs === undefined ? [] : [`Their last texts are in ${savedAs}.`]),
    ...(unsaved === undefined ? [] : [`Their texts could not be saved: ${unsaved}.`]),
    ...(savedAs === undefined && unsaved === undefined && articles !== ''
      ? ['Their texts were written over.']
      : []),
  ].join(' ');
}

function listed(lost: readonly Lost[]): string {
  const ids = lost.map(({ id }) => id).toSorted((a, b) => a - b);
  return rangesInWords(mergeRanges(ids.map((id) => [id, id])));
}

/** What of this a file has not got back since, nor something newer in its place. */
export function stillLost(
  lost: readonly Lost[],
  { file, index, unconfirmed }: OpenDocument,
): Lost[] {
  return lost.filter(({ blogId, id, revision, isDeletion }) => {
    const place = index.find(blogId, id);
    if (isDeletion) return place.kind === 'article';
    // One that was deleted since is no loss.
    if (place.kind !== 'article') return place.kind === 'absent';
    const found = read(file, { index, unconfirmed }, place.slot);
    return (found?.line.revision ?? 0) < (revision ?? 0);
  });
}

const NEWLINE = Buffer.from('\n');

/** Whatever their list of deletions says: it was not deleted here. */
function* lostArticles(
  open: OpenDocument,
  theirs: Theirs,
): Iterable<Lost & { readonly bytes: Buffer | undefined }> {
  for (const blog of open.index.blogs.values()) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = open.index.slots.idOf(slot);
      const place = theirs?.document.index.find(blog.id, id);
      const mine = read(open.file, open, slot);
      const found =
        theirs !== undefined && place?.kind === 'article'
          ? read(theirs.file, theirs.document, place.slot)
          : undefined;
      if (found !== undefined && !isOlder(found.line, mine?.line)) continue;
      const revision = mine?.line.revision;
      yield { blogId: blog.id, id, revision, isDeletion: false, bytes: mine?.bytes };
    }
  }
}

function isOlder(found: ArticleLine, mine: ArticleLine | undefined): boolean {
  if (mine === undefined || found.revision > mine.revision) return false;
  return found.revision < mine.revision || found.tag !== mine.tag;
}

/** Of what is there again, and of ids that would be given again. */
function* lostDeletions(open: OpenDocument, theirs: Theirs): Iterable<Lost> {
  if (theirs === undefined) return;
  const { index } = theirs.document;
  const lost = { revision: undefined, isDeletion: true };
  for (const blog of index.blogs.values()) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = index.slots.idOf(slot);
      if (open.index.find(blog.id, id).kind === 'gone') yield { ...lost, blogId: blog.id, id };
    }
  }
  for (const blog of open.index.blogs.values()) {
    for (let id = index.nextId; id < open.index.nextId; id += 1) {
      if (open.index.find(blog.id, id).kind === 'gone') yield { ...lost, blogId: blog.id, id };
    }
  }
}

/** Undefined where the line is no longer what it was: the file was written into. */
function read(
  file: OpenFile,
  { index: { slots }, unconfirmed }: Lines,
  slot: number,
): { readonly bytes: Buffer; readonly line: ArticleLine } | undefined {
  const id = slots.idOf(slot);
  const found = Buffer.alloc(slots.lengthOf(slot));
  file.read(found, slots.offsetOf(slot));
  const bytes = readArticleLine(found) === undefined ? unconfirmed?.canonical(found, id) : found;
  const line = bytes && readArticleLine(bytes);
  return bytes === undefined || line?.id !== id ? undefined : { bytes, line };
}
