import { hash } from 'node:crypto';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { BlogctlError } from '../errors.ts';
import { postPathsBelow } from '../importing/sources/walk.ts';
import { fileKind, withoutGz } from '../importing/sources/file-kind.ts';
import { walkFolder, type WalkedFile } from '../importing/sources/walk.ts';
import { stampOf } from './kept-readings.ts';

export type PostFile = {
  /** As a plan shows it: without the ending of a compressed file. */
  readonly path: string;
  readonly name: string;
  readonly walked: WalkedFile;
  /** '' where it cannot be told by it whether the file was written since. */
  stamp: string;
};

/** A folder that was looked at and not read. */
export type PostFiles = {
  /** As it was named. */
  readonly named: string;
  readonly path: string;
  /** By path, in their order. */
  readonly files: ReadonlyMap<string, PostFile>;
  /** Another one where any file was written, added or removed; absent where it cannot be told. */
  readonly seal: string | undefined;
  /** Whether an identity lies below this folder, and how a plan shows it. */
  readonly shown: (name: string) => string | undefined;
  /** The identity of a file below the folder. */
  readonly nameOf: (path: string) => string;
  /** Whether the file of an identity, or a folder above it, is there. */
  readonly isThere: (name: string) => boolean;
};

/** Finds the files below a folder that may be posts, as they are `now`. */
export function findPosts(named: string, cwd: string, now: number): PostFiles {
  const path = resolve(cwd, named);
  requireFolder(named, path);
  const below = postPathsBelow(path, basename(path) || 'root', undefined);
  const nameOf = (file: string) => below(file).normalize('NFC');
  const files = filesIn(path, nameOf, now);
  return { named, path, files, seal: sealOf(files), nameOf, ...placesFrom(path, nameOf) };
}

/**
 * Files of records are left to imports: a record has no file of its own to be kept in step with. Of
 * several with one identity the first is the post: they are always read.
 */
function filesIn(
  folder: string,
  nameOf: PostFiles['nameOf'],
  now: number,
): ReadonlyMap<string, PostFile> {
  const files = new Map<string, PostFile>();
  const names = new Map<string, PostFile>();
  for (const walked of walkFolder(folder)) {
    const kind = walked.kind === 'file' ? fileKind(walked.path) : 'post';
    if (kind !== 'post' && kind !== 'text') continue;
    const path = withoutGz(walked.path);
    const name = nameOf(path);
    const first = names.get(name);
    if (first !== undefined) first.stamp = '';
    const stats = lstatSync(`${folder}/${walked.path}`, { throwIfNoEntry: false });
    const stamp = (first === undefined && stats && stampOf(stats, now)) || '';
    const file = { path, name, walked, stamp };
    files.set(files.has(path) ? walked.path : path, file);
    names.set(name, file);
  }
  return files;
}

function sealOf(files: ReadonlyMap<string, PostFile>): string | undefined {
  let text = '';
  for (const { path, stamp } of files.values()) {
    if (stamp === '') return undefined;
    text += `${path}\0${stamp}\0`;
  }
  return hash('sha256', text).slice(0, 32);
}

function requireFolder(named: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'No folder' : 'Not a folder:';
  throw new BlogctlError('unusable-input', `${what} "${named}".`, {
    hint: 'Name the folder of the posts, for example posts.',
  });
}

/** Identities as paths: those of the folder begin alike. */
function placesFrom(path: string, nameOf: (below: string) => string) {
  const prefix = nameOf('x').slice(0, -1);
  const folder = realpathSync(path);
  const depth = prefix.split('/').length - 1;
  const root = resolve(folder, ...Array.from({ length: depth }, () => '..'));
  return {
    shown: (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
    isThere: (name: string) => isSpelledSo(join(root, name), realPathOf(join(root, name))),
  };
}

/** As it is written on the disk. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Where capitals make no difference a file that was renamed from a.md to A.md is found by both. */
export function isSpelledSo(path: string, real: string | undefined): boolean {
  const [asked, found] = [path, real ?? ''].map((each) => each.normalize('NFC'));
  return real !== undefined && (asked === found || asked?.toLowerCase() !== found?.toLowerCase());
}
