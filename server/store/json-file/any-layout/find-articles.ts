import type { OpenFile } from '../files/file-system.ts';
import { createRestorer, type Restorer } from '../format/restore-line.ts';
import { ByteWindow } from './byte-window.ts';
import type { FoundEntry } from '../recovery/entry-list.ts';
import { NotAnArticle, readArticle } from './read-article.ts';
import { NotSplit, valueEnd } from './split-document.ts';

export type Gap = { readonly offset: number; readonly bytes: number };

export type Finder = {
  article(entry: FoundEntry): void;
  /** The line of a blog, which may look like an article. */
  blog(text: string): void;
  /** Bytes that are neither an article nor what parts them. */
  gap(gap: Gap): void;
};

const OPEN_BRACE = 0x7b;
const NEWLINE = 0x0a;
/** A commit record, whole or cut short. */
const FOOTER = /\],\n"end":[^\n]*(?:\n|$)/g;
const BETWEEN = /^[\s,\]}]*$/;

/** Every article that can be read in a file of which other parts are broken. */
export function findArticles(file: OpenFile, from: number, finder: Finder): void {
  const window = new ByteWindow(file);
  const restore = createRestorer();
  let at = from;
  let behind = from;
  for (
    let start = window.indexOf(OPEN_BRACE, at);
    start >= 0;
    start = window.indexOf(OPEN_BRACE, at)
  ) {
    const found = foundAt(window, start, restore);
    if (found === undefined) {
      at = nextLine(window, start);
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
function foundAt(window: ByteWindow, start: number, restore: Restorer): Found | undefined {
  const lineEnd = window.indexOf(NEWLINE, start);
  const end = lineEnd < 0 ? window.size : lineEnd;
  return (
    attempt(() => read(window, { from: start, to: end }, restore)) ??
    attempt(() => read(window, { from: start, to: valueEnd(window, start) }, restore))
  );
}

type Stretch = { readonly from: number; readonly to: number };

function read(window: ByteWindow, stretch: Stretch, restore: Restorer): Found {
  const entry = readArticle(window, stretch, restore);
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

/** What follows on a broken line may be part of it. */
function nextLine(window: ByteWindow, start: number): number {
  const lineEnd = window.indexOf(NEWLINE, start);
  return lineEnd < 0 ? window.size : lineEnd + 1;
}

function tellGap(window: ByteWindow, { from, to }: Stretch, finder: Finder): void {
  const text = window.slice(from, to).toString('latin1');
  if (!BETWEEN.test(text.replaceAll(FOOTER, ''))) finder.gap({ offset: from, bytes: to - from });
}
