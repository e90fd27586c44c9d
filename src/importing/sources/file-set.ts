import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { postIdentity } from './identity.ts';
import { fileKind, withoutGz, createPassedOver } from './file-kind.ts';
import type { LinkKind, WalkedFile } from './walk.ts';
import type { FileSet, FoundFile } from './data-file.ts';
import {
  cascadeIn,
  isSectionPage,
  opensFrontMatter,
  postEntry,
  postMoment,
} from './formats/markdown.ts';
import { membersOf } from './formats/front-matter.ts';
import { withoutByteOrderMark } from './encoding.ts';
import { isSignName, type Member } from './publicity-signs.ts';
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
  let next = left.next();

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
        const entry = postOf(found, withBeside(found));
        if (entry.kind === 'record') characters += entry.content.length;
        yield entry;
      }
    }
  }

  while (next.done !== true) {
    if (next.value.role === 'data') {
      // Few folders hold one, and its formats are much to load.
      const { folderDataBatches } = await import('./data-file.ts');
      yield* folderDataBatches(next.value, options, passedOver);
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
  if (kind === 'data' && isFolderData(`${set.name}/${file.path}`)) {
    if (folderData(join(set.folder, file.path), options).length > 0) return 'other';
  }
  if (kind === 'post' || kind === 'data') return kind;
  if (kind === 'other' && set.isPattern === true) return 'data';
  if (kind !== 'text') return 'other';
  const hasTitle = options.titleFrom !== undefined || opensFrontMatter(join(set.folder, file.path));
  return hasTitle ? 'post' : 'other';
}

function postOf({ set, file }: FoundFile, options: ReadingOptions): Entry {
  const path = `${set.folder}/${file.path}`;
  const name = withoutGz(file.path);
  const place = { source: name, position: 1 };
  return postEntry({ path, place, identity: postIdentity(set.pathOf(name)) }, options);
}

type Beside = {
  readonly said: readonly Member[];
  /** Of single posts, by their names without an extension. */
  readonly rows: ReadonlyMap<string, readonly Member[]> | undefined;
};

/**
 * What other files say of a post, so that it may not be public: of all posts below them the `cascade` of
 * Hugo's `_index` and Eleventy's data of a directory, of single ones the table of Substack beside their folder.
 */
function createSignsBeside(options: ReadingOptions) {
  const known = new Map<string, Beside>();

  function read(root: string, below: string): Beside {
    const folder = join(root, below);
    const name = basename(resolve(folder));
    const above = below === '' ? [] : ofFolder(root, below.replace(/(?:^|\/)[^/]*$/, '')).said;
    const indexes = readdirSync(folder).filter(isSectionPage);
    const data = [`${name}.json`, `${name}.11tydata.json`].map((file) => join(folder, file));
    const own = [
      ...indexes.flatMap((index) => cascadeIn(join(folder, index), options)),
      ...data.flatMap((file) => folderData(file, options)),
    ];
    return { said: [...above, ...own], rows: rowsByPost(textAt(`${resolve(folder)}.csv`)) };
  }

  function ofFolder(root: string, below: string): Beside {
    const folder = `${root}/${below}`;
    const found = known.get(folder) ?? read(root, below);
    known.set(folder, found);
    return found;
  }

  return ({ set, file: { path } }: FoundFile): ReadingOptions => {
    const { said, rows } = ofFolder(set.folder, path.slice(0, Math.max(path.lastIndexOf('/'), 0)));
    const name = withoutGz(path);
    const row = rows?.get(basename(name, extname(name))) ?? [];
    return said.length + row.length === 0 ? options : { ...options, beside: [...said, ...row] };
  };
}

/** Nothing where there is none, or one so long that it must be of something else. */
function textAt(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.size > 1 << 24) return '';
    return withoutByteOrderMark(readFileSync(path, asUtf8));
  } catch {
    return '';
  }
}

const asUtf8 = { encoding: 'utf8' } as const;

function isFolderData(path: string): boolean {
  return /(?:^|\/)([^/]+)\/\1(?:\.11tydata)?\.json$/.test(path);
}

/** None where the file holds records. */
function folderData(path: string, { map }: ReadingOptions): readonly Member[] {
  const text = textAt(path);
  if (!/^\s*\{/.test(text)) return [];
  try {
    const members = membersOf(JSON.parse(text));
    const isData = members.some(({ key, value }) => key === map.content || holdsObjects(value));
    return isData ? [] : members.filter(({ key }) => isSignName(key));
  } catch {
    return [];
  }
}

function holdsObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((each) => typeof each === 'object');
}

/** The signs of Substack's `posts.csv`, by the names of the files in `posts/`. */
function rowsByPost(text: string): Beside['rows'] {
  if (!/^[^\n]*\bpost_id\b/.test(text)) return undefined;
  const rows: string[][] = [[]];
  for (const [, field = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(field.replaceAll(/^"|"$/g, '').replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...posts] = rows;
  return new Map(
    posts.map((row) => [
      row[names.indexOf('post_id')] ?? '',
      names.flatMap((key, at) => (isSignName(key) ? [{ key, value: row[at] ?? '' }] : [])),
    ]),
  );
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

/** Every file in the order that was asked for, equal ones in that of their paths. */
async function sortedFiles(
  sets: readonly FileSet[],
  options: ReadingOptions,
): Promise<readonly FoundFile[]> {
  const files: Keyed[] = [];
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
