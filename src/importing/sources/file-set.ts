import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { postIdentity } from './identity.ts';
import {
  fileKind,
  namesIn,
  withoutGz,
  createPassedOver,
  type FileSet,
  type FoundFile,
} from './file-kind.ts';
import type { LinkKind, WalkedFile } from './walk.ts';
import { createSignsBeside, isDataBeside, type Unless } from './formats/beside.ts';
import { opensFrontMatter, postEntry, postMoment } from './formats/markdown.ts';
import {
  noticeOf,
  unsortedNotice,
  withReadAs,
  type Entry,
  type NoticeEntry,
  type Batch,
  type ReadingOptions,
  type Source,
} from './source.ts';

/** Files that are named one after the other are one source; sorted, all of them are. */
export function sourcesOf(
  opened: readonly (Source | FileSet)[],
  options: ReadingOptions,
): readonly Source[] {
  const sources: Source[] = [];
  let sets: FileSet[] = [];
  const close = () => {
    if (sets.length > 0) sources.push(fileSource(sets, options));
    sets = [];
  };
  for (const each of opened) {
    if ('find' in each) sets.push(each);
    else {
      if (options.sort === undefined) close();
      sources.push(options.sort === undefined ? each : unsorted(each, options.sort));
    }
  }
  close();
  return sources;
}

function unsorted(source: Source, sort: 'date' | 'name'): Source {
  return {
    ...source,
    async *batches() {
      yield [unsortedNotice(source.name, sort)];
      yield* source.batches();
    },
  };
}

/** The posts and the files of records in some folders; each is read when its turn comes. */
export function fileSource(sets: readonly FileSet[], options: ReadingOptions): Source {
  const name = sets[0]?.name ?? '';
  let sorted: readonly FoundFile[] | undefined;
  return {
    name,
    async *batches() {
      if (options.sort !== undefined) sorted ??= await sortedFiles(sets, options);
      yield* batchesOf(name, sorted ?? foundIn(sets), options);
    },
  };
}

function* foundIn(sets: readonly FileSet[]): Generator<FoundFile, void, void> {
  for (const set of sets) for (const file of set.find()) yield { set, file };
}

/**
 * At most so many are read without a pause of the event loop between them, fewer where they are long:
 * no more than a socket gives in its turn, which may wait for a service meanwhile.
 */
const atOnce = { files: 32, characters: 1 << 16 };

async function* batchesOf(
  name: string,
  files: Iterable<FoundFile>,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  const passedOver = createPassedOver();
  const left = withRoles(files, options);
  const withBeside = createSignsBeside(options);
  const told = new Set<string>();
  let next = left.next();

  /** Once of each folder or setting that leaves out posts. */
  function* leftNotice(found: FoundFile, { options: read, notice }: Unless) {
    const said = notice.place.source + notice.notice.message;
    if (told.has(said) || postOf(found, read).kind !== 'record') return;
    told.add(said);
    yield notice;
  }

  /** The posts up to the next file of records, each read when it is asked for. */
  function* posts(): Generator<Entry, void, void> {
    let characters = 0;
    for (let read = 0; read < atOnce.files && characters < atOnce.characters; read += 1) {
      if (next.done === true || next.value.role === 'data') return;
      const { role, ...found } = next.value;
      next = left.next();
      if (role === 'other') passedOver.add(found.file.path);
      else if (role !== 'post') yield linkNotice(found.file, role);
      else {
        const { options: whole, notices, unless } = withBeside(found);
        yield* notices;
        const entry = postOf(found, whole);
        if (unless !== undefined && entry.kind === 'skip') yield* leftNotice(found, unless);
        if (entry.kind === 'record') characters += entry.content.length;
        yield entry;
      }
    }
  }

  while (next.done !== true) {
    if (next.value.role === 'data') {
      // Few folders hold one, and its formats are much to load.
      const { folderDataBatches } = await import('./data-file.ts');
      const { options: whole, notices } = withBeside(next.value);
      yield notices;
      yield* folderDataBatches(next.value, whole, passedOver);
      next = left.next();
    } else {
      yield posts();
      // Signals and timers have their turn.
      await setImmediate();
    }
  }
  const message = passedOver.message(options);
  if (message !== undefined) yield [noticeOf(name, 'not-read', message)];
}

