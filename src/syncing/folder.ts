import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { BlogctlError } from '../errors.ts';
import { stampAt, stampOf } from '../files.ts';
import { fileKind, withoutGz } from '../importing/sources/file-kind.ts';
import { nearPath } from '../importing/sources/file-set.ts';
import { sayingAbove, saysOfOthers } from '../importing/sources/signs-beside.ts';
import { postIdentity, recordKey } from '../importing/sources/identity.ts';
import type { Notice, ReadingOptions } from '../importing/sources/source.ts';
import { postPathsBelow, walkFolder, type WalkedFile } from '../importing/sources/walk.ts';
import { inShell } from '../terminal/text.ts';
import { digestOf, exactDigestOf, shortDigest, type Text, type TextDigest } from './same-text.ts';

/** A file that may be a post. */
type PostFile = {
  /** As a plan shows it: below the folder that was named, without the ending of a compressed file. */
  readonly path: string;
  /** Its identity (decisions 44): from the root of its work tree. */
  readonly name: string;
  readonly walked: WalkedFile;
  /** '' where it cannot be told by it whether the file was written since. */
  stamp: string;
};

/** A folder that was looked at and not read. */
export type FoundFolder = {
  /** As it was named. */
  readonly named: string;
  readonly path: string;
  /** By path, in their order. */
  readonly files: ReadonlyMap<string, PostFile>;
  /** Another one where what says of posts beside it that they are not public was written, added or removed. */
  readonly beside: string;
  /** Another one where any file was written, added or removed; absent where it cannot be told. */
  readonly digest: string | undefined;
  /** Whether an identity lies below this folder, and how a plan shows it. */
  readonly shown: (name: string) => string | undefined;
  /** The identity of a file below the folder. */
  readonly nameOf: (path: string) => string;
  readonly fileOf: (name: string) => string;
  /** Whether the file of an identity, or a folder above it, is there. */
  readonly isThere: (name: string) => boolean;
};

/** A post as it was read, and by what its file tells that it was not written since. */
export type KeptPost = TextDigest & {
  readonly stamp: string;
  /** The text as it is, where that counts (`--exact`). */
  readonly exact?: string | undefined;
  /** The address of the article that it says it is (decisions 55). */
  readonly article?: string | undefined;
};

export type Post = Omit<KeptPost, 'stamp'> &
  Pick<PostFile, 'path' | 'name'> & {
    readonly file: string;
    /** Reads it again; undefined where it is not what it was when the folder was read. */
    text(): Text | undefined;
  };

export type Folder = FoundFolder & {
  /** In the order of their paths. */
  readonly posts: readonly Post[];
  /** The posts by path, to be read no more while their files stay as they are. */
  readonly kept: ReadonlyMap<string, KeptPost>;
  /** Files that are not to be published, by identity, and why. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly rejected: readonly { readonly path: string; readonly message: string }[];
  readonly notices: readonly { readonly path: string; readonly notice: Notice }[];
  /** The Idempotency-Key of an identity, whether its file is there or not. */
  keyOf(identity: string, generation: number): string;
};

export type FolderOptions = ReadingOptions & {
  readonly importId?: string | undefined;
  readonly exact: boolean;
};

/** Finds the files below a folder that may be posts, as they are `now`. */
export function findPosts(named: string, cwd: string, now: number): FoundFolder {
  const path = resolve(cwd, named);
  requireFolder(named, path);
  const below = postPathsBelow(path, basename(path) || 'root', undefined);
  const nameOf = (file: string) => below(file).normalize('NFC');
  const { files, beside } = filesIn(path, nameOf, now);
  const digest = listDigest(files);
  return { named, path, files, beside, digest, nameOf, ...placesFrom(path, nameOf) };
}

function requireFolder(named: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const near = found === undefined ? nearPath(named, path) : undefined;
  const isPost = found?.isFile() === true && fileKind(named) === 'post';
  const above = near ?? dirname(named.replace(/\*.*$/s, '*'));
  const line = [above, ...(isPost ? [basename(named)] : [])].map(inShell).join(' ');
  throw new BlogctlError('unusable-input', `${found ? 'Not a folder:' : 'No folder'} "${named}".`, {
    hint:
      isPost || near !== undefined || named.includes('*')
        ? `Name the folder, and posts of it behind it: \`blogctl sync plan ${line}\`.`
        : 'Name the folder that has the posts, seen from where you are, and posts of it behind it; `blogctl articles export <folder>` makes one.',
  });
}

/**
 * Files of records are left to imports: a record has no file of its own to be kept in step with. Of
 * several with one identity the first is the post: they are always read.
 */
