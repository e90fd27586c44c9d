import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import { fileKind, namesIn } from './file-kind.ts';
import { firstReason, isPlainObject, textOf, type PublicitySigns } from './publicity.ts';
import { isSignName, reasonIn, signsOf, type Member } from './publicity-signs.ts';
import type { ReadingOptions } from './source.ts';

/** Jekyll has a folder for drafts, others call it alike; Medium puts the word before the name. Of `_a.md` they make no page. */
export const pathSigns = {
  path: /(?:^|\/)(?:(?:_?drafts?|drafts[-_ ][^/]*|unpublished|_private|_?trash)\/|draft_[^/]*$)|\.draft\.\w+$/i,
  kindAndName: /^(?:post:_|data:drafts\.)/i,
  word: /(?:^|\/)DRAFT[-_ ][^/]*$/,
};

/** What in a path says that what stands there is not public; what may be a word of a title (`draft-horses.md`) does not. */
export function draftIn(path: string): string | undefined {
  const name = basename(path);
  if (pathSigns.kindAndName.test(`${fileKind(path)}:${name}`)) return name;
  const found = pathSigns.path.exec(path) ?? pathSigns.word.exec(path);
  return found?.[0].replaceAll(/^\/|\/$/g, '');
}

/** What a path says counts beside what stands there. */
export function withPath(options: ReadingOptions, path: string): ReadingOptions {
  const value = draftIn(path);
  return value === undefined ? options : withSign(options, value);
}

export function withSign(options: ReadingOptions, value: string): ReadingOptions {
  return { ...options, beside: [...(options.beside ?? []), { key: 'draft', name: 'path', value }] };
}

/** Why a record is not public by what it says itself and by what is said beside it; a draft there is one of any state. */
export function reasonBeside(
  signs: readonly PublicitySigns[],
  options: ReadingOptions,
): ReturnType<typeof reasonIn> {
  const { now } = options;
  const beside = (options.beside ?? []).filter((each) => !isOverruled(each, signs));
  const isDraft = reasonIn(beside, { drafts: false, now })?.reason === 'draft';
  const own = firstReason(
    isDraft ? signs.map((each) => ({ ...each, draft: true })) : signs,
    options,
  );
  const other = beside.length === 0 ? undefined : reasonIn(beside, options);
  return own === undefined || own === other?.reason ? other : { reason: own };
}

/** Whether a record says itself what the settings of its site say of those that do not. */
function isOverruled({ isDefault, ...member }: Member, own: readonly PublicitySigns[]): boolean {
  if (isDefault !== true) return false;
  const [said] = signsOf([member]);
  return (['draft', 'published'] as const).some(
    (sign) => said?.[sign] !== undefined && own.every((each) => textOf(each[sign]) !== ''),
  );
}

/** The first folder of a path of which Jekyll, Eleventy and Astro make no pages; Jekyll does of its posts and collections. */
export function folderWithoutPages(
  path: string,
  collections: readonly string[],
): string | undefined {
  const folders = path.split('/').slice(0, -1);
  const isWithout = (name: string) =>
    name.startsWith('_') && name !== '_posts' && !collections.includes(name);
  const at = folders.findIndex(isWithout);
  return at === -1 ? undefined : folders.slice(0, at + 1).join('/');
}

export const noPages =
  'A folder whose name begins with "_" has no pages in Jekyll, Eleventy and Astro: what lies in it is left out. Name the folder itself to import or sync it; for Jekyll a collection of _config.yml with "output: true" has pages.';

/** Hugo's description of a folder, in any language: `_index.md`, `_index.fr.md`. */
export function isSectionPage(path: string): boolean {
  return /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path);
}

/** Settings of a site by their names, and what stands in Hugo's folder of them. */
export const settingsName = /^(?:_config\.(?:ya?ml|toml)|(?:hugo|config)\.(?:ya?ml|toml|json))$/i;
export const settingsPart = /^(?:hugo|config|cascade)\.(?:ya?ml|toml|json)$/i;

/**
 * The files in a folder that say something of the posts of a site, of Jekyll or Hugo, wherever these lie below it; what
 * Hugo takes for other than the public site is left out.
 */
export function settingsIn(folder: string, names = namesIn(folder)): readonly string[] {
  const parts = names.includes('config') ? ['config/_default', 'config/production'] : [];
  return [
    ...names.filter((name) => settingsName.test(name) || isSectionPage(name)),
    ...parts.flatMap((part) =>
      namesIn(join(folder, part))
        .filter((name) => settingsPart.test(name))
        .map((name) => `${part}/${name}`),
    ),
  ];
}

/** Whether a file in a folder may say of others that they are not public. */
export function saysOfOthers(path: string): boolean {
  const name = basename(path);
  return (
    /^_index\.|\.(?:json|csv)$/i.test(name) ||
    [settingsName, settingsPart].some((each) => each.test(name))
  );
}

