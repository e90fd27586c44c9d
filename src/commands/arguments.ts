import { existsSync, statSync } from 'node:fs';
import { isAbsolute, normalize, relative, resolve, sep } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { ArticleReference } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import type { Tolerance } from '../importing/import-request.ts';
import type { ReadingOptions } from '../importing/sources/source.ts';
import type { Step } from '../syncing/decide.ts';
import { asAddress, readDuration, readFileAddress, readWholeNumber } from '../settings/values.ts';

/** `500ms`, `30s`, `5m`, `2h`, `30d`, as milliseconds. */
export function duration(text: string): number {
  const ms = readDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Write a duration as 500ms, 30s, 5m, 2h or 30d, 36500d at most.');
}

/** `30d`, as a number. */
export function days(text: string): number {
  const [, figure] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (figure !== undefined) return Number(figure);
  throw new InvalidArgumentError('Write a number of days, such as 30d.');
}

/** A whole number from `least` on. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = readWholeNumber(text) ?? Number.NaN;
    if (value >= least && value <= most) return value;
    const end = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number, ${end}.`);
  };
}

/** An article as a line names it; `store` is the blog in a file that its address names. */
export type ArticleArgument = ArticleReference & { readonly store?: string };

/** An id (`7`, or `#7` as it is shown), the absolute URL of an article (its `self` link), or `file:blog.json#7`. */
export function articleReference(text: string): ArticleArgument {
  const ofFile = /^file:/i.test(text) ? readFileAddress(text) : undefined;
  if (ofFile !== undefined && Number.isSafeInteger(ofFile.id)) return ofFile;
  const [, id] = /^#?([1-9]\d{0,15})$/.exec(text) ?? [];
  if (Number.isSafeInteger(Number(id))) return { id: Number(id) };
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const { origin, hash, href } = new URL(text);
    // What `get --web` opens has its article behind the #.
    return { url: hash.startsWith('#/') ? origin + hash.slice(1) : href };
  }
  throw new InvalidArgumentError(
    'An article is named by its id, its absolute URL or file:blog.json#7. By its words, articles list --search finds it.',
  );
}

/** Several articles; `-` stands for one a line on stdin. */
export function articleReferences(
  text: string,
  previous: readonly (ArticleArgument | '-')[] = [],
): readonly (ArticleArgument | '-')[] {
  return [...previous, text === '-' ? text : articleReference(text)];
}

/** Posts of a folder; the address of a blog among them is one that lacks its flag. */
export function postPaths(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^(?:https?|file):/.test(text)) return [...before, text];
  throw new InvalidArgumentError('A blog is named by --blog.');
}

/** Posts of a folder, each as a plan shows it; '' is the folder itself. */
export function pathsBelow(folder: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const isWhole = isAbsolute(path);
    if (!isWhole && !/^\.(?:[\\/]|$)/.test(path)) return path;
    const below = isWhole ? relative(resolve(folder), path) : normalize(path);
    const isOutside = isAbsolute(below) || below.split(sep)[0] === '..';
    return isOutside
      ? path
      : below
          .split(sep)
          .join('/')
          .replace(/^\.\/?$/, '');
  });
}

/**
 * The steps of these paths and of those below them, as a plan shows them or from the root of their work tree;
 * all without any. Throws `usage` for a path that has none.
 */
export function stepsAt(
  steps: readonly Step[],
  paths: readonly string[],
  what: string,
): readonly Step[] {
  if (paths.length === 0) return steps;
  const isAt = ({ action, post, line }: Step, path: string) =>
    [action.path, post?.name ?? line?.path].some(
      (each) => each === path || each?.startsWith(path.replace(/\/*$/, path && '/')),
    );
  const unknown = paths.find((path) => !steps.some((step) => isAt(step, path)));
  if (unknown === undefined) return steps.filter((step) => paths.some((path) => isAt(step, path)));
  const near = steps.find(({ action }) => action.path?.startsWith(`${unknown}.`))?.action.path;
  throw new BlogctlError('usage', `"${unknown}" is ${what}, as far as is known here.`, {
    hint: near
      ? `It is called ${near} there.`
      : 'Write the path as the plan of the folder shows it on this machine; what is not public, as a draft, is in no plan.',
  });
}

/** The title of a blog, by which people know it. */
export function blogTitle(text: string): string {
  if (/[^\s\p{C}]/u.test(text)) return text;
  throw new InvalidArgumentError('A title needs a visible character.');
}

/** Names separated by commas; a flag given again adds to those before it. */
export function names(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((name) => name.trim())];
}

/** A flag that may be given again. */
export function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** A service that is asked; a word, a folder or a store file is none. */
export function serviceAddress(text: string): string {
  if (!/^[\w./~-]+\.json$|^[\w-]+\/?$/.test(text)) return text;
  throw new InvalidArgumentError(
    'blogctl check asks a service whether it keeps the interface; of a file, blogctl store check says whether it is whole.',
  );
}

/** stdout has the answer alone. */
export function writtenFile(text: string): string {
  if (text !== '-') return text;
  throw new InvalidArgumentError('Name a file: stdout has what the run came to, as --json does.');
}

/** The port of a host has a flag of its own. */
export function hostName(text: string): string {
  if (/[\s\p{Cc}/,*]/u.test(text))
    throw new InvalidArgumentError('Write a name or an address, as 127.0.0.1.');
  if (!/^[^:]+:\d+$/.test(text)) return text;
  throw new InvalidArgumentError('A host has no port: --port names it.');
}

/** Those that a service answers to; the list is one of a flag that may be given again. */
export const hosts = (text: string, before?: readonly string[]): readonly string[] =>
  names(text, before).map(hostName);

/** `https://host:port`, several where the flag is given again. */
export function origins(text: string, before: readonly string[] = []): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Write an origin as https://host or http://host:8080.');
  }
  return [...before, url.origin];
}

/** A file is made where it is missing: a word that was meant for something else must not name one. */
export function storeToServe(folder: string) {
  return (text: string): string => {
    const isPosts = /\.(?:md|markdown|mdx|html?|xml|csv|tsv|ndjson|jsonl|zip|gz|txt)$/i.test(text);
    const isOther = /\.(?:[cm]?[jt]s|ya?ml|toml|sql|sqlite3?)$|^[\w.-]*:\d+$/i.test(text);
    const path = resolve(folder, text);
    const isFolder = !/\.json$/i.test(text) && existsSync(path) && statSync(path).isDirectory();
    const isNamed = /[./\\:](?!$)/.test(text) && !isFolder;
    if (!isPosts && !isOther && (isNamed || text === '')) return text;
    throw new InvalidArgumentError(
      'A store is written as blog.json, ./blog or postgres://role@host:5432/database.',
    );
  };
}

/** One word between curly quotes, which no shell takes away. */
export const curlyQuoted = /^(--?[\w-]+=)?[“‘]([^\s“”‘’]+)[”’]$/;

export function delimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t';
  if (text.length === 1) return text;
  throw new InvalidArgumentError('Write one sign, or tab.');
}

