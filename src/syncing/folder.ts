import { join } from 'node:path';

import { postIdentity, recordKey } from '../importing/sources/identity.ts';
import { fileSource } from '../importing/sources/file-set.ts';
import type { WalkedFile } from '../importing/sources/walk.ts';
import { postEntry } from '../importing/sources/formats/markdown.ts';
import type { Notice, ReadingOptions } from '../importing/sources/source.ts';
import type { KeptPost, Readings } from './kept-readings.ts';
import type { PostFile, PostFiles } from './post-files.ts';
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

export type Folder = Omit<PostFiles, 'files'> & {
  /** In the order of their paths. */
  readonly posts: readonly Post[];
  /** The posts by path, to be read no more while their files stay as they are. */
  readonly kept: Readings['posts'];
  /** Files that are not to be published, by identity, and why. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly rejected: readonly Rejected[];
  readonly notices: readonly { readonly path: string; readonly notice: Notice }[];
  /** The Idempotency-Key of an identity, whether its file is there or not. */
  keyOf(identity: string, generation: number): string;
};

export type FolderOptions = ReadingOptions & {
  readonly importId?: string | undefined;
  readonly exact: boolean;
};

/**
 * Reads every post of a folder that was written since it was kept; what cannot be read is named, not
 * thrown.
 */
export async function readFolder(
  { files, ...found }: PostFiles,
  options: FolderOptions,
  signal: AbortSignal,
  known: Readings['posts'] = {},
): Promise<Folder> {
  const { path: folder, nameOf } = found;
  const posts = new Map<string, Post>();
  const kept: Record<string, KeptPost> = {};
  const skipped = new Map<string, string>();
  const rejected: Rejected[] = [];
  const notices: { path: string; notice: Notice }[] = [];
  const reader = { folder, options };
  const add = (file: PostFile, post: KeptPost) => {
    const first = posts.get(file.name);
    if (first === undefined) posts.set(file.name, new FilePost(file, post, reader));
    else if (first.digest !== post.digest)
      rejected.push({ path: file.path, message: sameName(file.name, first.path) });
    if (post.stamp !== '') kept[file.path] = post;
  };

  function* changed(): Generator<WalkedFile, void, void> {
    for (const file of files.values()) {
      const before = known[file.path];
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
      if (entry.kind === 'record' && file !== undefined) {
        for (const notice of entry.notices ?? []) notices.push({ path: at, notice });
        const stamp = entry.notices?.length ? '' : file.stamp;
        add(file, keptOf(entry, stamp, options.exact));
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
function sameName(name: string, other: string): string {
  return `Its name is ${name}, and so is that of ${other}; rename one of them, or sync each work tree by itself.`;
}

function keptOf(
  text: Text & { readonly article?: string | undefined },
  stamp: string,
  exact: boolean,
): KeptPost {
  const { title, content, digest } = digestOf(text);
  const kept: KeptPost = { title, content, digest, stamp };
  if (text.article === undefined && !exact) return kept;
  return { ...kept, article: text.article, ...(exact && { exact: exactDigestOf(text) }) };
}

type Reader = { readonly folder: string; readonly options: FolderOptions };

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
    return join(this.#reader.folder, this.#file.walked.path);
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
