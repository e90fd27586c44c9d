import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { postIdentity } from './identity.ts';
import { fileKind, withoutGz, createPassedOver } from './file-kind.ts';
import type { LinkKind, WalkedFile } from './walk.ts';
import { folderDataBatches, type FileSet, type FoundFile } from './data-file.ts';
import { opensFrontMatter, postEntry, postMoment } from './formats/markdown.ts';
import {
  noticeOf,
  type Entry,
  type NoticeEntry,
  type Batch,
  type ReadingOptions,
  type Source,
} from './source.ts';

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

async function* batchesOf(
  name: string,
  files: Iterable<FoundFile>,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  const passedOver = createPassedOver();
  const batch = createBatch();
  for (const found of files) {
    const role = roleOf(found, options);
    if (role === 'other') passedOver.add(found.file.path);
    else if (role === 'post') batch.add(postOf(found, options));
    else if (role !== 'data') batch.add(linkNotice(found.file, role));
    else {
      yield batch.take();
      yield* folderDataBatches(found, options, passedOver);
    }
    if (!batch.isFull) continue;
    yield batch.take();
    // Signals and timers have their turn.
    await setImmediate();
  }
  const message = passedOver.message(options);
  if (message !== undefined) batch.add(noticeOf(name, 'not-read', message));
  yield batch.take();
}

/** Posts that are read at once: dozens, fewer where they are long. */
function createBatch() {
  const most = { entries: 64, characters: 1 << 20 };
  let entries: Entry[] = [];
  let characters = 0;
  return {
    get isFull() {
      return entries.length >= most.entries || characters >= most.characters;
    },
    add(entry: Entry) {
      entries.push(entry);
      if (entry.kind === 'record') characters += entry.content.length;
      if (entry.kind === 'reject') characters += String(entry.record).length;
    },
    take(): Batch {
      const taken = entries;
      entries = [];
      characters = 0;
      return taken;
    },
  };
}

function roleOf(
  { set, file }: FoundFile,
  options: ReadingOptions,
): 'post' | 'data' | 'other' | LinkKind {
  if (file.kind !== 'file') return file.kind === 'special' ? 'other' : file.kind;
  const kind = fileKind(file.path);
  if (kind === 'post' || kind === 'data') return kind;
  if (kind === 'other' && set.isPattern === true) return 'data';
  if (kind !== 'text') return 'other';
  const hasTitle = options.titleFrom !== undefined || opensFrontMatter(join(set.folder, file.path));
  return hasTitle ? 'post' : 'other';
}

function postOf({ set, file }: FoundFile, options: ReadingOptions): Entry {
  const path = join(set.folder, file.path);
  const name = withoutGz(file.path);
  const place = { source: name, position: 1 };
  return postEntry({ path, place, identity: postIdentity(set.pathOf(name)) }, options);
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

type Keyed = FoundFile & { readonly key: number | string };

/** Files without a pause of the event loop between them. */
const atOnce = 64;

/** Every file in the order that was asked for, equal ones in that of their paths. */
export async function sortedFiles(
  sets: readonly FileSet[],
  options: ReadingOptions,
): Promise<readonly FoundFile[]> {
  const files: Keyed[] = [];
  for (const set of sets) {
    for (const file of set.find()) {
      files.push({ set, file, key: keyOf({ set, file }, options) });
      if (files.length % atOnce === 0) await setImmediate();
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
