import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

import { BlogctlError } from '../errors.ts';
import { createKeyedEntries, type KeyedRecord } from '../importing/identity/keyed-entries.ts';
import { recordKey } from '../importing/identity/record-key.ts';
import { postPathsBelow } from '../importing/identity/post-path.ts';
import { fileSource } from '../importing/sources/file-set.ts';
import { fileKind } from '../importing/sources/files/file-kind.ts';
import { walkFolder, type WalkedFile } from '../importing/sources/files/walk.ts';
import type { Notice, ReadingOptions } from '../importing/sources/source.ts';
import { digestOf, exactDigestOf, type TextDigest } from './same-text.ts';

/** A post of the folder. */
export type Post = TextDigest & {
  /** Below the folder that was named, as a plan shows it. */
  readonly path: string;
  /** Its identity (decisions 44): from the root of its work tree. */
  readonly name: string;
  readonly text: { readonly title: string; readonly content: string };
  /** The text as it is, where that counts (`--exact`). */
  readonly exact?: string | undefined;
  /** The address of the article that it says it is (decisions 55). */
  readonly article?: string | undefined;
  keyOf(generation: number): string;
};

export type Rejected = { readonly path: string; readonly message: string };

export type Folder = {
  /** As it was named. */
  readonly named: string;
  readonly path: string;
  /** In the order of their paths. */
  readonly posts: readonly Post[];
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

/** Reads every post below a folder; what cannot be read is named, not thrown. */
export async function readFolder(
  named: string,
  options: FolderOptions,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Folder> {
  const path = resolve(cwd, named);
  await requireFolder(named, path);
  const name = basename(path) || 'root';
  const nameOf = nameBelow(path, name);
  const posts: Post[] = [];
  const skipped = new Map<string, string>();
  const rejected: Rejected[] = [];
  const notices: { path: string; notice: Notice }[] = [];
  const source = fileSource(
    [{ folder: path, name, pathOf: nameOf, find: () => postsIn(path) }],
    options,
  );
  for await (const portion of createKeyedEntries([source], options.importId).read()) {
    signal.throwIfAborted();
    for (const entry of portion) {
      const { source: below } = entry.place;
      if (entry.kind === 'record') {
        for (const notice of entry.notices ?? []) notices.push({ path: below, notice });
        posts.push(postOf(entry, nameOf(below), options.exact));
      } else if (entry.kind === 'skip') {
        if (!neverPosts.has(entry.reason)) skipped.set(nameOf(below), entry.reason);
      } else if (entry.kind === 'notice') notices.push({ path: below, notice: entry.notice });
      else rejected.push({ path: below, message: entry.flaw.message });
    }
  }
  const places = placesFrom(path, nameOf);
  const keyOf = (identity: string, generation: number) =>
    recordKey(options.importId ?? '', `path:${identity}`, generation);
  return {
    named,
    path,
    posts: posts.toSorted(byPath),
    skipped,
    rejected,
    notices,
    keyOf,
    nameOf,
    ...places,
  };
}

/** Files of records are left to imports: a record has no file of its own to be kept in step with. */
function* postsIn(folder: string): Generator<WalkedFile, void, void> {
  for (const file of walkFolder(folder)) {
    const kind = fileKind(file.path);
    if (file.kind !== 'file' || kind === 'post' || kind === 'text') yield file;
  }
}

async function requireFolder(named: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'No folder' : 'Not a folder:';
  throw new BlogctlError('unusable-input', `${what} "${named}".`, {
    hint: 'Name the folder of the posts, for example posts.',
  });
}

function nameBelow(path: string, name: string): (below: string) => string {
  const pathOf = postPathsBelow(path, name, undefined);
  return (below) => pathOf(below).normalize('NFC');
}

function postOf(record: KeyedRecord, name: string, exact: boolean): Post {
  const { place, title, content, article } = record;
  const text = { title, content };
  return {
    ...digestOf(text),
    path: place.source,
    name,
    text,
    article,
    ...(exact && { exact: exactDigestOf(text) }),
    keyOf: (generation) => record.keyOf(generation),
  };
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