function filesIn(folder: string, nameOf: FoundFolder['nameOf'], now: number) {
  const files = new Map<string, PostFile>();
  const others = sayingAbove(folder).map((file) => stampAt(file, now));
  const names = new Map<string, PostFile>();
  for (const walked of walkFolder(folder)) {
    if (saysOfOthers(walked.path)) others.push(stampAt(`${folder}/${walked.path}`, now));
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
  return { files, beside: shortDigest(others.join('\0')) };
}

function listDigest(files: FoundFolder['files']): string | undefined {
  const all = [...files.values()];
  if (all.some(({ stamp }) => stamp === '')) return undefined;
  return shortDigest(all.map(({ path, stamp }) => `${path}\0${stamp}\0`).join(''));
}

/** Identities as paths: those of the folder begin alike. */
function placesFrom(path: string, nameOf: FoundFolder['nameOf']) {
  const prefix = nameOf('x').slice(0, -1);
  const root = resolve(realpathSync(path), ...Array(prefix.split('/').length - 1).fill('..'));
  const fileOf = (name: string) => join(root, name);
  return {
    fileOf,
    shown: (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
    isThere: (name: string) => {
      const file = fileOf(name);
      const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      return isLink || isSpelledSo(file, realPathOf(file));
    },
  };
}

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

/** Reads every post of a folder that was written since it was kept; what cannot be read is named, not thrown. */
export async function readFolder(
  found: FoundFolder,
  options: FolderOptions,
  signal: AbortSignal,
  known: Folder['kept'] = new Map(),
): Promise<Folder> {
  // What reads posts is loaded only where one has to be read.
  const { fileSource } = await import('../importing/sources/file-set.ts');
  const { postEntry } = await import('../importing/sources/formats/markdown.ts');
  const { files, path: folder, nameOf } = found;
  const posts = new Map<string, Post>();
  const kept = new Map<string, KeptPost>();
  const skipped = new Map<string, string>();
  const rejected: { path: string; message: string }[] = [];
  const notices: { path: string; notice: Notice }[] = [];

  /** One for all posts: a function of its own for each costs much more, ten thousand times. */
  function text(this: Post): Text | undefined {
    const { path, name, file, digest, exact } = this;
    const place = { source: path, position: 1 };
    const entry = postEntry({ path: file, place, identity: postIdentity(name) }, options);
    if (entry.kind !== 'record') return undefined;
    const now = keptOf(entry, '', options.exact);
    const { title, content } = entry;
    return now.digest === digest && now.exact === exact ? { title, content } : undefined;
  }

  const add = ({ path, name, walked }: PostFile, post: KeptPost) => {
    const { title, content, digest, exact, article } = post;
    const first = posts.get(name);
    const file = `${folder}/${walked.path}`;
    if (first === undefined)
      posts.set(name, { path, name, file, title, content, digest, exact, article, text });
    else if (first.digest !== digest)
      rejected.push({ path, message: sameName(name, path, first.path) });
    if (post.stamp !== '') kept.set(path, post);
  };

  function* changed(): Generator<WalkedFile, void, void> {
    for (const file of files.values()) {
      const before = known.get(file.path);
      if (before !== undefined && before.stamp === file.stamp) add(file, before);
      else yield file.walked;
    }
  }

  const pathOf = (path: string) => files.get(path)?.name ?? nameOf(path);
  const source = fileSource([{ folder, name: '', pathOf, find: changed }], options);
  for await (const batch of source.batches()) {
    signal.throwIfAborted();
    for (const entry of batch) {
      const { source: at } = entry.place;
      const file = files.get(at);
      const told = ('notices' in entry && entry.notices) || [];
      notices.push(...told.map((notice) => ({ path: at, notice })));
      if (entry.kind === 'record' && file !== undefined) {
        add(file, keptOf(entry, told.length > 0 ? '' : file.stamp, options.exact));
      } else if (entry.kind === 'skip') {
        // It had no article of its own before either.
        if (entry.reason !== 'section-page') skipped.set(nameOf(at), entry.reason);
      } else if (entry.kind === 'notice') notices.push({ path: at, notice: entry.notice });
      else if (entry.kind === 'reject') rejected.push({ path: at, message: entry.error.message });
    }
  }
  const sorted = [...posts.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  const keyOf = (identity: string, generation: number) =>
    recordKey(options.importId ?? '', `path:${identity}`, generation);
  return { ...found, posts: sorted, kept, skipped, rejected, notices, keyOf };
}

/** Spelled in other characters, or in another work tree: names begin where that does. */
function sameName(name: string, path: string, other: string): string {
  const isForm = path.normalize('NFC') === other.normalize('NFC');
  const form = ', whose letters are in another form of Unicode (NFC, NFD)';
  return `Its name is ${name}, and so is that of ${other}; rename one of them${isForm ? form : ', or sync each work tree by itself'}.`;
}

function keptOf(post: Text & Pick<KeptPost, 'article'>, stamp: string, exact: boolean): KeptPost {
  const { title, content, digest } = digestOf(post);
  const kept: KeptPost = { title, content, digest, stamp };
  if (post.article === undefined && !exact) return kept;
  return { ...kept, article: post.article, ...(exact && { exact: exactDigestOf(post) }) };
}
