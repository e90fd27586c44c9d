import { existsSync, fstatSync, realpathSync, type BigIntStats, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';

import { BlogctlError, messageOf, type Hint } from '../../errors.ts';
import { hasCode, openInput, type Reading } from '../../files.ts';
import { createSignsBeside } from './formats/beside.ts';
import { openDataFile } from './data-file.ts';
import {
  namedFile,
  sharedFolder,
  walkFolder,
  type WalkedFile,
  postPathsBelow,
  pathBelow,
} from './walk.ts';
import { identify } from './identity.ts';
import { nearPath, sourcesOf } from './file-set.ts';
import { inShell } from '../../terminal/text.ts';
import { isPostFile, isArchive, parseGlob, type FileSet, type Glob } from './file-kind.ts';
import type { Batch, ReadingOptions, Source } from './source.ts';
import { archivePaths, spool, temporaryFolder, type SpooledFile, unzip } from './spool.ts';

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
  stdin: Readable,
  reading: Reading = {},
): Promise<OpenedSources> {
  const spooled: SpooledFile[] = [];
  const paths = new Map<string, FileSet['pathOf']>();
  const withBeside = createSignsBeside(options);
  const shared = sharedFolder(named.filter((each) => each !== '-').map(beginningOf));
  const close = async () => {
    for (const file of spooled) await file.remove();
  };
  try {
    const opened: (Source | FileSet)[] = [];
    for (const argument of named) opened.push(await open(argument));
    return { sources: sourcesOf(opened, options), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function open(argument: string): Promise<Source | FileSet> {
    if (argument === '-') return openStream(stdin);
    const found = await statOf(argument);
    if (found === undefined) return openPattern(argument);
    // A link to a folder that is named alone was meant; among others a shell's list may have named it.
    const isMeant = found.isDirectory() && named.length === 1;
    const { path, isElsewhere } = isMeant
      ? { path: argument, isElsewhere: false }
      : namedFile(argument, options.root, shared);
    if (isElsewhere) return linkOut(argument, path);
    if (found.isDirectory())
      return { ...filesIn(path, () => walkFolder(path)), isListed: named.length > 1 };
    if (found.isFile()) return openFile(path);
    if (isDevice(found)) throw device(argument);
    // A pipe can be read once only.
    return openStream(await openInput(path, reading));
  }

  async function openStream(stream: Readable): Promise<Source | FileSet> {
    const file = await spool(stream, reading.signal);
    spooled.push(file);
    const stdinFile = { path: file.path, name: 'stdin' };
    if (await isArchive(file.path)) return openArchive(stdinFile);
    return openDataFile(stdinFile, options);
  }

  async function openFile(path: string): Promise<Source | FileSet> {
    const [folder, name] = [dirname(path), basename(path)];
    if (isPostFile(path)) return oneIn(folder, () => [{ path: name, kind: 'file' }]);
    if (await isArchive(path)) return openArchive({ path, name });
    const set = oneIn(folder, () => []);
    const { options: read, notices } = withBeside({ set, file: { path: name, kind: 'file' } });
    const source = await openDataFile({ path, name }, read);
    async function* batches(): AsyncGenerator<Batch, void, void> {
      yield notices;
      yield* source.batches();
    }
    return { ...source, folder, batches };
  }

  /**
   * The folder that an archive holds; its posts are called by the archive's name and their path. The name of a
   * folder at its top changes as that of the archive does, and counts once where it is the same, whatever lies beside it.
   */
  async function openArchive(file: { path: string; name: string }): Promise<FileSet> {
    const unpacked = await temporaryFolder();
    spooled.push(unpacked);
    await unzip(file, unpacked.path);
    const name = identify('record', {}, { file: file.name }).namespace || 'zip';
    const isBelowRoot = options.root !== undefined && file.name !== 'stdin';
    const pathOfName = isBelowRoot ? pathsIn(dirname(file.path)) : (path: string) => path;
    const namedIn = archivePaths(unpacked.path, name);
    const pathOf = (path: string) => pathOfName(namedIn(path));
    const archive = file.name === 'stdin' ? name : file.path;
    return { folder: unpacked.path, name, find: () => walkFolder(unpacked.path), pathOf, archive };
  }

  async function openPattern(argument: string): Promise<FileSet> {
    const glob = parseGlob(argument);
    if (glob === undefined || !(await statOf(glob.folder))?.isDirectory()) throw missing(argument);
    return { ...filesIn(glob.folder, () => matching(glob)), isPattern: true };
  }

  function filesIn(folder: string, find: FileSet['find']): FileSet {
    return { folder, name: nameOf(folder), find, pathOf: pathsIn(folder), shared };
  }

  function oneIn(folder: string, find: FileSet['find']): FileSet {
    return { ...filesIn(folder, find), isListed: true };
  }

  function pathsIn(folder: string): FileSet['pathOf'] {
    const pathOf = paths.get(folder) ?? postPathsBelow(folder, nameOf(folder), options.root);
    paths.set(folder, pathOf);
    return pathOf;
  }
}

/** What a pattern names lies in the folders before it. */
function beginningOf(argument: string): string {
  const glob = parseGlob(argument);
  return glob === undefined ? argument : `${glob.folder}/*`;
}

/** Refuses to write over a source, or over what lies in one and no import has written there. */
export function refuseSource(
  { file, folder }: { readonly file: string; readonly folder: string },
  named: readonly string[],
  isWrittenByUs: (path: string) => boolean,
): void {
  if (!existsSync(resolve(folder, file))) return;
  const path = realpathSync(resolve(folder, file));
  for (const source of named) {
    const found = pathIn(resolve(folder, source), path);
    if (found === undefined || (found !== '' && isWrittenByUs(path))) continue;
    throw new BlogctlError('usage', `"${file}" would overwrite the source "${source}".`, {
      hint: 'Name another file.',
    });
  }
}

/** The path of a file in a source, '' of the source itself; undefined where it is elsewhere, or no pattern matches it. */
function pathIn(source: string, file: string): string | undefined {
  const glob = existsSync(source) ? undefined : parseGlob(source);
  const base = glob?.folder ?? source;
  const path = existsSync(base) ? pathBelow(realpathSync(base), file) : undefined;
  return path !== undefined && glob?.matches(path.split(sep).join('/')) !== false
    ? path
    : undefined;
}

/** A link that is told of and not followed. */
function linkOut(link: string, target: string): FileSet {
  const [folder, path] = [dirname(link), basename(link)];
  const file: WalkedFile = { path, kind: 'link-out-of-source', target };
  return { folder, name: nameOf(folder), find: () => [file], pathOf: String };
}

/** What matches, and every link: what lies beneath one might match. */
function* matching({ folder, matches }: Glob): Generator<WalkedFile, void, void> {
  for (const file of walkFolder(folder)) {
    const isLink = file.kind !== 'file' && file.kind !== 'special';
    if (isLink || matches(file.path)) yield file;
  }
}

/** The folder's own name, also for `.` and `posts/`. */
function nameOf(folder: string): string {
  return basename(resolve(folder)) || 'root';
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, error);
  }
}

