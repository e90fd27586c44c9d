import { dirname, join } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { openFolderFile } from './data-file.ts';
import type { FoundFile } from './file-set.ts';
import type { PassedOver } from './passed-over.ts';
import { articleAddress } from './posts/article-address.ts';
import { holdsText, isObject } from './records/mapped-record.ts';
import {
  noticeOf,
  unsortedNotice,
  type Entry,
  type Portion,
  type ReadingOptions,
} from './source.ts';

/**
 * The records of a file that was found in a folder, where it is one of articles: its format is known
 * and its first records have a title or content. Other files are passed over, for they may belong to
 * anything.
 */
export async function* folderDataPortions(
  found: FoundFile,
  options: ReadingOptions,
  passedOver: PassedOver,
): AsyncGenerator<Portion, void, void> {
  const { path } = found.file;
  try {
    let holdsArticles = false;
    for await (const entries of entriesOf(found, options)) {
      if (!holdsArticles) {
        holdsArticles = entries.some((entry) => !isOfNoArticle(entry, options));
        if (!holdsArticles && entries.length > 0) break;
        if (holdsArticles && options.sort === 'date') yield [unsortedNotice(path, options.sort)];
      }
      yield entries;
    }
    if (!holdsArticles) passedOver.add(path);
  } catch (error) {
    if (!needsChoice(error)) throw error;
    const message = `${error.message} It is passed over. ${error.hint ?? ''}`.trim();
    yield [noticeOf(path, 'unclear-file', message)];
  }
}

async function* entriesOf(
  { set, file }: FoundFile,
  options: ReadingOptions,
): AsyncGenerator<readonly Entry[], void, void> {
  const path = join(set.folder, file.path);
  const source = await openFolderFile({ path, name: file.path }, options);
  if (source === undefined) return;
  for await (const portion of source.portions()) {
    yield Array.from(portion, (entry) => withWholeAddress(entry, dirname(path)));
  }
}

/** Which list, which columns, how to unpack: what is broken has a cause, and stops the import. */
function needsChoice(error: unknown): error is BlogctlError {
  const isUnusable = error instanceof BlogctlError && error.code === 'unusable-input';
  return isUnusable && error.cause === undefined;
}

function isOfNoArticle(entry: Entry, options: ReadingOptions): boolean {
  if (entry.kind !== 'reject' || !isObject(entry.record)) return false;
  return !holdsText(entry.record, options);
}

/** The path in a `file:` address begins in the folder of the file that says it. */
function withWholeAddress(entry: Entry, folder: string): Entry {
  if (entry.kind !== 'record' || entry.article === undefined) return entry;
  return { ...entry, article: articleAddress(entry.article, folder) };
}
