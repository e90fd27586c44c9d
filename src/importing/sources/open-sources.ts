import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { openDataFile } from './data-file.ts';
import { parseGlob, type Glob } from './files/glob.ts';
import { isPostFile, postFile, postFolder } from './posts/markdown.ts';
import type { ReadingOptions, Source } from './source.ts';
import { spool, type SpooledFile } from './files/spool.ts';
import { walkFolder } from './files/walk.ts';

export type OpenedSources = {
  readonly sources: readonly Source[];
  /** Removes what was kept for the second reading. */
  close(): Promise<void>;
};

/**
 * The sources that the arguments of an import name: folders, files, patterns, `-` for stdin. Their
 * format is recognised, never guessed: doubt is an `unusable-input` that prints the choices.
 */
export async function openSources(
  named: readonly string[],
  options: ReadingOptions,
  stdin: NodeJS.ReadableStream,
): Promise<OpenedSources> {
  const spooled: SpooledFile[] = [];
  const close = async () => {
    for (const file of spooled) await file.remove();
  };
  try {
    const sources: Source[] = [];
    for (const argument of named) sources.push(...(await open(argument)));
    return { sources, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function open(argument: string): Promise<readonly Source[]> {
    if (argument === '-') return [await openStream(stdin)];
    const found = await statOf(argument);
    if (found === undefined) return openPattern(argument, options);
    if (found.isDirectory())
      return [postFolder({ path: argument, name: nameOf(argument) }, options)];
    if (found.isFile()) return [await openFile(argument, options)];
    // A pipe or device can be read once only.
    const { createReadStream } = await import('node:fs');
    return [await openStream(createReadStream(argument))];
  }

  async function openStream(stream: NodeJS.ReadableStream): Promise<Source> {
    const file = await spool(stream);
    spooled.push(file);
    return openDataFile({ path: file.path, name: 'stdin' }, options);
  }
}

async function openFile(path: string, options: ReadingOptions): Promise<Source> {
  const name = basename(path);
  if (!isPostFile(path)) {
    return { ...(await openDataFile({ path, name }, options)), folder: dirname(path) };
  }
  const folder = dirname(path);
  return postFile({ folder, name, folderName: nameOf(folder) }, options);
}

async function openPattern(argument: string, options: ReadingOptions): Promise<readonly Source[]> {
  const glob = parseGlob(argument);
  if (glob === undefined || !(await statOf(glob.folder))?.isDirectory()) throw missing(argument);
  const { matches } = glob;
  const sources: Source[] = [];
  for (const path of await otherFiles(glob)) sources.push(await openFile(path, options));
  const posts = postFolder({ path: glob.folder, name: nameOf(glob.folder), matches }, options);
  return [...sources, posts];
}

/** What the pattern finds beside posts: each is a source of its own. */
async function otherFiles({ folder, matches }: Glob): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { path, kind } of walkFolder(folder)) {
    if (kind === 'file' && matches(path) && !isPostFile(path)) found.push(join(folder, path));
  }
  return found;
}

/** The folder's own name, also for `.` and `posts/`. */
function nameOf(folder: string): string {
  return basename(resolve(folder)) || 'root';
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function missing(argument: string): BlogctlError {
  return new BlogctlError('unusable-input', `No file or folder "${argument}".`, {
    hint: 'Name a folder of Markdown, a file, a quoted pattern such as "posts/**/*.md", or - for stdin.',
  });
}

function unreadable(path: string, error: unknown): BlogctlError {
  const reason = error instanceof Error ? error.message : String(error);
  return new BlogctlError('unusable-input', `"${path}" cannot be read: ${reason}`, {
    cause: error,
  });
}