/** One that is our stdin, as `/dev/stdin` may be, was meant; of others many never end. */
function isDevice(found: Stats | BigIntStats): boolean {
  return found.isBlockDevice() || (found.isCharacterDevice() && found.rdev !== fstatSync(0).rdev);
}

function device(argument: string): BlogctlError {
  return new BlogctlError('unusable-input', `"${argument}" is a device, not a file.`, {
    hint: 'Name a file, or send what it gives to stdin and name - for that.',
  });
}

function missing(argument: string): BlogctlError {
  const isAddress = /^(?:file|https?):/i.test(argument);
  const isSwitch = /^(?:true|false|yes|no|on|off|[01])$/i.test(argument);
  const near = isAddress ? undefined : nearPath(argument);
  const isBlog = /^file:|\/blogs\/\d+$/i.test(argument);
  // Others may hold a secret, or need quotes.
  const address = /^[\w./:%~-]+$/.test(argument) ? argument : '<address>';
  const line = isBlog ? `blogctl articles export - --blog ${address}` : `curl -sSf ${address}`;
  return new BlogctlError('unusable-input', `No file or folder "${argument}".`, {
    hint: isAddress
      ? `Send it to stdin, and name - instead of it: behind \`${line} |\`.`
      : isSwitch
        ? asSwitch(argument)
        : near !== undefined
          ? `\`blogctl articles import ${inShell(near)} --dry-run\` says what would become of ${near}, which is there.`
          : 'Name a folder of Markdown, a file, a quoted pattern such as "posts/**/*.md", or - for stdin; a name with blanks stands in quotes.',
  });
}

/** What stands behind a flag that takes no value: to leave out a no alone would do what it forbids. */
function asSwitch(word: string): Hint {
  return /^(?:true|yes|on|1)$/i.test(word)
    ? `A flag such as --dry-run stands alone: leave out "${word}".`
    : `A flag such as --drafts says yes by itself: leave it out, with its "${word}".`;
}

function unreadable(path: string, error: unknown): BlogctlError {
  const message = `"${path}" cannot be read: ${messageOf(error)}`;
  return new BlogctlError('unusable-input', message, { cause: error });
}
