import { lstatSync, realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

import { BlogctlError } from '../errors.ts';
import { createKeyedEntries } from '../importing/identity/keyed-entries.ts';
import { postIdentity } from '../importing/identity/identity.ts';
import { recordKey } from '../importing/identity/record-key.ts';
import { postPathsBelow } from '../importing/identity/post-path.ts';
import { fileSource } from '../importing/sources/file-set.ts';
import { fileKind, withoutGz } from '../importing/sources/files/file-kind.ts';
import { walkFolder, type WalkedFile } from '../importing/sources/files/walk.ts';
import { postEntry } from '../importing/sources/posts/post-entry.ts';
import type { Notice, ReadingOptions } from '../importing/sources/source.ts';
import { type KeptPost, type Readings, stampOf } from './kept-readings.ts';
import { digestOf, exactDigestOf, type Text, type TextDigest } from './same-text.ts';

/** A post of the folder. */
export type Post = TextDigest & {
  /** Below the folder that was named, as a plan shows it. */
  readonly path: string;
  /** Its identity (decisions 44): from the root of its work tree. */
  readonly name: string;
  readonly file: string;
  /** The text as it is, where that counts (`--exact`). */
  readonly exact?: string | undefined;
  /** The address of the article that it says it is (decisions 55). */
  readonly article?: string | undefined;
  /** Reads it again; undefined where it is not what it was when the folder was read. */
  text(): Text | undefined;
};

export type Rejected = { readonly path: string; readonly message: string };

export type Folder = {
  /** As it was named. */
  readonly named: string;
  readonly path: string;
  /** In the order of their paths. */
  readonly posts: readonly Post[];
  /** The posts by path, to be read no more while their files stay as they are. */
  readonly kept: Readings['posts'];
  /** Files that are not to be published, by identity, and why. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly rejected: readonly Rejected[];
  readonly notices: readonly { readonly path: string; readonly notice: Notice }[];
  /** Whether an identity lies below this folder, and how a plan shows it. */
  shown(name: string): string | undefined;
  /** The Idempotency-Key of an identity, whether its file is there or not. */
  keyOf(identity: string, generation: number): string;
  /** The identity of a file below the folder. */
  nameOf(path: string): string;
  /** Where the file of an identity lies, whether it is there or not. */
  fileOf(name: string): string;
};

export type FolderOptions = ReadingOptions & {
  readonly importId?: string | undefined;
  readonly exact: boolean;
};

/** Files that had no article of their own before either. */
const neverPosts: ReadonlySet<string> = new Set(['section-page', 'repeated']);

/** What is found out about a folder, once. */
type Reader = {
  readonly path: string;
  readonly options: FolderOptions;
  nameOf(below: string): string;
};

/**
 * Reads every post below a folder that was written since it was kept; what cannot be read is named,
 * not thrown.
 */
export async function readFolder(
  named: string,
  options: FolderOptions,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
  known: Readings['posts'] = {},
): Promise<Folder> {
  const path = resolve(cwd, named);
  await requireFolder(named, path);
  const folderName = basename(path) || 'root';
  const below = postPathsBelow(path, folderName, undefined);
  const nameOf = (file: string) => below(file).normalize('NFC');
  const reader: Reader = { path, options, nameOf };
  const files = filesIn(reader);
  const posts: Post[] = [];
  const kept: Record<string, KeptPost> = {};
  const skipped = new Map<string, string>();
  const rejected: Rejected[] = [];
  const notices: { path: string; notice: Notice }[] = [];
  const add = (file: PostFile, post: KeptPost) => {
    posts.push(new FilePost(file, post, reader));
    if (post.stamp !== '') kept[file.path] = post;
  };

  function* changed(): Generator<WalkedFile, void, void> {
    for (const file of files.values()) {
      const before = known[file.path];
      if (before !== undefined && before.stamp === file.stamp) add(file, before);
      else yield file.walked;
    }
  }

  const source = fileSource(
    [{ folder: path, name: folderName, pathOf: nameOf, find: changed }],
    options,
  );
  for await (const portion of createKeyedEntries([source], options.importId).read()) {
    signal.throwIfAborted();
    for (const entry of portion) {
      const { source: at } = entry.place;
      const file = files.get(at);
      if (entry.kind === 'record' && file !== undefined) {
        for (const notice of entry.notices ?? []) notices.push({ path: at, notice });
        const stamp = entry.notices?.length ? '' : file.stamp;
        add(file, keptOf(entry, stamp, options.exact));
      } else if (entry.kind === 'skip') {
        if (!neverPosts.has(entry.reason)) skipped.set(nameOf(at), entry.reason);
      } else if (entry.kind === 'notice') notices.push({ path: at, notice: entry.notice });
      else if (entry.kind === 'reject') rejected.push({ path: at, message: entry.flaw.message });
    }
  }
  const places = placesFrom(path, nameOf);
  const keyOf = (identity: string, generation: number) =>
    recordKey(options.importId ?? '', `path:${identity}`, generation);
  posts.sort(byPath);
  return { named, path, posts, kept, skipped, rejected, notices, keyOf, nameOf, ...places };
}

type PostFile = {
  /** As a plan shows it: without the ending of a compressed file. */
  readonly path: string;
  readonly name: string;
  readonly walked: WalkedFile;
  /** '' where it cannot be told by it whether the file was written since. */
  readonly stamp: string;
};

/**
 * By path, in their order. Files of records are left to imports: a record has no file of its own to be
 * kept in step with. Of several with one identity the first is the post: they are always read.
 */
function filesIn(reader: Reader): ReadonlyMap<string, PostFile> {
  const { path: folder, options } = reader;
  const files = new Map<string, PostFile>();
  const names = new Map<string, string>();
  for (const walked of walkFolder(folder)) {
    const kind = fileKind(walked.path);
    const path = withoutGz(walked.path);
    if (walked.kind === 'file' && kind !== 'post' && kind !== 'text') continue;
    const name = reader.nameOf(path);
    const twin = names.get(name);
    const stats = lstatSync(`${folder}/${walked.path}`, { throwIfNoEntry: false });
    const stamp = (twin === undefined && stats && stampOf(stats, options.now)) || '';
    files.set(files.has(path) ? walked.path : path, { path, name, walked, stamp });
    names.set(name, path);
    const first = twin === undefined ? undefined : files.get(twin);
    if (first !== undefined) files.set(first.path, { ...first, stamp: '' });
  }
  return files;
}

async function requireFolder(named: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'No folder' : 'Not a folder:';
  throw new BlogctlError('unusable-input', `${what} "${named}".`, {
    hint: 'Name the folder of the posts, for example posts.',
  });
}

function keptOf(
  text: Text & { readonly article?: string | undefined },
  stamp: string,
  exact: boolean,
): KeptPost {
  const { article } = text;
  const own = { ...(article && { article }), ...(exact && { exact: exactDigestOf(text) }) };
  return { ...digestOf(text), ...own, stamp };
}

/** A class, because an object with a function of its own costs much more, ten thousand times. */
class FilePost implements Post {
  readonly path: string;
  readonly name: string;
  readonly title: string;
  readonly content: string;
  readonly digest: string;
  readonly exact: string | undefined;
  readonly article: string | undefined;
  readonly #file: PostFile;
  readonly #reader: Reader;

  constructor(file: PostFile, kept: KeptPost, reader: Reader) {
    this.path = file.path;
    this.name = file.name;
    this.title = kept.title;
    this.content = kept.content;
    this.digest = kept.digest;
    this.exact = kept.exact;
    this.article = kept.article;
    this.#file = file;
    this.#reader = reader;
  }

  get file(): string {
    return join(this.#reader.path, this.#file.walked.path);
  }

  text(): Text | undefined {
    const place = { source: this.path, position: 1 };
    const post = { path: this.file, place, identity: postIdentity(this.name) };
    const entry = postEntry(post, this.#reader.options);
    if (entry.kind !== 'record') return undefined;
    const { title, content } = entry;
    const isSame = this.exact === undefined || this.exact === exactDigestOf(entry);
    return isSame && digestOf(entry).digest === this.digest ? { title, content } : undefined;
  }
}

/** Identities as paths: those of the folder begin alike. */
function placesFrom(path: string, nameOf: (below: string) => string) {
  const prefix = nameOf('x').slice(0, -1);
  const folder = realpathSync(path);
  const depth = prefix.split('/').length - 1;
  const root = resolve(folder, ...Array.from({ length: depth }, () => '..'));
  return {
    shown: (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
    fileOf: (name: string) => join(root, name),
  };
}

function byPath(one: Post, other: Post): number {
  return one.path < other.path ? -1 : 1;
}
