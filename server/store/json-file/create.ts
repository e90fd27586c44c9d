import { dirname } from 'node:path';
import { beginNewFile, type NewFile } from './format/new-file.ts';
import { hasCode, type FileSystem } from '../file-system/file-system.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import { refuseHeld } from './store-lock.ts';
import { newLineText } from './format/article-line.ts';
import type { BlogRecord } from './format/head.ts';
import { LineSums } from './format/footer.ts';
import { dateAfter, type Draft } from '../store.ts';
import { danglingLink, orUnusable, UnusableStore } from '../unusable-store.ts';

export type NewBlog = { readonly title: string; readonly description: string };
export type NewStore = NewBlog & { readonly articles?: readonly Draft[] };

/**
 * Makes a store file with one blog, all of it or nothing; durable when it returns. Never overwrites, and takes no
 * name whose file was removed under the process that serves it, and puts it back: StoreHeld.
 */
export function createJsonFile(
  path: string,
  blog: NewStore,
  fileSystem: FileSystem = realFileSystem,
): Promise<void> {
  return orUnusable(path, () => create(path, blog, fileSystem));
}

async function create(
  path: string,
  { articles, ...blog }: NewStore,
  fileSystem: FileSystem,
): Promise<void> {
  const now = Date.now();
  const head = { blogs: [newBlogRecord(1, blog, now)], deleted: new Map(), others: [] };
  try {
    await refuseHeld(fileSystem, path);
    const newFile = await beginNewFile(fileSystem, path, { head });
    try {
      const sums = await appendArticles(newFile, articles ?? [], now);
      await newFile.finish({ articles: sums.lines, lastId: sums.lines, sums });
      newFile.nameNew();
      await newFile.syncName();
      newFile.file.close();
    } catch (error) {
      await newFile.discard();
      throw error;
    }
  } catch (error) {
    throw whyNotCreated(fileSystem, path, error) ?? error;
  }
}

/** So many lines at a time are put together. */
const LINES_AT_ONCE = 1000;

async function appendArticles(
  newFile: NewFile,
  articles: readonly Draft[],
  now: number,
): Promise<LineSums> {
  const sums = new LineSums();
  const date = new Date(dateAfter(undefined, now)).toISOString();
  const newLine = (article: Draft, id: number): string => {
    const { text, crc } = newLineText(id, article, date);
    sums.add(id, { revision: 1, crc });
    return text;
  };
  for (let from = 0; from < articles.length; from += LINES_AT_ONCE) {
    const lines = articles
      .slice(from, from + LINES_AT_ONCE)
      .map((one, at) => newLine(one, from + at + 1));
    await newFile.append(Buffer.from(`${lines.join('\n,')}\n`));
  }
  return sums;
}

/** Throws UnusableStore behind the highest id. */
export function newBlogRecord(id: number, blog: NewBlog, now: number): BlogRecord {
  const { title, description } = blog;
  if (!Number.isSafeInteger(id)) {
    const message = `Every blog id up to ${Number.MAX_SAFE_INTEGER} is used: no blog can be added.`;
    throw new UnusableStore('forbidden', message, { hint: 'Make another store for it.' });
  }
  return {
    id,
    title,
    description,
    locked: false,
    unknown: '',
    revision: 1,
    changedAt: dateAfter(undefined, now),
  };
}

/** Whoever opened a store of that name meanwhile has removed our temporary file as a leftover. */
function whyNotCreated(
  fileSystem: FileSystem,
  path: string,
  error: unknown,
): UnusableStore | undefined {
  if (!hasCode(error, 'EEXIST', 'ENOENT')) return undefined;
  const target = fileSystem.linkTarget(path);
  if (fileSystem.stat(path) === undefined) {
    return target === undefined ? noFolder(path, error) : danglingLink(path, target);
  }
  return new UnusableStore('exists', `${path} exists already. Nothing was changed.`, {
    hint: 'Choose another path, or use the store that is there.',
  });
}

/** A folder is never made: its name may be mistyped. */
function noFolder(path: string, cause: unknown): UnusableStore {
  const message = `${path} cannot be made: there is no folder ${dirname(path)}.`;
  return new UnusableStore('no-folder', message, {
    hint: 'Check the spelling of the path, or make the folder first.',
    cause,
  });
}
