import { saveAside } from '../files/save-aside.ts';
import { readArticleLine, type ArticleLine } from '../format/article-line.ts';
import type { OpenFile } from '../files/file-system.ts';
import type { OpenDocument } from '../open-document.ts';
import type { Document } from '../recovery/document.ts';

/** What another program's file has lost of acknowledged articles. */
export type Loss = {
  /** Articles that are not in the new file, or older there. */
  readonly ids: readonly number[];
  /** Where their lines are, as far as they could still be read. */
  readonly savedAs: string | undefined;
};

/** `theirs` is undefined where the new file cannot be read: then it has nothing. */
export type Theirs =
  | { readonly file: OpenFile; readonly document: Pick<Document, 'index' | 'unconfirmed'> }
  | undefined;

/** Saves aside what the file that is open has and another one, in its place, has not. */
export async function saveLost(open: OpenDocument, theirs: Theirs, now: number): Promise<Loss> {
  const lost = [...lostArticles(open, theirs)];
  const lines = lost.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes, NEWLINE]));
  const aside = { bytes: Buffer.concat(lines), reason: 'orphan', now };
  const savedAs =
    lines.length === 0 ? undefined : await saveAside(open.fileSystem, open.path, aside);
  return { ids: lost.map(({ id }) => id), savedAs };
}

const LISTED = 20;

export function lossInWords({ ids, savedAs }: Loss): string {
  const listed = ids.slice(0, LISTED).join(', ') + (ids.length > LISTED ? ' …' : '');
  const where = savedAs === undefined ? '' : ` Their last texts are in ${savedAs}.`;
  return `Articles missing or older in the new file: ${listed}.${where}`;
}

const NEWLINE = Buffer.from('\n');

type Lines = Pick<Document, 'index'> & {
  readonly unconfirmed?: Document['unconfirmed'] | undefined;
};

type Lost = { readonly id: number; readonly bytes: Buffer | undefined };

function* lostArticles(open: OpenDocument, theirs: Theirs): Iterable<Lost> {
  for (const blog of open.index.blogs.values()) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = open.index.slots.idOf(slot);
      const place = theirs?.document.index.find(blog.id, id);
      if (place?.kind === 'gone') continue;
      const mine = read(open.file, open, slot);
      const found =
        theirs !== undefined && place?.kind === 'article'
          ? read(theirs.file, theirs.document, place.slot)
          : undefined;
      const isOlder = mine !== undefined && (found?.line.revision ?? 0) < mine.line.revision;
      if (found === undefined || isOlder) yield { id, bytes: mine?.bytes };
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
