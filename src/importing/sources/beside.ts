import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';

import { readText, withoutByteOrderMark } from './encoding.ts';
import { withoutGz } from './file-kind.ts';
import {
  membersNamed,
  membersOf,
  parseToml,
  splitFrontMatter,
  type FrontMatter,
} from './formats/front-matter.ts';
import { parsed } from './formats/yaml-head.ts';
import { isSignName, type Member } from './publicity-signs.ts';
import type { ReadingOptions } from './source.ts';
import type { WalkedFile } from './walk.ts';

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

type Beside = {
  readonly said: readonly Member[];
  /** Of single posts, by their names without an extension. */
  readonly rows: ReadonlyMap<string, readonly Member[]> | undefined;
};

/**
 * What other files say of a post, so that it may not be public: of all posts below them the `cascade` of
 * Hugo's `_index` and Eleventy's data of a directory, of single ones the table of Substack beside their folder.
 */
export function createSignsBeside(options: ReadingOptions) {
  const known = new Map<string, Beside>();

  function read(root: string, below: string): Beside {
    const folder = join(root, below);
    const name = basename(resolve(folder));
    const above = below === '' ? [] : ofFolder(root, below.replace(/(?:^|\/)[^/]*$/, '')).said;
    const indexes = readdirSync(folder).filter(isSectionPage);
    const data = [`${name}.json`, `${name}.11tydata.json`].map((file) => join(folder, file));
    const own = [
      ...indexes.flatMap((index) => cascadeIn(join(folder, index), options)),
      ...data.flatMap((file) => folderData(file, options)),
    ];
    return { said: [...above, ...own], rows: rowsByPost(textAt(`${resolve(folder)}.csv`)) };
  }

  function ofFolder(root: string, below: string): Beside {
    const folder = `${root}/${below}`;
    const found = known.get(folder) ?? read(root, below);
    known.set(folder, found);
    return found;
  }

  return ({ set, file: { path } }: FoundFile): ReadingOptions => {
    const { said, rows } = ofFolder(set.folder, path.slice(0, Math.max(path.lastIndexOf('/'), 0)));
    const name = withoutGz(path);
    const row = rows?.get(basename(name, extname(name))) ?? [];
    return said.length + row.length === 0 ? options : { ...options, beside: [...said, ...row] };
  };
}

/** Nothing where there is none, or one so long that it must be of something else. */
function textAt(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.size > 1 << 24) return '';
    return withoutByteOrderMark(readFileSync(path, asUtf8));
  } catch {
    return '';
  }
}

const asUtf8 = { encoding: 'utf8' } as const;

export function isFolderData(path: string): boolean {
  return /(?:^|\/)([^/]+)\/\1(?:\.11tydata)?\.json$/.test(path);
}

/** None where the file holds records. */
export function folderData(path: string, { map }: ReadingOptions): readonly Member[] {
  const text = textAt(path);
  if (!/^\s*\{/.test(text)) return [];
  try {
    const members = membersOf(JSON.parse(text));
    const isData = members.some(({ key, value }) => key === map.content || holdsObjects(value));
    return isData ? [] : members.filter(({ key }) => isSignName(key));
  } catch {
    return [];
  }
}

function holdsObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((each) => typeof each === 'object');
}

/** The signs of Substack's `posts.csv`, by the names of the files in `posts/`. */
function rowsByPost(text: string): Beside['rows'] {
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

/**
 * What Hugo's `_index` says of all posts below it; where its front matter cannot be read as a whole, that
 * they are drafts.
 */
function cascadeIn(path: string, options: ReadingOptions): readonly Member[] {
  if (!existsSync(path)) return [];
  try {
    const head = splitFrontMatter(readText(path, options.encoding));
    if (head === undefined || !/cascade/i.test(head.text)) return [];
    return membersNamed(membersOf(valueOf(head)), 'cascade')
      .flatMap(({ value }) => value)
      .flatMap((each) => (typeof each === 'object' && each !== null ? membersOf(each) : []));
  } catch {
    return [{ key: 'draft', value: 'not read' }];
  }
}

function valueOf({ language, text }: FrontMatter): object {
  if (language === 'toml') return parseToml(text);
  const value: unknown = language === 'yaml' ? parsed(text).toJS() : JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** Hugo's description of a folder, in any language: `_index.md`, `_index.fr.md`. */
export function isSectionPage(path: string): boolean {
  return /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path);
}
