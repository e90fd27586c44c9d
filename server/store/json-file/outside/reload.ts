import { saveAside } from '../files/save-aside.ts';
import { readArticleLine, type ArticleLine } from '../format/article-line.ts';
import type { ArticleIndex } from '../index/article-index.ts';
import type { OpenFile } from '../files/file-system.ts';
import type { OpenDocument } from '../open-document.ts';
import { recover } from '../recovery/recover.ts';

export type Reload = {
  /** Articles that were acknowledged and are not in the new file, or older there. */
  readonly orphans: readonly number[];
  /** Where their lines are, as far as they could still be read. */
  readonly savedAs: string | undefined;
};

/**
 * Takes over the file another program put in the place of ours or wrote into it. What it lost of
 * acknowledged articles is saved aside. Throws UnusableStore, the old file staying in use.
 */
export async function reload(document: OpenDocument, now: number): Promise<Reload> {
  const { fileSystem, path } = document;
  const recovered = await recover({ fileSystem, path, crash: undefined, now });
  const lost = [...lostArticles(document, recovered)];
  const lines = lost.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes, NEWLINE]));
  const savedAs = lines.length === 0 ? undefined : await aside(document, lines, now);
  document.replace(recovered.file, recovered.document);
  return { orphans: lost.map(({ id }) => id), savedAs };
}

const NEWLINE = Buffer.from('\n');

type Lost = { readonly id: number; readonly bytes: Buffer | undefined };
type Files = { readonly file: OpenFile; readonly document: { readonly index: ArticleIndex } };

function* lostArticles(old: OpenDocument, { file, document }: Files): Iterable<Lost> {
  for (const blog of old.index.blogs.values()) {
    for (const slot of blog.live.members(0, blog.live.size)) {
      const id = old.index.slots.idOf(slot);
      const place = document.index.find(blog.id, id);
      if (place.kind === 'gone') continue;
      const mine = read(old.file, old.index, slot);
      const theirs = place.kind === 'article' ? read(file, document.index, place.slot) : undefined;
      const isOlder = mine !== undefined && (theirs?.line.revision ?? 0) < mine.line.revision;
      if (theirs === undefined || isOlder) yield { id, bytes: mine?.bytes };
    }
  }
}

/** Undefined where the line is no longer what it was: the file was written into. */
function read(
  file: OpenFile,
  { slots }: ArticleIndex,
  slot: number,
): { readonly bytes: Buffer; readonly line: ArticleLine } | undefined {
  const bytes = Buffer.alloc(slots.lengthOf(slot));
  file.read(bytes, slots.offsetOf(slot));
  const line = readArticleLine(bytes);
  return line === undefined || line.id !== slots.idOf(slot) ? undefined : { bytes, line };
}

function aside({ fileSystem, path }: OpenDocument, lines: Buffer[], now: number): Promise<string> {
  return saveAside(fileSystem, path, { bytes: Buffer.concat(lines), reason: 'orphan', now });
}
