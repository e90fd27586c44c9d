import { basename, dirname, join, resolve, sep } from 'node:path';

import { namesIn } from './file-kind.ts';
import { isPlainObject, textOf } from './publicity.ts';
import { isSignName, type Member } from './publicity-signs.ts';
import { pathBelow } from './walk.ts';

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
  'A folder whose name begins with "_" has no pages in Jekyll, Eleventy and Astro: what lies in it is left out. Name the folder alone to import or sync it; for Jekyll a collection of _config.yml with "output: true" has pages.';

/** Hugo's description of a folder, in any language: `_index.md`, `_index.fr.md`. */
export function isSectionPage(path: string): boolean {
  return /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path);
}

/** Settings of a site by their names, and what stands in Hugo's folder of them. */
export const settingsName =
  /^(?:_config\.(?:ya?ml|toml)|(?:hugo|config|zola)\.(?:ya?ml|toml|json)|\.eleventyignore)$/i;
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
    /^_index\.|\.(?:json|csv|meta|11tydata\.[cm]?js)$/i.test(name) ||
    [settingsName, settingsPart].some((each) => each.test(name))
  );
}

/** Files above or beside a folder that may say what is public in it. */
export function sayingAbove(folder: string): readonly string[] {
  const above = dirname(resolve(folder));
  const names = namesIn(above);
  const data = /^\.(?:11tydata\.)?(?:json|[cm]?js)$/;
  const found = names.filter((name) => data.test(name.replace(basename(above), '')));
  return [
    `${resolve(folder)}.csv`,
    join(resolve(folder), '.eleventyignore'),
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

/** What a site makes no pages of, by a value of its settings. */
type Excluded = Pick<Scope, 'holds'> & { readonly setting: string; readonly value: string };

/** What the settings of a site say of its posts. */
export type Site = {
  readonly scopes: readonly Scope[];
  readonly excluded: readonly Excluded[];
  /** Folders that Jekyll makes pages of, beside `_posts`. */
  readonly collections: readonly string[];
};

/** By the folder of its settings, and their name. */
export type PlacedSite = Site & { readonly at: string; readonly name: string };

export function sayingOfAll(said: Scope['said']): Site {
  return { scopes: [{ said, holds: () => true }], excluded: [], collections: [] };
}

/** The path of a file from a folder that holds it, with `/` on every system. */
export function pathFrom(folder: string, file: string): string | undefined {
  return pathBelow(folder, file)?.split(sep).join('/');
}

/** Whether there is anything to be read in settings, which many files are that name no posts. */
export function mayNamePosts(file: string, text: string): boolean {
  return isOfJekyll(file)
    ? /^(?:\[+)?["']?(?:defaults|collections|exclude|ignore)\b/m.test(text)
    : /cascade|ignoreFiles|ignored_content|^\.eleventyignore/i.test(basename(file) + text);
}

export function siteOf(file: string, settings: object): Site {
  const members = Object.entries(settings);
  const named = (name: string) =>
    members
      .filter(([key]) => key.toLowerCase() === name)
      .flatMap(([, value]: [string, unknown]) => value);
  const excluded = [
    ...globSettings.flatMap((name) => excludedBy(name, named(name), partsOfGlob)),
    ...excludedBy('folder', isOfJekyll(file) ? noContent.jekyll : noContent.hugo, partsOfGlob),
    ...excludedBy('ignoreFiles', named('ignorefiles'), partsOfExpression),
  ];
  if (!isOfJekyll(file)) {
    const languages = named('languages')
      .filter(isPlainObject)
      .flatMap(Object.values<unknown>);
    const inner = languages.filter(isPlainObject).flatMap(({ cascade }) => cascade);
    const isCascade = /^cascade\./i.test(basename(file));
    const all = [...(isCascade ? [settings] : []), ...named('cascade'), ...inner];
    return { scopes: all.filter(isPlainObject).map(scopeOfHugo), excluded, collections: [] };
  }
  return {
    scopes: named('defaults').filter(isPlainObject).map(scopeOfJekyll),
    excluded,
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

const globSettings = ['exclude', 'ignore', 'ignored_content', '.eleventyignore'];

/** What is left out whatever is said: libraries with posts of their own, what is filled or was built. */
const noContent = {
  jekyll: ['/vendor/bundle/', '/vendor/cache/', '/vendor/gems/', '/vendor/ruby/', '/scaffolds/'],
  hugo: ['/archetypes/', '/themes/', '/public/'],
};

/** Where a site may keep what its patterns begin in, beside its own folder: Hexo and Zola do. */
const roots = /^(?:source|src|content)\//;

/** In doubt a pattern holds: what may stand for anything does, and so does one of a folder for all below it. */
function excludedBy(
  setting: string,
  values: readonly unknown[],
  partsOf: (pattern: string) => readonly (readonly string[])[],
): readonly Excluded[] {
  return values.flatMap((value) => {
    if (typeof value !== 'string') return [];
    const forms = partsOf(value.toLowerCase()).filter((parts) => parts.some((part) => part !== ''));
    const holds = (path: string) => {
      const names = path.toLowerCase().split('/');
      const paths = names.map((_, at) => names.slice(0, at + 1).join('/'));
      const all = value.startsWith('/')
        ? paths
        : paths.flatMap((each) => [each, each.replace(roots, '')]);
      return all.some((each) => forms.some((parts) => standsInOrder(each, parts)));
    };
    return forms.length === 0 ? [] : [{ setting, value, holds }];
  });
}

/** Whether a path begins with the first of several parts and ends with the last; with a single one, what begins so is meant. */
function standsInOrder(path: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part, index) => {
    const isLast = index > 0 && index === parts.length - 1;
    const found = isLast ? path.lastIndexOf(part) : path.indexOf(part, at);
    const isThere = found >= at && (index > 0 || found === 0);
    at = found + part.length;
    return isThere && (!isLast || at === path.length);
  });
}

function partsOfGlob(pattern: string): readonly (readonly string[])[] {
  const plain = pattern.trim().replace(/^(?:\.?\/)+/, '');
  return [plain.split(/\*\*\/|[*?]+|\[[^\]]*\]|\{[^}]*\}/)];
}

/** What is plain in an expression: none is run, for many never come to an end. */
function partsOfExpression(pattern: string): readonly (readonly string[])[] {
  const outside = pattern.replace(/\(.*\)/s, '.').split('|');
  return outside.map((each) => {
    const parts = ['', ''];
    const signs = each.replace(/\$$/, '').matchAll(/(\\.|\[[^\]]*\]|.)([*+?]|\{[^}]*\})?/gs);
    for (const [, sign = '', times] of signs) {
      if (times === undefined && /^[^\\[.^]$|^\\\W$/.test(sign))
        parts.push(parts.pop() + sign.slice(-1));
      else parts.push('');
    }
    return each.endsWith('$') ? parts : [...parts, ''];
  });
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
