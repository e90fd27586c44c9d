import { dirname } from 'node:path';
import { hasCode } from './files/error-code.ts';
import type { FileSystem } from './files/file-system.ts';
import { realFileSystem } from './files/real-file-system.ts';
import { nameNew } from './files/name-new.ts';
import { temporaryPath } from './files/temporary-file.ts';
import { writeFully } from './files/write-fully.ts';
import { checksum } from './format/checksum.ts';
import { footerText } from './format/footer.ts';
import { headText, type BlogRecord } from './format/head.ts';
import { LineSums } from './format/line-sums.ts';
import { dateAfter } from '../store.ts';
import { danglingLink, orUnusable, UnusableStore } from './unusable-store.ts';

export type NewBlog = { readonly title: string; readonly description: string };

/** Makes a store file with one blog and no article; durable when it returns. Never overwrites. */
export function createJsonFile(
  path: string,
  blog: NewBlog,
  fileSystem: FileSystem = realFileSystem,
): Promise<void> {
  return orUnusable(path, () => create(path, blog, fileSystem));
}

async function create(path: string, blog: NewBlog, fileSystem: FileSystem): Promise<void> {
  const draft = temporaryPath(path);
  try {
    await writeDraft(fileSystem, draft, emptyDocument(blog, Date.now()));
    nameNew(fileSystem, draft, path);
    await fileSystem.syncFolder(dirname(path));
  } catch (error) {
    throw takenMeanwhile(fileSystem, path, error) ?? error;
  } finally {
    fileSystem.remove(draft);
  }
}

function emptyDocument(blog: NewBlog, now: number): Buffer {
  const record = newBlogRecord(1, blog, now);
  const head = headText({ blogs: [record], deleted: new Map(), others: [] });
  const bytes = Buffer.byteLength(head);
  const sum = checksum(head);
  const count = { articles: 0, lastId: 0, sums: new LineSums() };
  const footer = { ...count, bytes, checksum: sum, from: bytes, fromChecksum: sum };
  return Buffer.from(head + footerText(footer));
}

export function newBlogRecord(id: number, blog: NewBlog, now: number): BlogRecord {
  const { title, description } = blog;
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

async function writeDraft(fileSystem: FileSystem, path: string, content: Buffer): Promise<void> {
  const file = fileSystem.open(path, 'create-shared');
  try {
    await writeFully(file, content, 0);
    await file.sync();
  } finally {
    file.close();
  }
}

/** Whoever opened a store of that name meanwhile has removed our temporary file as a leftover. */
function takenMeanwhile(
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
