import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BlogctlError } from '../errors.ts';
import { withoutSecrets } from '../terminal/text.ts';
import { firstBlog, readFileAddress } from './values.ts';

/** Which blog a command is about: one of a service, or one in a store file. */
export type Target = { readonly kind: 'service'; readonly url: string } | FileTarget;

export type FileTarget = {
  readonly kind: 'file';
  readonly path: string;
  /** Absent for the first of the file. */
  readonly blogId?: number;
};

/** How a platform writes paths. */
export type Paths = {
  resolve(folder: string, path: string): string;
  fileURLToPath(url: string): string;
  homedir(): string;
};

/**
 * Reads `https://host/api/v1.2/blogs/1`, `file:posts.json` (relative to the folder),
 * `file:~/posts.json` (in the home folder: no shell looks behind `file:`) or `file:posts.json#blog=2`
 * (another than the first of the file).
 */
export function readTarget(
  text: string,
  folder: string,
  paths: Paths = { resolve, fileURLToPath, homedir },
): Target {
  if (/^(?:file:(?=.*:\/\/))?postgres(?:ql)?:/i.test(text)) {
    throw new BlogctlError('usage', 'A database is no blog: a service shows what it holds.', {
      hint: 'Start one with blogctl serve --store <database>, and name the address that it prints.',
    });
  }
  if (/^file:/i.test(text)) return fileTarget(text, folder, paths);
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username !== '' || password !== '') throw namesSomebody();
    if (withoutSecrets(text) !== text) throw holdsToken();
    return { kind: 'service', url: new URL(text).href };
  }
  // The text would be shown, and with it a password.
  if (text.includes('@')) throw namesSomebody();
  throw new BlogctlError('usage', `"${text}" is not the address of a blog.`, {
    hint: /\.json$|^[.~/].*\w/i.test(text)
      ? `A blog in a file is written file:${text}.`
      : /^(?:localhost(?=[:/]|$)|127\.[\d.]+|[\w.-]+(?=:\d))/i.test(text)
        ? `Write it as ${firstBlog(text).replace(/\/$/, '')}.`
        : 'Write a blog as https://host/api/v1.2/blogs/1 or file:posts.json; a profile is named by --profile.',
  });
}

/** The blog in words that `readTarget` reads, from whatever folder. */
export function targetName(target: Target): string {
  if (target.kind === 'service') return target.url;
  return `file:${target.path}${target.blogId === undefined ? '' : `#blog=${target.blogId}`}`;
}

/**
 * The address of an article in a file (`readFileAddress`), to be read in this folder: the path is relative unless it leads out; with
 * `mayLeadOut` always.
 */
export function fileAddress(
  { path, blogId }: FileTarget,
  { folder, mayLeadOut = false }: { readonly folder: string; readonly mayLeadOut?: boolean },
  id?: number,
): string {
  const from = relative(folder, path);
  const leadsOut = from.startsWith('..') || isAbsolute(from);
  const shown = leadsOut && !mayLeadOut ? path : from.split(sep).join('/');
  const parts = [blogId === undefined ? '' : `blog=${blogId}`, id === undefined ? '' : `${id}`];
  const fragment = parts.filter((part) => part !== '').join('/');
  return `file:${shown}${fragment === '' ? '' : `#${fragment}`}`;
}

/** Of a file that nobody serves: no port, and nobody but this process answers there (server, `ownAddress`). */
const ownOrigin = /http:\/\/\w+\.blogctl\.localhost(?=\/)/g;

export function isOfProcess(address: string): boolean {
  return address.search(ownOrigin) === 0;
}

/** Addresses that nobody else can open as the paths that `api` and `links` take. */
export function asPaths(text: string): string {
  return text.replaceAll(ownOrigin, '');
}