type MemberMap = ReadingOptions['map'];

/** Title and content, and what says whether a record is public (decisions 50). */
const mapped: readonly (keyof MemberMap)[] = [
  ...(['title', 'content', 'draft', 'published', 'status'] as const),
  ...(['date', 'expires', 'password', 'visibility'] as const),
];

export function memberMap(text: string, before: Partial<MemberMap> = {}): Partial<MemberMap> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const wrong = pairs.some(
    ([name, member], at) =>
      !mapped.some((each) => each === name) ||
      member === '' ||
      pairs.findIndex(([other]) => other === name) < at,
  );
  if (wrong) {
    throw new InvalidArgumentError(
      `Write it as title=…,content=…; each of these can be named once: ${mapped.join(', ')}.`,
    );
  }
  return { ...before, ...Object.fromEntries(pairs) };
}

/** `20` records or `5%` of them. */
export function tolerance(text: string): Tolerance {
  const [, figure, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const most = Number(figure);
  if (percent === '%' && most <= 100) return { kind: 'share', most: most / 100 };
  if (percent === '' && Number.isInteger(most)) return { kind: 'count', most };
  throw new InvalidArgumentError('Write a number of records, or a share of them such as 5%.');
}

/** The members of the JSON behind a flag, where it holds nothing but texts. */
export function textsIn(typed: string): readonly (readonly [string, string])[] | undefined {
  const json = typed.replace(/^-[^=]*=/, '');
  const found = [...json.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  const rest = found.reduce((left, [all]) => left.replace(all, ''), json);
  if (found.length === 0 || !/^[\s{},]*$/.test(rest)) return undefined;
  return found.map(([, name = '', text = '']) => [name, String(JSON.parse(text))]);
}

/** A name with a dot, or a port. */
export const isHost =
  /^(?!.*\.(?:json|txt)$)(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|[\w.-]+(?=:))(?::\d+)?\/?$/i;

/** An address as curl and httpie take it: `localhost:8080/api/v1.2/blogs/1`, `:8080/…`. */
export function withScheme(word: string): string {
  const isAddress =
    /^(?:localhost(?::\d+)?|(?:[\w.-]+\.[\w-]+)?:\d+|[\w-]+(?:\.[\w-]+)+(?=\/api\/v))\/\S*\bblogs\/\d/;
  return isAddress.test(word) ? asAddress(word.replace(/^:/, 'localhost:')).slice(0, -1) : word;
}

/** As psql names a service, wherever in the line: `--host h --port 80`. */
export function withPort(words: readonly string[]): readonly string[] {
  const host = words.findIndex((word) => /^--host(?:name)?$/.test(word)) + 1;
  const port =
    words.findIndex((word, at) => /^(?:-p|--port) \d+$/i.test(`${word} ${words[at + 1]}`)) + 1;
  const isOfService = /\b(?:serve\w*|start|up|dev|run|listen|mock|expose)\b|\.json/;
  const isNamed = host > 0 && /^[^-]/.test(words[host] ?? '');
  if (!isNamed || isOfService.test(words.join(' '))) return words;
  const gone = [host - 1, host, ...(port === 0 ? [] : [port - 1, port])];
  const others = words.filter((_word, at) => !gone.includes(at));
  return [...others, `--host=${words[host]}${port === 0 ? '' : `:${words[port]}`}`];
}
