import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BlogctlError } from '../errors.ts';

/** Which blog a command is about: one of a service, or one in a store file. */
export type Target =
  | { readonly kind: 'service'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

/** How a platform writes paths. */
export type Paths = {
  resolve(folder: string, path: string): string;
  fileURLToPath(url: string): string;
  homedir(): string;
};

/**
 * Reads `https://host/api/v1.2/blogs/1`, `file:posts.json` (relative to the folder) or
 * `file:~/posts.json` (in the home folder: no shell looks behind `file:`).
 */
export function readTarget(
  text: string,
  folder: string,
  paths: Paths = { resolve, fileURLToPath, homedir },
): Target {
  if (/^file:/i.test(text)) return { kind: 'file', path: filePath(text, folder, paths) };
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username !== '' || password !== '') throw namesSomebody();
    return { kind: 'service', url: new URL(text).href };
  }
  throw new BlogctlError('usage', `"${text}" is not the address of a blog.`, {
    hint: 'a blog is https://host/api/v1.2/blogs/1 or file:posts.json',
  });
}

function filePath(text: string, folder: string, paths: Paths): string {
  const path = pathIn(text, paths);
  const beneathHome = /^~[\\/](.*)$/s.exec(path)?.[1];
  if (beneathHome !== undefined) return paths.resolve(paths.homedir(), beneathHome);
  if (path !== '') return paths.resolve(folder, path);
  throw new BlogctlError('usage', 'No file is named after "file:".', {
    hint: 'name one: --blog file:posts.json',
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
  return new BlogctlError('usage', `"${text}" names no file of this machine.`, {
    hint: 'write file:posts.json or file:///home/me/posts.json',
    cause,
  });
}

function namesSomebody(): BlogctlError {
  return new BlogctlError('usage', 'The address of a blog names no user and no password.', {
    hint: 'leave them out; tokens come from blogctl auth login or BLOGCTL_TOKEN',
  });
}