type Role = 'post' | 'data' | 'other' | LinkKind;

function* withRoles(files: Iterable<FoundFile>, options: ReadingOptions) {
  for (const { set, file } of files) yield { set, file, role: roleOf({ set, file }, options) };
}

function roleOf({ set, file }: FoundFile, options: ReadingOptions): Role {
  if (file.kind !== 'file') return file.kind === 'special' ? 'other' : file.kind;
  const kind = fileKind(file.path);
  if (kind === 'post' && isBesidePostsOfMedium(join(set.folder, file.path))) return 'other';
  if (kind === 'data' && isDataBeside({ set, file }, options)) return 'other';
  if (kind === 'post' || kind === 'data') return kind;
  if (kind === 'other' && set.isPattern === true) return 'data';
  if (kind !== 'text') return 'other';
  const hasTitle = options.titleFrom !== undefined || opensFrontMatter(join(set.folder, file.path));
  return hasTitle ? 'post' : 'other';
}

/** Medium exports pages of addresses, sessions and what one read beside the folder of posts. */
function isBesidePostsOfMedium(path: string): boolean {
  if (!path.endsWith('.html')) return false;
  const folder = dirname(resolve(path));
  return isMedium(folder) || (basename(folder) !== 'posts' && isMedium(dirname(folder)));
}

function isMedium(folder: string): boolean {
  const files = ['README.html', 'profile/profile.html', 'posts'];
  return files.every((file) => existsSync(join(folder, file)));
}

function postOf({ set, file }: FoundFile, options: ReadingOptions): Entry {
  const path = `${set.folder}/${file.path}`;
  const name = withoutGz(file.path);
  const place = { source: name, position: 1 };
  const identity = postIdentity(set.pathOf(name));
  return withReadAs(postEntry({ path, place, identity }, options), options);
}

/** Whether an import of a folder would bring the file that has this path in it, or would by what it says itself. */
export function isPublicPost(
  folder: string,
  path: string,
  options: ReadingOptions,
  { isAlone = false } = {},
): boolean {
  if (statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() !== true) return false;
  const set = { folder, name: '', pathOf: String, find: () => [] };
  const found: FoundFile = { set, file: { path, kind: 'file' } };
  const read = isAlone ? options : createSignsBeside(options)(found).options;
  return postOf(found, read).kind === 'record';
}

function linkNotice({ path, target = '' }: WalkedFile, kind: LinkKind): NoticeEntry {
  const messages: Readonly<Record<LinkKind, string>> = {
    'link-out-of-source': `It is a link that leads to ${target}; name that ${kindOfTarget(target)} itself to import it.`,
    'link-within-source': 'A link to what lies in the same source is not followed.',
    'broken-link': 'A link that leads nowhere.',
  };
  return noticeOf(path, kind, messages[kind]);
}

function kindOfTarget(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'file';
}

type WithSortKey = FoundFile & { readonly key: number | string };

/** Every file in the order that was asked for, equal ones in that of their paths. */
async function sortedFiles(
  sets: readonly FileSet[],
  options: ReadingOptions,
): Promise<readonly FoundFile[]> {
  const files: WithSortKey[] = [];
  for (const set of sets) {
    for (const file of set.find()) {
      files.push({ set, file, key: keyOf({ set, file }, options) });
      if (files.length % atOnce.files === 0) await setImmediate();
    }
  }
  return files.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** What has no date comes last. */
function keyOf({ set, file }: FoundFile, options: ReadingOptions): number | string {
  if (options.sort === 'name') return basename(file.path);
  const mayHaveDate = file.kind === 'file' && ['post', 'text'].includes(fileKind(file.path));
  const moment = mayHaveDate ? postMoment(join(set.folder, file.path), options) : undefined;
  return moment ?? Infinity;
}

/** What is there under nearly that name, as it was written: posts for `post`, and for `psots`. */
export function nearPath(typed: string, path = typed): string | undefined {
  const letters = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[\s_-]|s$/g, '')
      .split('')
      .toSorted()
      .join('');
  const folder = dirname(path);
  const near = namesIn(folder).find((name) => letters(name) === letters(basename(path)));
  return near === undefined ? undefined : join(dirname(typed), near);
}
