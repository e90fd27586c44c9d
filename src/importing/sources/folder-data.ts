import { dirname, extname, join } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { openFolderFile } from './data-file.ts';
import { fileKind } from './files/file-kind.ts';
import type { WalkedFile } from './files/walk.ts';
import { articleAddress } from './formats/html.ts';
import { holdsText, isObject } from './formats/mapped-record.ts';
import {
  noticeOf,
  unsortedNotice,
  type Entry,
  type Portion,
  type ReadingOptions,
} from './source.ts';

/** What an argument names in a folder: everything, what matches a pattern, or posts one by one. */
export type FileSet = {
  readonly folder: string;
  /** The folder's own name. */
  readonly name: string;
  /** Files of any name are looked into for records. */
  readonly isPattern?: true;
  /** What a post is called by its path in the folder (decisions 44). */
  pathOf(path: string): string;
  find(): Iterable<WalkedFile>;
};

export type FoundFile = { readonly set: FileSet; readonly file: WalkedFile };

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

/** Counts the files of a folder that are not read, by kind. */
export type PassedOver = {
  add(path: string): void;
  /** `3 images, 2 .rst are not read`, with what to do; undefined where there are none. */
  message(options: ReadingOptions): string | undefined;
};

/** More kinds than this are counted together. */
const mostKinds = 12;

export function createPassedOver(): PassedOver {
  const counts = new Map<string, number>();
  return {
    add(path) {
      const kind = kindOf(path);
      const name = counts.has(kind) || counts.size < mostKinds ? kind : 'other';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    message({ titleFrom }) {
      if (counts.size === 0) return undefined;
      const most = [...counts].sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1));
      const said = most.map(([kind, count]) => described(kind, count)).join(', ');
      return [`Not read: ${said}.`, ...hints(counts, titleFrom)].join(' ');
    },
  };
}

function kindOf(path: string): string {
  const kind = fileKind(path);
  const extension = extname(path).toLowerCase();
  if (kind === 'image' || extension === '') return kind;
  return extension.length > 10 ? 'other' : extension;
}

function described(kind: string, count: number): string {
  if (kind === 'image') return count === 1 ? '1 image' : `${count} images`;
  return kind === 'other' ? `${count} other` : `${count} ${kind}`;
}

function hints(
  counts: ReadonlyMap<string, number>,
  titleFrom: ReadingOptions['titleFrom'],
): readonly string[] {
  const markup = [...counts.keys()].filter((kind) => fileKind(`x${kind}`) === 'markup');
  return [
    ...(markup.length > 0 ? [`Convert ${markup.join(' and ')} to Markdown first.`] : []),
    ...(counts.has('.txt') && titleFrom === undefined
      ? ['--title-from line imports .txt too.']
      : []),
  ];
}
