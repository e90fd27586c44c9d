import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

import { readText, withoutByteOrderMark } from '../encoding.ts';
import { draftIn, fileKind, namesIn, postExtensions, withoutGz } from '../file-kind.ts';
import {
  membersNamed,
  membersOf,
  parseToml,
  splitFrontMatter,
  type FrontMatter,
} from './front-matter.ts';
import { parsed } from './yaml-head.ts';
import { firstReason, type PublicitySigns } from '../publicity.ts';
import { isSignName, reasonIn, type Member } from '../publicity-signs.ts';
import { noticeOf, type NoticeEntry, type ReadingOptions } from '../source.ts';
import { placeOf, type Place, type WalkedFile } from '../walk.ts';

/** What an argument names in a folder: everything, what matches a pattern, or posts one by one. */
export type FileSet = {
  readonly folder: string;
  /** The folder's own name. */
  readonly name: string;
  /** Files of any name are looked into for records. */
  readonly isPattern?: true;
  /** What a post is called by its path in the folder (decisions 44). */
  pathOf(path: string): string;
  /** The folder that all arguments share. */
  readonly shared?: string;
  /** The file that it was unpacked from. */
  readonly archive?: string;
  find(): Iterable<WalkedFile>;
};

export type FoundFile = { readonly set: FileSet; readonly file: WalkedFile };

/** What is said of all that lies in a folder or below it. */
type Folder = {
  readonly said: readonly Member[];
  /** Of single posts, by their names without an extension. */
  readonly rows: ReadonlyMap<string, readonly Member[]> | undefined;
  /** Files that may be data of one post. */
  readonly data: ReadonlySet<string>;
};

/** How a file is to be read, with what others say of it. */
type Beside = { readonly options: ReadingOptions; readonly notices: readonly NoticeEntry[] };

/**
 * What its path and other files say of a file, so that it may not be public: of all below them the folders,
 * the `cascade` of Hugo's `_index` and Eleventy's data of a directory, of single posts Eleventy's data of one and
 * the table of Substack beside their folder. Where such a file cannot be read it says that all are drafts.
 */
export function createSignsBeside(options: ReadingOptions) {
  const places = new Map<string, Place>();
  const known = new Map<string, Folder>();
  const notices: NoticeEntry[] = [];

  function readFolder(folder: string, top: string): Folder {
    const names = namesIn(folder);
    const above = folder === top ? [] : ofFolder(dirname(folder), top).said;
    const files = [`${basename(folder)}.json`, `${basename(folder)}.11tydata.json`];
    const own = [
      ...names.filter(isSectionPage).map((name) => [name, cascadeIn] as const),
      ...files.filter((name) => names.includes(name)).map((name) => [name, dataIn] as const),
    ].flatMap(([name, read]) => signsIn(join(folder, name), top, read));
    const table = textAt(`${folder}.csv`);
    const unread = table === undefined ? signsIn(`${folder}.csv`, top, () => table) : [];
    const data = new Set(names.filter((name) => name.endsWith('.json')));
    return { said: [...above, ...own, ...unread], rows: rowsByPost(table ?? ''), data };
  }

  function signsIn(
    file: string,
    top: string,
    read: (file: string, options: ReadingOptions) => readonly Member[] | undefined,
  ): readonly Member[] {
    const name = relative(top, file).split(sep).join('/');
    const members = read(file, options);
    if (members !== undefined)
      return members.map(({ key, value }) => ({ key, value, name: `${name}: ${key}` }));
    notices.push(noticeOf(name, 'unclear-file', notRead));
    return [{ key: 'draft', name, value: 'not read' }];
  }

  function ofFolder(folder: string, top: string): Folder {
    const key = `${top}\0${folder}`;
    const found = known.get(key) ?? readFolder(folder, top);
    known.set(key, found);
    return found;
  }

  return ({ set, file: { path } }: FoundFile): Beside => {
    const place = places.get(set.folder) ?? placeOf(set);
    places.set(set.folder, place);
    const name = withoutGz(path);
    const folder = dirname(join(place.base, name));
    const { said, rows, data } = ofFolder(folder, place.top);
    const stem = basename(name, extname(name));
    const ofOne = fileKind(name) === 'data' ? [] : [`${stem}.json`, `${stem}.11tydata.json`];
    const beside = [
      ...said,
      ...(rows?.get(stem) ?? []),
      ...ofOne
        .filter((each) => data.has(each))
        .flatMap((each) => signsIn(join(folder, each), place.top, dataIn)),
    ];
    const read = beside.length === 0 ? options : { ...options, beside };
    return { options: withPath(read, place.begins + name), notices: notices.splice(0) };
  };
}

