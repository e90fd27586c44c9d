import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BlogctlError } from '../errors.ts';

/** Which blog a command is about: one of a service, or one in a store file. */
export type Target =
  | { readonly kind: 'service'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

/** Reads `https://host/api/v1.2/blogs/1` or `file:posts.json` (relative to the folder). */
export function readTarget(text: string, folder: string): Target {
  if (/^file:/i.test(text)) return { kind: 'file', path: filePath(text, folder) };
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username !== '' || password !== '') throw namesSomebody();
    return { kind: 'service', url: new URL(text).href };
  }
  throw new BlogctlError('usage', `"${text}" is not the address of a blog.`, {
    hint: 'a blog is https://host/api/v1.2/blogs/1 or file:posts.json',
  });
}

function filePath(text: string, folder: string): string {
  const path = /^file:\/\//i.test(text) ? fileURLToPath(text) : text.slice('file:'.length);
  if (path !== '') return resolve(folder, path);
  throw new BlogctlError('usage', 'No file is named after "file:".', {
    hint: 'name one: --blog file:posts.json',
  });
}

function namesSomebody(): BlogctlError {
  return new BlogctlError('usage', 'The address of a blog names no user and no password.', {
    hint: 'leave them out; tokens come from blogctl auth login or BLOGCTL_TOKEN',
  });
}
