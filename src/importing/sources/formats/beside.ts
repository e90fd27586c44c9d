import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

import { readText, withoutByteOrderMark } from '../encoding.ts';
import { fileKind, namesIn, postExtensions, withoutGz, type FoundFile } from '../file-kind.ts';
import {
  folderWithoutPages,
  isSectionPage,
  mayNamePosts,
  noPages,
  rowsByPost,
  saidOf,
  sayingOfAll,
  settingsIn,
  siteOf,
  type Site,
  withPath,
  withSign,
} from '../signs-beside.ts';
import {
  membersNamed,
  membersOf,
  parseToml,
  splitFrontMatter,
  type FrontMatter,
} from './front-matter.ts';
import { parsed } from './yaml-head.ts';
import { isSignName, type Member } from '../publicity-signs.ts';
import { noticeOf, type NoticeEntry, type ReadingOptions } from '../source.ts';
import { pathBelow, placeOf, type Place } from '../walk.ts';

/** What is said of all that lies in a folder or below it. */
type Folder = {
  readonly said: readonly Member[];
  /** Of single posts, by their names without an extension. */
  readonly rows: ReadonlyMap<string, readonly Member[]> | undefined;
  /** Files that may be data of one post. */
  readonly data: ReadonlySet<string>;
};

/** How a file is to be read, with what others say of it. */
type Beside = {
  readonly options: ReadingOptions;
  readonly notices: readonly NoticeEntry[];
  /** Where it is in a folder without pages. */
  readonly unless?: Unless;
};

/** How a file would be read that is left out, and what to say then. */
export type Unless = { readonly options: ReadingOptions; readonly notice: NoticeEntry };

type PlacedSite = Site & { readonly at: string };

/**
 * What its path and other files say of a file, so that it may not be public: of all below them the folders,
 * the `cascade` of Hugo's `_index`, Eleventy's data of a directory and the settings of a site, of single posts Eleventy's data
 * of one and the table of Substack beside their folder. Where such a file cannot be read it says that all are drafts.
 */
export function createSignsBeside(options: ReadingOptions) {
  const places = new Map<string, Place>();
  const known = new Map<string, Folder>();
  const sites = new Map<string, readonly PlacedSite[]>();
  const notices: NoticeEntry[] = [];

  function readFolder(folder: string, top: string): Folder {
    const names = namesIn(folder);
    const above = folder === top ? [] : ofFolder(dirname(folder), top).said;
    const files = [`${basename(folder)}.json`, `${basename(folder)}.11tydata.json`];
    const own = files
      .filter((name) => names.includes(name))
      .flatMap((name) => signsIn(join(folder, name), top, dataIn));
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
      return members.map((each) => ({ ...each, name: `${name}: ${each.key}` }));
    notices.push(noticeOf(name, 'unclear-file', notRead));
    return [{ key: 'draft', name, value: 'not read' }];
  }

  /** Those above count wherever the site lies, for its posts are below them; an archive is a site of its own. */
  function sitesOf(folder: string, top: string, last?: string): readonly PlacedSite[] {
    const found = sites.get(folder);
    if (found !== undefined) return found;
    const above = dirname(folder);
    const all = [
      ...(folder === last || folder === above ? [] : sitesOf(above, top, last)),
      ...settingsIn(folder).map((name) => ({ at: folder, ...readSite(join(folder, name), top) })),
    ];
    sites.set(folder, all);
    return all;
  }

  function readSite(file: string, top: string): Site {
    const { scopes, collections } = siteIn(file, options);
    const named = scopes.map(({ said, holds }) => ({
      holds,
      said: signsIn(file, top, () => said),
    }));
    return { scopes: named, collections };
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
    const whole = join(place.base, name);
    const ofSite = sitesOf(folder, place.top, set.archive === undefined ? undefined : place.base);
    const beside = [
      ...said,
      ...ofSite.flatMap(({ at, scopes }) => saidOf(whole, at, scopes)),
      ...(rows?.get(stem) ?? []),
      ...ofOne
        .filter((each) => data.has(each))
        .flatMap((each) => signsIn(join(folder, each), place.top, dataIn)),
    ];
    const read = beside.length === 0 ? options : { ...options, beside };
    const judged = withPath(read, place.begins + name);
    const chosen = set.isOne === true && pathBelow(realpathSync(set.shared ?? set.folder), whole);
    const without = folderWithoutPages(
      (chosen || name).split(sep).join('/'),
      ofSite.flatMap(({ collections }) => collections),
    );
    if (without === undefined) return { options: judged, notices: notices.splice(0) };
    const notice = noticeOf(without, 'no-pages', noPages);
    return {
      options: withSign(judged, without),
      notices: notices.splice(0),
      unless: { options: judged, notice },
    };
  };
}

const notRead =
  'It cannot be read, and may say that posts beside or below it are not public: they are left out. Mend it, or remove it.';

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

/** What cannot be read may say something of all. */
function siteIn(file: string, options: ReadingOptions): Site {
  if (isSectionPage(file)) return sayingOfAll(cascadeIn(file, options));
  const text = textAt(file);
  try {
    if (text !== undefined) {
      if (!mayNamePosts(file, text)) return { scopes: [], collections: [] };
      const kind = extname(file).toLowerCase();
      const language = kind === '.toml' ? 'toml' : kind === '.json' ? 'json' : 'yaml';
      return siteOf(file, valueOf({ language, text }));
    }
  } catch {
    // Broken, to its own program too.
  }
  return sayingOfAll(undefined);
}

function valueOf({ language, text }: Pick<FrontMatter, 'language' | 'text'>): object {
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
