import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

import { withoutByteOrderMark } from '../encoding.ts';
import { fileKind, namesIn, postExtensions, withoutGz, type FoundFile } from '../file-kind.ts';
import {
  folderWithoutPages,
  isSectionPage,
  mayNamePosts,
  noPages,
  pathFrom,
  sayingOfAll,
  settingsIn,
  siteOf,
  type Excluded,
  type PlacedSite,
  type Site,
} from '../signs-beside.ts';
import { membersOf } from './front-matter.ts';
import { withPath, withSign } from './export-item.ts';
import { cascadeIn, membersOfData, valueOf } from './markdown.ts';
import { rowsByPost } from './csv-header.ts';
import { isSignName, type Member } from '../publicity-signs.ts';
import { noticeOf, type NoticeEntry, type ReadingOptions } from '../source.ts';
import { placeOf, type Place } from '../walk.ts';

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
    const own = ends
      .map((end) => basename(folder) + end)
      .filter((name) => names.includes(name))
      .flatMap((name) => signsIn(join(folder, name), top, signsOfDataFile));
    const table = textAt(`${folder}.csv`);
    const unread = table === undefined ? signsIn(`${folder}.csv`, top, () => table) : [];
    const data = new Set(names.filter((name) => /\.(?:json|meta|[cm]?js)$/.test(name)));
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
      ...settingsIn(folder).map((name) => readSite(folder, name, top)),
    ];
    sites.set(folder, all);
    return all;
  }

  function readSite(at: string, settings: string, top: string): PlacedSite {
    const file = join(at, settings);
    const site = siteIn(file, options);
    const scopes = site.scopes.map(({ said, holds }) => ({
      holds,
      said: signsIn(file, top, () => said),
    }));
    return { ...site, at, name: relative(top, file).split(sep).join('/'), scopes };
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
    const ofOne = fileKind(name) === 'data' ? [] : [...ends, '.meta'].map((end) => stem + end);
    const whole = join(place.base, name);
    const ofSite = sitesOf(folder, place.top, set.archive === undefined ? undefined : place.base);
    const beside = [
      ...said,
      ...ofSite.flatMap((site) => saidOf(whole, site)),
      ...(ofOne.length > 0 ? (rows?.get(stem) ?? rows?.get('') ?? []) : []),
      ...ofOne
        .filter((each) => data.has(each))
        .flatMap((each) => signsIn(join(folder, each), place.top, signsOfDataFile)),
    ];
    const read = beside.length === 0 ? options : { ...options, beside };
    const judged = withPath(read, place.begins + name);
    // A shell's list names what nobody chose one by one.
    const root = set.isListed === true ? realpathSync(set.shared ?? set.folder) : place.base;
    const without = whyNoPage({ root, path: name, file: whole }, ofSite);
    const found = { options: judged, notices: notices.splice(0) };
    if (without === undefined) return found;
    const { notice } = without;
    return { ...found, options: withSign(judged, without), unless: { options: judged, notice } };
  };
}

/** Of Eleventy, for a folder or a post, behind its name. */
const ends = ['.json', ...['json', 'js', 'cjs', 'mjs'].map((end) => `.11tydata.${end}`)];

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
  return (signsOfDataFile(file, options) ?? []).length > 0;
}

/** Undefined where it cannot be read; none where the file holds records. */
function signsOfDataFile(path: string, { map }: ReadingOptions): readonly Member[] | undefined {
  const text = textAt(path);
  if (text === undefined) return undefined;
  const signs = (members: readonly Member[]) => members.filter(({ key }) => isSignName(key));
  if (!path.endsWith('.json')) return signs(membersOfData(text, !path.endsWith('.meta')));
  // A store, whole or not, says nothing of posts, and is nothing to be removed.
  if (!/^\s*\{/.test(text) || /^\s*\{\s*"format"\s*:\s*"blogctl\//.test(text)) return [];
  try {
    const members = membersOf(JSON.parse(text));
    const hasRecords = members.some(({ key, value }) => key === map.content || holdsObjects(value));
    return hasRecords ? [] : signs(members);
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

/** What cannot be read may say something of all. */
function siteIn(file: string, options: ReadingOptions): Site {
  if (isSectionPage(file)) return sayingOfAll(cascadeIn(file, options));
  const text = textAt(file);
  try {
    if (text !== undefined) {
      if (!mayNamePosts(file, text)) return siteOf(file, {}, text);
      if (basename(file) === '.eleventyignore')
        return siteOf(file, { '.eleventyignore': text.split(/\r?\n/) });
      const kind = extname(file).toLowerCase();
      const language = kind === '.toml' ? 'toml' : kind === '.json' ? 'json' : 'yaml';
      return siteOf(file, valueOf({ language, text }), text);
    }
  } catch {
    // Broken, to its own program too.
  }
  return sayingOfAll(undefined);
}

/** What a site says of a post. */
function saidOf(file: string, { at, scopes }: PlacedSite): readonly Member[] {
  const path = scopes.length === 0 ? '' : (pathFrom(at, file) ?? '');
  return scopes.flatMap(({ said = [], holds }) => (holds(path) ? said : []));
}

/** A folder or a setting, and what it says. */
type NoPage = { readonly name: string; readonly value: string; readonly notice: NoticeEntry };

/** Why a site makes no page of a file. Only what lies below the folder that was named is left out so. */
function whyNoPage(
  { root, path, file }: { readonly root: string; readonly path: string; readonly file: string },
  sites: readonly PlacedSite[],
): NoPage | undefined {
  const collections = sites.flatMap((site) => site.collections);
  const folder = folderWithoutPages(pathFrom(root, file) ?? path, collections);
  if (folder !== undefined)
    return { name: 'path', value: folder, notice: noticeOf(folder, 'no-pages', noPages) };
  for (const { at, name, excluded } of sites) {
    const seen = excluded.length === 0 ? '' : (pathFrom(at, file) ?? '');
    const isNamed = ({ holds }: Excluded) =>
      ['', '/'].some((end) => holds((pathFrom(at, root) ?? '') + end));
    const found = excluded.find((each) => each.holds(seen) && !isNamed(each));
    if (found === undefined) continue;
    const said = `The site makes no page of ${found.setting} "${found.value}", and what matches that is left out. Name a folder of it alone to import or sync it; --drafts takes it too.`;
    const notice = noticeOf(name, 'no-pages', said);
    return { name: `${name}: ${found.setting}`, value: found.value, notice };
  }
  return undefined;
}