function fileTarget(text: string, folder: string, paths: Paths): Target {
  const address = readFileAddress(text);
  if (address !== undefined) {
    throw new BlogctlError('usage', `"${text}" names an article, not a blog.`, {
      hint: `Name its blog instead: ${address.store} is its address, and ${address.store}#blog=2 that of a second one in it.`,
    });
  }
  const [, file = text, blog] = /^([^]+)#blog=([1-9]\d*)$/.exec(text) ?? [];
  const path = storePath(filePath(file, folder, paths));
  return { kind: 'file', path, ...(blog !== undefined && { blogId: Number(blog) }) };
}

/** What stands behind the name of a store that is there is no part of another file's name, but mistyped. */
export function storePath(path: string): string {
  const [store = path] = /^[^#?]+/.exec(path) ?? [];
  if (store === path || isFile(path) || !isFile(store)) return path;
  throw new BlogctlError('usage', `"${path.slice(store.length)}" is nothing in ${store}.`, {
    hint: 'A store is named by its path alone, a blog of it by --blog file:<path>#blog=2 and an article by file:<path>#7, both by their number.',
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function filePath(text: string, folder: string, paths: Paths): string {
  const path = pathIn(text, paths);
  const beneathHome = /^~[\\/](.*)$/s.exec(path)?.[1];
  if (beneathHome !== undefined) return paths.resolve(paths.homedir(), beneathHome);
  if (path !== '') return paths.resolve(folder, path);
  throw new BlogctlError('usage', 'No file is named after "file:".', {
    hint: 'Name one with --blog file:posts.json, for example.',
  });
}

function pathIn(text: string, paths: Paths): string {
  if (!/^file:\/\//i.test(text)) return text.slice('file:'.length);
  try {
    const path = paths.fileURLToPath(text);
    if (!path.includes('\0')) return path;
  } catch (cause) {
    throw namesNoFile(text, cause);
  }
  throw namesNoFile(text);
}

function namesNoFile(text: string, cause?: unknown): BlogctlError {
  const [, path = 'posts.json'] = /^file:\/\/([\w.][\w./#=-]*)$/i.exec(text) ?? [];
  return new BlogctlError('usage', `"${text}" names no file of this machine.`, {
    hint: `Write it as file:${path} or file:///home/me/posts.json, for example.`,
    cause,
  });
}

function namesSomebody(): BlogctlError {
  return new BlogctlError('usage', 'The address of a blog names no user and no password.', {
    hint: 'Leave them out; tokens come from blogctl auth login or BLOGCTL_TOKEN.',
  });
}

function holdsToken(): BlogctlError {
  return new BlogctlError('usage', 'The address of a blog holds no token.', {
    hint: 'Leave it out; tokens come from blogctl auth login or BLOGCTL_TOKEN.',
  });
}

export type Environment = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home?: string;
};

/** Where the configuration file lives: BLOGCTL_CONFIG_DIR, else each platform's own place. */
export function configFolder(environment: Environment): string {
  const { env, platform, home = homedir() } = environment;
  if (env['BLOGCTL_CONFIG_DIR']) return env['BLOGCTL_CONFIG_DIR'];
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'blogctl');
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'blogctl', 'Config');
  }
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'blogctl');
}

/** The store file of the local blog. */
export function localBlogFile(environment: Environment): string {
  return join(dataFolder(environment), 'blog.json');
}

/** The folder of the local blog and of unsaved texts: BLOGCTL_DATA_DIR, else each platform's own place. */
export function dataFolder(environment: Environment): string {
  const { env, platform, home = homedir() } = environment;
  if (env['BLOGCTL_DATA_DIR']) return env['BLOGCTL_DATA_DIR'];
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'blogctl');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'blogctl', 'Data');
  }
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'blogctl');
}

/** Where runs leave what it takes to undo them; undefined where nothing is to be kept. */
export function runsFolder(environment: Environment): string | undefined {
  return environment.env['BLOGCTL_NO_RUNS'] === '1' ? undefined : dataFolder(environment);
}
