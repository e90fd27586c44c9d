import { basename, dirname, join, resolve, sep } from 'node:path';

import { namesIn } from './file-kind.ts';
import { scopeOfHugo, scopeOfJekyll, type Scope } from './formats/export-item.ts';
import { isPlainObject } from './publicity.ts';
import { textOf } from './words.ts';
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

/** What a site makes no pages of, by a value of its settings. */
export type Excluded = Pick<Scope, 'holds'> & { readonly setting: string; readonly value: string };

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

export function siteOf(file: string, settings: object, text = ''): Site {
  const glob = isOfJekyll(file) ? globOfJekyll : globIn;
  const members = Object.entries(settings);
  const named = (name: string) =>
    members
      .filter(([key]) => key.toLowerCase() === name)
      .flatMap(([, value]: [string, unknown]) => value);
  const excluded = [
    ...globSettings.flatMap((name) => excludedBy(name, named(name), glob)),
    ...excludedBy('folder', withoutContent(file, text), glob),
    ...excludedBy('ignoreFiles', named('ignorefiles'), patternsOfExpression),
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

const globSettings = ['exclude', 'ignore', 'ignored_content', '.eleventyignore'];

/** What is left out whatever is said: libraries with posts of their own, what is filled in or was built. */
function withoutContent(file: string, text: string): readonly string[] {
  if (isOfJekyll(file))
    return ['/vendor/bundle/', '/vendor/cache/', '/vendor/gems/', '/vendor/ruby/', '/scaffolds/'];
  // Many programs have settings of this name; those of Hugo and Zola know where the site is.
  const isOfHugo = /^(?:hugo|zola)\./i.test(basename(file)) || /^\W*base_?url\b/im.test(text);
  return isOfHugo ? ['/archetypes/', '/themes/', '/public/'] : [];
}

/** Where a site may keep what its patterns begin in, beside its own folder: Hexo and Zola do. */
const roots = /^(?:source|src|content)\//;

/** In doubt a pattern holds, and of a folder for all below it. */
function excludedBy(
  setting: string,
  values: readonly unknown[],
  patternsIn: (value: string) => readonly RegExp[],
): readonly Excluded[] {
  return values.flatMap((value) => {
    if (typeof value !== 'string') return [];
    const patterns = patternsIn(value.toLowerCase());
    const matches = (path: string) => patterns.some((pattern) => pattern.test(path));
    const folders = new Map([['', false]]);
    const holds = (path: string): boolean => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      const isBelow = folders.get(folder) ?? holds(folder);
      folders.set(folder, isBelow);
      const name = path.toLowerCase();
      return (
        isBelow || matches(name) || (!value.startsWith('/') && matches(name.replace(roots, '')))
      );
    };
    return patterns.length === 0 ? [] : [{ setting, value, holds }];
  });
}

function globIn(value: string): readonly RegExp[] {
  return patternsOfGlob(value.trim().replaceAll(/^(?:\.?\/)+|\/+$/g, ''));
}

/** For Jekyll what begins so is meant too. */
function globOfJekyll(value: string): readonly RegExp[] {
  const plain = value.trim().replace(/^(?:\.?\/)+/, '');
  return /[*?[]/.test(plain) ? globIn(plain) : patternsOfGlob(`${plain}*`);
}

/**
 * A pattern is marked first: \uE000 stands for any one sign, \uE001 for any number of them; \uE002, \uE003 and \uE004 begin,
 * part and end alternatives, \uE005 says that they are repeated; \uE006 and \uE007 are both ends of a path.
 */
const signMarks = new Map(
  Object.entries({ '(': '\uE002', '|': '\uE003', ')': '\uE004', '^': '\uE006', $: '\uE007' }),
);

/** What a pattern of a site's settings may match, each of which ends soon with any path; in doubt more. */
function patternsOfGlob(glob: string): readonly RegExp[] {
  const marked = glob
    .replaceAll('**/', '{,*/}')
    .replaceAll('*', '\uE001')
    .replaceAll(/\?|\[[^\]]*\]/g, '\uE000')
    .replaceAll(/[{,}]/g, (sign) => ({ '{': '\uE002', ',': '\uE003' })[sign] ?? '\uE004');
  return patternsOf(marked);
}

/** The same of a regular expression, which is not run: many never come to an end. */
function patternsOfExpression(written: string): readonly RegExp[] {
  const plain = written
    .replaceAll(/\(\?(?:p?<\w+>|[a-z-]*:)/gi, '(')
    .replaceAll(/\(\?[a-z-]+\)/gi, '');
  const signs = /(\\.|\[[^\]]*\]|.)((?:[*+?]|\{[\d,]+\})\??)?/gs;
  const marked = plain.replaceAll(signs, (_, sign: string, times?: string) => {
    const mark = signMarks.get(sign);
    if (mark !== undefined) return times === undefined ? mark : `${mark}\uE005`;
    if (times !== undefined || /^\\[^\Wdsw]$/i.test(sign)) return '\uE001';
    return /^(?:\\\w|\[.*|\.)$/s.test(sign) ? '\uE000' : sign.slice(-1);
  });
  return patternsOf(`\uE001\uE002${marked}\uE004\uE001`);
}

/** Of more alternatives than a person writes any text is one. Where nothing of a name is said nothing is meant. */
function patternsOf(marked: string, most = 64): readonly RegExp[] {
  let forms = [marked];
  for (let nth = 0; nth < most; nth += 1) {
    const count = forms.length;
    forms = forms.flatMap((form) => {
      const [group = '', inner = '', again] =
        /\uE002([^\uE002\uE004]*)\uE004(\uE005)?/.exec(form) ?? [];
      const each = inner.split('\uE003');
      if (again !== undefined || each.length * count > most) return [form.replace(group, '\uE001')];
      return each.map((text) => form.replace(group, () => text));
    });
  }
  return forms
    .map((form) => form.replaceAll(/\uE002.*\uE004/gs, '\uE001').replaceAll('\uE003', ','))
    .map((form) => form.replaceAll(/^.*\uE006|\uE007.*$/gs, '').replaceAll(/\uE001+/g, '\uE001'))
    .filter((form) => /[^\uE000-\uE005/]/.test(form))
    .map(patternOfForm);
}

/** What may be anything is as short as it can be, once for all. */
function patternOfForm(form: string): RegExp {
  const plain = form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\uE000', '.');
  const [first = '', ...parts] = plain.split('\uE001');
  const last = parts.length === 0 ? '' : `.*${parts.pop()}`;
  const middle = parts.map((part, at) => `(?=(.*?${part}))\\${at + 1}`);
  return new RegExp(`^${first}${middle.join('')}${last}$`, 's');
}