const notRead =
  'It cannot be read, and may say that posts beside or below it are not public: they are left out. Mend it, or remove it.';

/** What a path says counts beside what stands there. */
export function withPath(options: ReadingOptions, path: string): ReadingOptions {
  const value = draftIn(path);
  if (value === undefined) return options;
  return { ...options, beside: [...(options.beside ?? []), { key: 'draft', name: 'path', value }] };
}

/** Why a record is not public by what it says itself and by what is said beside it; a draft there is one of any state. */
export function reasonBeside(
  signs: readonly PublicitySigns[],
  options: ReadingOptions,
): ReturnType<typeof reasonIn> {
  const { beside = [], now } = options;
  const isDraft = reasonIn(beside, { drafts: false, now })?.reason === 'draft';
  const own = firstReason(
    isDraft ? signs.map((each) => ({ ...each, draft: true })) : signs,
    options,
  );
  const other = beside.length === 0 ? undefined : reasonIn(beside, options);
  return own === undefined || own === other?.reason ? other : { reason: own };
}

/** Nothing where there is none, or one so long that it must be of something else; undefined where it cannot be read. */
function textAt(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size > 1 << 24) return '';
    return withoutByteOrderMark(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a file of records may be Eleventy's data of its directory, or of a post beside it, and says whether it is public. */
export function isDataBeside({ set, file: { path } }: FoundFile, options: ReadingOptions): boolean {
  const file = join(set.folder, path);
  const [, stem = ''] = /^(.*?)(?:\.11tydata)?\.json$/s.exec(file) ?? [];
  if (stem === '') return false;
  const isOfFolder = basename(stem) === basename(dirname(resolve(file)));
  if (!isOfFolder && !postExtensions.some((each) => existsSync(stem + each))) return false;
  return (dataIn(file, options) ?? []).length > 0;
}

/** Undefined where it cannot be read; none where the file holds records. */
function dataIn(path: string, { map }: ReadingOptions): readonly Member[] | undefined {
  const text = textAt(path);
  if (text === undefined) return undefined;
  // A store, whole or not, says nothing of posts, and is nothing to be removed.
  if (!/^\s*\{/.test(text) || /^\s*\{\s*"format"\s*:\s*"blogctl\//.test(text)) return [];
  try {
    const members = membersOf(JSON.parse(text));
    const isData = members.some(({ key, value }) => key === map.content || holdsObjects(value));
    return isData ? [] : members.filter(({ key }) => isSignName(key));
  } catch {
    return holdsLines(text) ? [] : undefined;
  }
}

/** Whether it is a record a line. */
function holdsLines(text: string): boolean {
  try {
    JSON.parse(text.slice(0, text.trimEnd().indexOf('\n')));
    return true;
  } catch {
    return false;
  }
}

function holdsObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((each) => typeof each === 'object');
}

/** The signs of Substack's `posts.csv`, by the names of the files in `posts/`. */
function rowsByPost(text: string): Folder['rows'] {
  if (!/^[^\n]*\bpost_id\b/.test(text)) return undefined;
  const rows: string[][] = [[]];
  for (const [, field = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(field.replaceAll(/^"|"$/g, '').replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...posts] = rows;
  return new Map(
    posts.map((row) => [
      row[names.indexOf('post_id')] ?? '',
      names.flatMap((key, at) => (isSignName(key) ? [{ key, value: row[at] ?? '' }] : [])),
    ]),
  );
}

/** What Hugo's `_index` says of all posts below it; undefined where its front matter cannot be read as a whole. */
function cascadeIn(path: string, { encoding }: ReadingOptions): readonly Member[] | undefined {
  try {
    const head = splitFrontMatter(readText(path, encoding));
    if (head === undefined || !/cascade/i.test(head.text)) return [];
    return membersNamed(membersOf(valueOf(head)), 'cascade')
      .flatMap(({ value }) => value)
      .flatMap((each) => (typeof each === 'object' && each !== null ? membersOf(each) : []));
  } catch {
    return undefined;
  }
}

function valueOf({ language, text }: FrontMatter): object {
  if (language === 'toml') return parseToml(text);
  const value: unknown = language === 'yaml' ? wholeYaml(text) : JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** What is broken is a value all the same, to this parser. */
function wholeYaml(text: string): unknown {
  const document = parsed(text);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document.toJS();
}

/** Hugo's description of a folder, in any language: `_index.md`, `_index.fr.md`. */
export function isSectionPage(path: string): boolean {
  return /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path);
}
