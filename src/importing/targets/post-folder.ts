import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { temporaryPath } from '../../files.ts';
import { portableMarkdown } from './portable.ts';
import type { Target } from './target.ts';

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const longestSlug = /^.{0,60}/u;

/**
 * A folder of Markdown files, one an article, numbered in the order of the blog. It is filled under
 * another name and renamed when it is whole; a folder that holds something is left alone.
 */
export async function openPostFolder(path: string, articles: number): Promise<Target> {
  await refuseFilled(path);
  const draft = temporaryPath(path.replace(/[\\/]+$/, ''));
  await mkdir(dirname(draft), { recursive: true });
  await mkdir(draft);
  const digits = Math.max(4, String(articles).length);
  let number = 0;
  return {
    async write(article) {
      number += 1;
      const name = `${String(number).padStart(digits, '0')}-${slugOf(article.title)}.md`;
      await writeFile(join(draft, name), portableMarkdown(article), { flag: 'wx' });
    },
    async finish() {
      await rmdir(path).catch(ignoreMissing);
      await rename(draft, path);
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  };
}

/** The words of a title, in letters and digits of any language. */
export function slugOf(title: string): string {
  const words = title.normalize('NFC').toLowerCase().match(word) ?? [];
  const cut = longestSlug.exec(words.join('-'))?.[0] ?? '';
  return cut.replace(/-$/, '') || 'article';
}

async function refuseFilled(path: string): Promise<void> {
  const names = await readdir(path).catch(ignoreMissing);
  if (names === undefined || names.length === 0) return;
  throw new BlogctlError('usage', `The folder "${path}" is not empty.`, {
    hint: 'Name a new folder: an export never mixes with other files.',
  });
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