/** Files above or beside a folder that may say what is public in it. */
export function sayingAbove(folder: string): readonly string[] {
  const above = dirname(resolve(folder));
  const data = ['.json', '.11tydata.json'].map((end) => basename(above) + end);
  const names = namesIn(above);
  const found = names.filter((name) => data.includes(name));
  return [
    `${resolve(folder)}.csv`,
    ...[...found, ...settingsIn(above, names)].map((name) => join(above, name)),
    ...(dirname(above) === above ? [] : sayingAbove(above)),
  ];
}

export type Scope = {
  /** Undefined where it cannot be read. */
  readonly said: readonly Member[] | undefined;
  /** Whether it is of the post of this path, seen from the folder of the settings. */
  readonly holds: (path: string) => boolean;
};

/** What the settings of a site say of its posts. */
export type Site = {
  readonly scopes: readonly Scope[];
  /** Folders that Jekyll makes pages of, beside `_posts`. */
  readonly collections: readonly string[];
};

export function sayingOfAll(said: Scope['said']): Site {
  return { scopes: [{ said, holds: () => true }], collections: [] };
}

/** What a site, whose settings lie in a folder, says of a post. */
export function saidOf(file: string, at: string, scopes: readonly Scope[]): readonly Member[] {
  if (scopes.length === 0) return [];
  const path = relative(at, file).split(sep).join('/');
  return scopes.flatMap(({ said = [], holds }) => (holds(path) ? said : []));
}

/** Whether there is anything to be read in settings, which many files are that name no posts. */
export function mayNamePosts(file: string, text: string): boolean {
  return isOfJekyll(file)
    ? /^(?:\[+)?["']?(?:defaults|collections)\b/m.test(text)
    : /cascade/i.test(basename(file) + text);
}

export function siteOf(file: string, settings: object): Site {
  const members = Object.entries(settings);
  const named = (name: string) =>
    members
      .filter(([key]) => key.toLowerCase() === name)
      .flatMap(([, value]: [string, unknown]) => value);
  if (!isOfJekyll(file)) {
    const languages = named('languages')
      .filter(isPlainObject)
      .flatMap(Object.values<unknown>);
    const inner = languages.filter(isPlainObject).flatMap(({ cascade }) => cascade);
    const isCascade = /^cascade\./i.test(basename(file));
    const all = [...(isCascade ? [settings] : []), ...named('cascade'), ...inner];
    return { scopes: all.filter(isPlainObject).map(scopeOfHugo), collections: [] };
  }
  return {
    scopes: named('defaults').filter(isPlainObject).map(scopeOfJekyll),
    collections: named('collections')
      .filter(isPlainObject)
      .flatMap(Object.entries<unknown>)
      .filter(
        ([, each]) => isPlainObject(each) && /^(?:true|yes|on)$/i.test(textOf(each['output'])),
      )
      .map(([name]) => `_${name}`),
  };
}

function isOfJekyll(file: string): boolean {
  return basename(file).startsWith('_');
}

/** `{scope: {path: _posts/old, type: posts}, values: {published: false}}` */
function scopeOfJekyll({ scope, values }: Record<string, unknown>): Scope {
  const { path, type } = isPlainObject(scope) ? scope : {};
  const kind = textOf(type).replace(/s$/, '');
  const holds = (file: string) => {
    const folders = [...file.matchAll(/(?:^|\/)_([^/]+?)s?(?=\/)/g)].map(([, name]) => name);
    // What was moved out of its folder may have been a post.
    const isBoth = folders.length === 0 && /^(?:post|page)$/.test(kind);
    return (kind === '' || isBoth || folders.includes(kind)) && isBelow(file, path);
  };
  return { said: signsAmong(values), holds };
}

/** `{target: {path: /old/**, kind: page}, draft: true}` */
function scopeOfHugo(cascade: Record<string, unknown>): Scope {
  const target = cascade['target'] ?? cascade['_target'];
  const { path, kind } = isPlainObject(target) ? target : {};
  const isOfPages = /^$|page|\*/i.test(textOf(kind));
  return { said: signsAmong(cascade), holds: (file) => isOfPages && isBelow(file, path) };
}

function signsAmong(values: unknown): readonly Member[] {
  if (!isPlainObject(values)) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    isSignName(key) ? [{ key, value, isDefault: true }] : [],
  );
}

/** As far as a pattern is plain; in whatever folder the site keeps its posts. */
function isBelow(file: string, pattern: unknown): boolean {
  const [plain = ''] = textOf(pattern).split(/[*?[{\\]/, 1);
  return `/${folded(file)}`.includes(`/${folded(plain)}`);
}

/** Hugo has its paths in lower case, without blanks. */
function folded(path: string): string {
  return path
    .replace(/^\.?\/+/, '')
    .toLowerCase()
    .replaceAll(' ', '-');
}

/** The signs of Substack's `posts.csv`, by the names of the files in `posts/`. */
export function rowsByPost(text: string): ReadonlyMap<string, readonly Member[]> | undefined {
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
